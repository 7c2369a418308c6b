// Command ringonce is the binary for people: it feeds events to the handler, reads the ledger and serves the emulator.
package main

import (
	"os"

	"github.com/ringonce/ringonce/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}

package dialtest

import (
	"io"
	"log"
)

// quiet is the log of a server whose clients are meant to fail.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

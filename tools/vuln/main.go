package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: vuln GOVULNCHECK [ARGUMENT...]")
		os.Exit(2)
	}
	os.Exit(check(context.Background(), os.Args[1], os.Args[2:], os.Stdout))
}

package main

import (
	"fmt"
	"os"
)

func main() {
	summary, err := read(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "noskip:", err)
		os.Exit(1)
	}
	fmt.Println(summary)
	if !summary.ok() {
		os.Exit(1)
	}
}

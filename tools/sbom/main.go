package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// lists is the folder of the committed lists.
const lists = "deploy/sbom"

// binaries are what is listed, with the flags that they are built with.
var binaries = []struct {
	name  string
	flags []string
}{
	{"ringonce", nil},
	{"ringonce-lambda", []string{"-tags=lambda.norpc,nethttpomithttp2"}},
}

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout)) }

func run(ctx context.Context, args []string, out io.Writer) int {
	diff := len(args) == 2 && args[0] == "-diff"
	if len(args) != 1 && !diff {
		say(out, "usage: sbom [-diff] CYCLONEDX-GOMOD")
		return 2
	}
	changed := false
	for _, binary := range binaries {
		document, err := list(ctx, args[len(args)-1], binary.name, binary.flags)
		if err != nil {
			say(out, "sbom: %s: %v", binary.name, err)
			return 1
		}
		path := filepath.Join(lists, binary.name+".cdx.json")
		if !diff {
			if err := os.WriteFile(path, document, 0o644); err != nil { //nolint:gosec // a file of the repository
				say(out, "sbom: %v", err)
				return 1
			}
			continue
		}
		committed, err := os.ReadFile(path)
		if err != nil {
			say(out, "sbom: %v", err)
		}
		for _, line := range compare(committed, document) {
			changed = true
			say(out, "%s: %s", path, line)
		}
	}
	if changed {
		say(out, "sbom: the list of what is linked has changed: look at each line, run `make sbom` and commit the result")
		return 1
	}
	return 0
}

// say writes a line to the terminal; where that fails there is nobody left to tell.
func say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }

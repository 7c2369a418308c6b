// Command genapi generates the server and the client of the HTTP API with ogen, from the document that the service hands out (its one argument). Two things of
// the document are for others, so a reduced copy is what ogen is given: the problems, which are listed status by status there and have one type here; and
// security, which ogen would look for in every operation while access.Guard has decided before.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const ogen = "github.com/ogen-go/ogen/cmd/ogen@v1.25.0"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "genapi:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("the one argument is the document; there are %d", len(args))
	}
	text, err := os.ReadFile(args[0]) //nolint:gosec // G703: the document that go generate names
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "genapi")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	reduced := filepath.Join(dir, "openapi.yaml")
	if err := os.WriteFile(reduced, []byte(reduce(string(text))), 0o600); err != nil {
		return err
	}
	command := exec.CommandContext(context.Background(), "go", "run", ogen, "-config", "ogen.yaml", "-target", "oas", "-package", "oas", "-clean", reduced)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

var failure = regexp.MustCompile(`^        "[45][0-9][0-9]": `)

// reduce puts one default response in the place of the problems of each operation, and leaves security out. It knows the indentation of our document.
func reduce(text string) string {
	var kept []string
	skipping, failed := "", false // the indentation of a block that is left out; whether the line before was a problem
	for line := range strings.Lines(text) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if skipping != "" && len(indent) >= len(skipping) {
			continue
		}
		skipping = ""
		switch {
		case line == "security:\n":
			skipping = "  "
		case line == "  securitySchemes:\n":
			skipping = "    "
		case failure.MatchString(line):
			if !failed {
				kept = append(kept, `        default: { $ref: "#/components/responses/Problem" }`+"\n")
			}
			failed = true
			continue
		default:
			kept = append(kept, line)
		}
		failed = false
	}
	return strings.Join(kept, "")
}

// Command genprefixes writes the table of numbering plans that destinations are judged by: which first digits belong to which region, and
// which lead to numbers that cost extra or are not a person's telephone. It derives both from the metadata of
// github.com/nyaruka/phonenumbers; the facts carry over, and the library itself is not needed where the table is.
//
// Its argument is the file to write.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "genprefixes: name the file to write")
		os.Exit(1)
	}
	text, err := table()
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(text), 0o600) //nolint:gosec // the file is an argument of a tool of this repository
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "genprefixes:", err)
		os.Exit(1)
	}
}

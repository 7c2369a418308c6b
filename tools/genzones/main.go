// Command genzones writes the table by which the time zone of a telephone number is known, and the list of time zone names.
//
//	genzones zones.txt names.txt
//	genzones -regions zone.tab regions.txt
//
// The table comes from two lists of facts: the zones of each region (the tz database's zone.tab, which is in the public domain; regions.txt
// beside this file keeps what is used of it, and the second form of the command writes it) and the zones of each prefix (the metadata of
// github.com/nyaruka/phonenumbers). docs/hours.md says what becomes an entry. The library itself is not needed where the table is.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "genzones:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 3 && arguments[0] == "-regions" {
		text, err := os.ReadFile(arguments[1]) //nolint:gosec // the file is an argument of a tool of this repository
		if err != nil {
			return err
		}
		return write(arguments[2], regionsOf(string(text)))
	}
	if len(arguments) != 2 {
		return fmt.Errorf("name the two files to write: the table of zones and the list of names")
	}
	table, err := table()
	if err != nil {
		return err
	}
	names, err := names()
	if err != nil {
		return err
	}
	if err = write(arguments[0], table); err != nil {
		return err
	}
	return write(arguments[1], names)
}

func write(file, text string) error {
	return os.WriteFile(file, []byte(text), 0o600) //nolint:gosec // the file is an argument of a tool of this repository
}

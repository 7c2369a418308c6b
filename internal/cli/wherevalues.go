package cli

import (
	"strings"
	"time"
)

// whereValues are what --where may name: texts and times, each once, and what may be repeated.
type whereValues struct {
	texts    map[string]*string
	times    map[string]*time.Time
	repeated map[string]func(value string) error

	example, may, names string // of the help that follows a mistake: a whole value, what may be repeated, all names
}

// read reads the values of --where.
func (v whereValues) read(where []string) (err error) {
	for _, w := range where {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case value == "":
			err = misused("--where has no value in "+plain(w)+".", "Write it as --where "+v.example+".")
		case v.repeated[name] != nil:
			err = v.repeated[name](value)
		case v.texts[name] != nil:
			if *v.texts[name] != "" {
				return misused("--where names "+name+" twice.", "A call has one; only "+v.may+" may be repeated.")
			}
			*v.texts[name] = value
		case v.times[name] != nil:
			if *v.times[name], err = time.Parse(time.RFC3339, value); err != nil {
				return misused("--where has no time in "+name+".", "Write it like 2026-11-29T03:00:00Z.")
			}
		default:
			err = misused("--where does not know "+plain(name)+".", "Use "+v.names+".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// appending adds each value to a list.
func appending(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}

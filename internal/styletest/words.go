package styletest

import (
	"regexp"
)

// unfinished is spelled in pieces so that this file does not match itself.
var unfinished = regexp.MustCompile(`\b(` + "TO" + "DO|FIX" + "ME|X" + `XX)\b`)

func forbiddenWords() Check {
	return Check{
		Name: "forbidden-words",
		Why:  "unfinished work is an issue in the tracker, not a note in the code",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.goFiles() {
				for i, line := range f.lines() {
					if word := unfinished.Find(line); word != nil {
						found = append(found, at(f.Path, i+1, "%s: finish it or file it", word))
					}
				}
			}
			return found
		},
	}
}

package styletest

import (
	"regexp"
)

// machinePath finds paths of one particular machine. It is put together from pieces so that this file does not match
// itself. What stands before the slash tells a path of its own from the middle of a URL or of a longer path.
var machinePath = regexp.MustCompile(`(?:^|[^\w.})*$/-])/(?:` + `ho` + `me/|ro` + `ot/|wo` + `rk/|tm` + `p/[a-z])`)

// pathsMeant lists files that speak about such a path on purpose, each with its reason.
var pathsMeant = map[string]string{}

func machinePaths() Check {
	return Check{
		Name: "machine-paths",
		Why:  "a path of one machine works on no other and tells where its author sat",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.Files {
				if pathsMeant[f.Path] != "" {
					continue
				}
				for i, line := range f.lines() {
					if match := machinePath.Find(line); match != nil {
						found = append(found, at(f.Path, i+1, "%q is a path of one machine: use t.TempDir, a flag or a relative path", match))
					}
				}
			}
			return found
		},
	}
}

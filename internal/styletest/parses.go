package styletest

// parses keeps the other checks honest: a file they cannot read would pass all of them.
func parses() Check {
	return Check{
		Name: "parses",
		Why:  "a file that does not parse would slip past every other check",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.Files {
				if f.Err != nil {
					found = append(found, at(f.Path, 0, "does not parse: %v", f.Err))
				}
			}
			return found
		},
	}
}

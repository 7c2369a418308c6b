package styletest

import (
	"maps"
	"slices"
)

// planned lists folders that rules already speak about and that do not exist yet. A folder leaves this list in the
// change that creates it; from then on the rule fails when the folder is renamed away from under it.
var planned = map[string]string{
	"internal/console": "pages for operators",
}

func subjects() Check {
	return Check{
		Name: "subjects",
		Why:  "a rule about a folder that was renamed holds nothing",
		Find: func(t *Tree) []Finding {
			rules, err := t.rules()
			if err != nil {
				return nil // reported by the imports check
			}
			dirs := map[string]bool{lambdaCommand: true}
			for _, rule := range rules {
				if rule.Subject != "" {
					dirs[rule.Subject] = true
				}
			}
			for _, dir := range deciding {
				dirs[dir] = true
			}
			return t.missing(dirs)
		},
	}
}

// missing compares the folders rules speak about with the folders there are.
func (t *Tree) missing(dirs map[string]bool) []Finding {
	var found []Finding
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		switch exists, expected := t.hasDir(dir), planned[dir] == ""; {
		case !exists && expected:
			found = append(found, at(dir, 0, "a rule speaks about this folder and it is gone: rename the rule with it"))
		case exists && !expected:
			found = append(found, at(dir, 0, "exists now: take it out of the planned folders in internal/styletest/subjects.go"))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(planned)) {
		if !dirs[dir] {
			found = append(found, at(dir, 0, "is planned but no rule speaks about it: add one to %s", lintSettings))
		}
	}
	return found
}

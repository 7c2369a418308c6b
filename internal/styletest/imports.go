package styletest

import (
	"fmt"
	"strconv"
)

func imports() Check {
	return Check{
		Name: "imports",
		Why:  "the import rules are the architecture",
		Find: func(t *Tree) []Finding {
			rules, err := t.rules()
			if err != nil {
				return []Finding{{Path: lintSettings, Message: err.Error()}}
			}
			var found []Finding
			for _, f := range t.goFiles() {
				for _, rule := range rules {
					if rule.applies(f.Path) {
						found = append(found, t.broken(rule, f)...)
					}
				}
			}
			return found
		},
	}
}

// broken returns the imports of a file that a rule forbids.
func (t *Tree) broken(rule Rule, f *File) []Finding {
	var found []Finding
	for _, spec := range f.AST.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser accepts quoted strings only
		}
		if reason := rule.verdict(imported); reason != "" {
			found = append(found, at(f.Path, t.line(spec.Pos()), "imports %s: %s", imported, reason))
		}
	}
	return found
}

// rules reads the import rules from the tree's own lint settings.
func (t *Tree) rules() ([]Rule, error) {
	for _, f := range t.Files {
		if f.Path == lintSettings {
			return ReadRules(f.Content)
		}
	}
	return nil, fmt.Errorf("%s is missing: the import rules live there", lintSettings)
}

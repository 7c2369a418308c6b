package styletest

import (
	"path"
	"slices"
)

// Longest source files, in lines. A test may be longer than what it tests.
const (
	longestFile = 450
	longestTest = 600
	longestMain = 40
)

func fileLength() Check {
	return Check{
		Name: "file-length",
		Why:  "one idea per file; a long file holds several",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.Files {
				if !isSource(f) || f.inTestdata() || f.isGenerated() {
					continue
				}
				limit := longestFile
				if f.isTest() {
					limit = longestTest
				}
				if n := len(f.lines()); n > limit {
					found = append(found, at(f.Path, 0, "%d lines, at most %d: split it by idea", n, limit))
				}
			}
			return found
		},
	}
}

func mainLength() Check {
	return Check{
		Name: "main-length",
		Why:  "main turns arguments into an exit code; what it decides cannot be tested",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.goFiles() {
				if n := len(f.lines()); f.isCommandMain() && n > longestMain {
					found = append(found, at(f.Path, 0, "%d lines, at most %d: move the work to internal/cli or internal/app", n, longestMain))
				}
			}
			return found
		},
	}
}

func isSource(f *File) bool {
	return slices.Contains([]string{".go", ".py", ".js", ".mjs", ".sh"}, path.Ext(f.Path))
}

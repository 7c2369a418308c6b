package styletest

import (
	"maps"
	"path"
	"slices"
	"strings"
)

func packageComments() Check {
	return Check{
		Name: "package-comment",
		Why:  "the package comment says what the package decides; without it a reader has to guess",
		Find: func(t *Tree) []Finding {
			commented := map[string]bool{}
			for _, f := range t.goFiles() {
				if !f.isTest() || t.onlyTests(f.dir()) {
					commented[f.dir()] = commented[f.dir()] || strings.TrimSpace(f.AST.Doc.Text()) != ""
				}
			}
			var found []Finding
			for _, dir := range slices.Sorted(maps.Keys(commented)) {
				if !commented[dir] {
					found = append(found, at(dir, 0, "no package comment: say in doc.go what this package is for"))
				}
			}
			return found
		},
	}
}

// onlyTests reports whether a folder holds Go tests and nothing they belong to; then one of them says what it is for.
func (t *Tree) onlyTests(dir string) bool {
	return !slices.ContainsFunc(t.goFiles(), func(f *File) bool { return f.dir() == dir && !f.isTest() })
}

// bucketNames are names that say nothing about what is inside, so that anything fits.
var bucketNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"}

func packageNames() Check {
	return Check{
		Name: "package-name",
		Why:  "a package is named after what it decides, not after being useful",
		Find: func(t *Tree) []Finding {
			seen := map[string]bool{}
			var found []Finding
			for _, f := range t.goFiles() {
				name, dir := f.AST.Name.Name, f.dir()
				bucket := slices.Contains(bucketNames, strings.TrimSuffix(name, "_test")) || slices.Contains(bucketNames, path.Base(dir))
				if bucket && !seen[dir] {
					seen[dir] = true
					found = append(found, at(dir, 0, "package name %s says nothing: name it after its idea", name))
				}
			}
			return found
		},
	}
}

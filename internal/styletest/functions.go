package styletest

import (
	"go/ast"
)

// longestFunction is one screen. It counts from the func keyword to the closing brace.
const longestFunction = 70

func functionLength() Check {
	return Check{
		Name: "function-length",
		Why:  "a function that fits one screen can be read in one look",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.goFiles() {
				if f.isGenerated() {
					continue
				}
				for _, decl := range f.AST.Decls {
					fn, ok := decl.(*ast.FuncDecl)
					if !ok {
						continue
					}
					first, last := t.line(fn.Pos()), t.line(fn.End())
					if n := last - first + 1; n > longestFunction {
						found = append(found, at(f.Path, first, "function %s has %d lines, at most %d: give its parts names", fn.Name.Name, n, longestFunction))
					}
				}
			}
			return found
		},
	}
}

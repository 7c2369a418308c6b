package styletest

import (
	"go/ast"
	"slices"
)

// maySkip lists test files that may skip a test, each with its reason.
var maySkip = map[string]string{}

// skipMethods and testValues find t.Skip and its relatives by the names everybody uses. A rapid.T is called rt here,
// because its Skip discards a draw and not a test.
var (
	skipMethods = []string{"Skip", "Skipf", "SkipNow"}
	testValues  = []string{"t", "b", "f", "tb", "T"}
)

func skippedTests() Check {
	return Check{
		Name: "skipped-tests",
		Why:  "a skipped test reads like a passed one; put it behind a build tag that says when it runs",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.goFiles() {
				if maySkip[f.Path] != "" {
					continue
				}
				ast.Inspect(f.AST, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok || !slices.Contains(skipMethods, sel.Sel.Name) {
						return true
					}
					if recv, ok := sel.X.(*ast.Ident); ok && slices.Contains(testValues, recv.Name) {
						found = append(found, at(f.Path, t.line(sel.Pos()), "%s.%s: make what the test needs, or move it behind a build tag", recv.Name, sel.Sel.Name))
					}
					return true
				})
			}
			return found
		},
	}
}

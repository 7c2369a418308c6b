package styletest

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// deciding are the packages that decide from what they are given.
var deciding = []string{"internal/call", "internal/envelope", "internal/rules", "internal/outcome"}

// ambient are the functions of package time that read or wait for the clock of the machine.
var ambient = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// written are the functions of log/slog that write, or that get hold of something that does. The others build values,
// which a type needs to mask itself in somebody else's log.
var written = []string{
	"Debug", "DebugContext", "Info", "InfoContext", "Warn", "WarnContext", "Error", "ErrorContext", "Log", "LogAttrs",
	"Default", "New", "NewLogLogger", "SetDefault", "With",
}

func purity() Check {
	return Check{
		Name: "purity",
		Why:  "a decision that reads the clock, logs or starts a goroutine cannot be replayed or modeled",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.goFiles() {
				if f.isTest() || !decides(f.dir()) {
					continue
				}
				ast.Inspect(f.AST, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.GoStmt:
						found = append(found, at(f.Path, t.line(n.Pos()), "starts a goroutine: return an effect, the caller runs it"))
					case *ast.SelectorExpr:
						if why := reaches(n); why != "" {
							found = append(found, at(f.Path, t.line(n.Pos()), "%s", why))
						}
					}
					return true
				})
			}
			return found
		},
	}
}

// reaches says what of the surroundings a selector like time.Now touches, or nothing.
func reaches(sel *ast.SelectorExpr) string {
	pkg, ok := sel.X.(*ast.Ident)
	switch {
	case !ok:
		return ""
	case pkg.Name == "time" && slices.Contains(ambient, sel.Sel.Name):
		return fmt.Sprintf("time.%s: take the time as an argument", sel.Sel.Name)
	case pkg.Name == "slog" && slices.Contains(written, sel.Sel.Name):
		return fmt.Sprintf("slog.%s: return what happened, the caller logs", sel.Sel.Name)
	}
	return ""
}

// decides reports whether dir is a deciding package or below one, test kits excluded.
func decides(dir string) bool {
	if strings.Contains(dir+"/", "test/") {
		return false
	}
	return slices.ContainsFunc(deciding, func(d string) bool { return dir == d || strings.HasPrefix(dir, d+"/") })
}

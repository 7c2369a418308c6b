package styletest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's root as seen from this package's folder.
const root = "../.."

func TestTheTreeFollowsTheHouseRules(t *testing.T) {
	t.Parallel()
	tree, err := ReadTree(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.goFiles()) < 20 {
		t.Fatalf("only %d Go files found below %s: the walk is broken", len(tree.goFiles()), root)
	}
	if tree.hasDir(lambdaCommand) {
		tree.Links = map[string][]string{lambdaCommand: linked(t, lambdaCommand)}
	}
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			for _, f := range sorted(check.Find(tree)) {
				t.Errorf("%s", f)
			}
			if t.Failed() {
				t.Logf("why: %s", check.Why)
			}
		})
	}
}

// linked asks the go command for everything a command's binary contains.
func linked(t *testing.T, command string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./"+command)
	cmd.Dir = filepath.FromSlash(root)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -deps ./%s: %v\n%s", command, err, stderr.String())
	}
	return strings.Fields(string(out))
}

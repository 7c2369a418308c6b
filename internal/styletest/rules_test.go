package styletest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// settings returns the project's own lint settings.
func settings(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(filepath.FromSlash(root), lintSettings))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestEveryImportRuleReportsItsPlantedImports(t *testing.T) {
	t.Parallel()
	content := settings(t)
	rules, err := ReadRules(content)
	if err != nil {
		t.Fatal(err)
	}
	plants := Plants(rules)
	if len(plants) < len(rules) {
		t.Fatalf("%d plants for %d rules", len(plants), len(rules))
	}
	for _, p := range plants {
		tree := NewTree(map[string]string{lintSettings: string(content), p.File: p.Source()})
		reported := slices.ContainsFunc(imports().Find(tree), func(f Finding) bool {
			return f.Path == p.File && strings.Contains(f.Message, p.Reason)
		})
		if !reported {
			t.Errorf("rule %s: %s imports %s and nobody says %q", p.Rule, p.File, p.Import, p.Reason)
		}
	}
}

func TestEveryPackageOfTheLayoutHasAnImportRule(t *testing.T) {
	t.Parallel()
	rules, err := ReadRules(settings(t))
	if err != nil {
		t.Fatal(err)
	}
	layout := []string{
		"clienttoken", "cmd/ringonce", "cmd/ringonce-lambda", "connectemu", "internal/app", "internal/call",
		"internal/cli", "internal/console", "internal/dial", "internal/envelope", "internal/ingress", "internal/ledger",
		"internal/outcome", "internal/rules", "internal/sim", "internal/wake",
	}
	for _, dir := range layout {
		if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Subject == dir }) {
			t.Errorf("%s: no import rule in %s is about it", dir, lintSettings)
		}
	}
}

// complete returns a tree in which every folder exists that rules speak about and that is not planned.
func complete(t *testing.T) map[string]string {
	t.Helper()
	content := settings(t)
	rules, err := ReadRules(content)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{lintSettings: string(content), lambdaCommand + "/main.go": "package main\n"}
	for _, rule := range rules {
		if rule.Subject != "" && planned[rule.Subject] == "" {
			files[rule.Subject+"/a.go"] = "package a\n"
		}
	}
	return files
}

func TestARuleFailsWhenItsFolderIsGone(t *testing.T) {
	t.Parallel()
	files := complete(t)
	if found := subjects().Find(NewTree(files)); len(found) != 0 {
		t.Fatalf("complete tree: got %q, want nothing", found)
	}
	delete(files, "internal/envelope/a.go")
	found := subjects().Find(NewTree(files))
	if len(found) != 1 || found[0].Path != "internal/envelope" || !strings.Contains(found[0].Message, "gone") {
		t.Errorf("got %q, want internal/envelope to be missed", found)
	}
}

func TestAPlannedFolderLeavesThePlanOnceItExists(t *testing.T) {
	t.Parallel()
	files := complete(t)
	dir := slices.Sorted(maps.Keys(planned))[0]
	files[dir+"/a.go"] = "package a\n"
	found := subjects().Find(NewTree(files))
	if len(found) != 1 || found[0].Path != dir || !strings.Contains(found[0].Message, "exists now") {
		t.Errorf("got %q, want %s to be taken out of the plan", found, dir)
	}
}

func TestTheLambdaBinaryIsCheckedForEverythingItLinks(t *testing.T) {
	t.Parallel()
	tree := NewTree(map[string]string{lambdaCommand + "/main.go": "package main\n"})
	if found := lambdaLink().Find(tree); len(found) != 1 || !strings.Contains(found[0].Message, "unknown") {
		t.Errorf("links unknown: got %q, want one finding", found)
	}
	fine := []string{"fmt", "github.com/aws/aws-lambda-go/lambda", Module + "/internal/call"}
	tree.Links = map[string][]string{lambdaCommand: fine}
	if found := lambdaLink().Find(tree); len(found) != 0 {
		t.Errorf("got %q, want nothing", found)
	}
	for _, no := range notInLambda {
		tree.Links[lambdaCommand] = append(slices.Clone(fine), no.prefix+"/lib")
		if found := lambdaLink().Find(tree); len(found) != 1 || !strings.Contains(found[0].Message, no.reason) {
			t.Errorf("links %s: got %q, want %q", no.prefix, found, no.reason)
		}
	}
}

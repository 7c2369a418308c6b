package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// FuzzConfig asks of any text: no panic, and a refusal that names what is wrong, or a configuration whose parts can be made.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{"", "{}", good, mappings, "a: &a [*a]", "? ", "- ", "\t", "%YAML 1.2\n---\n", "a: !!binary x", "<<: *x", "profiles: {a: {}}", "\xff", "a: |\n b", "{" + strings.Repeat("[", 200)} {
		f.Add(text)
	}
	scripts, err := filepath.Glob("../../cmd/ringonce/testdata/script/*.txt")
	if err != nil || len(scripts) == 0 {
		f.Fatal("no scripts with configurations", err)
	}
	for _, script := range scripts {
		content, err := os.ReadFile(script)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(content), "\n-- ") {
			if name, text, found := strings.Cut(part, " --\n"); found && strings.HasSuffix(name, ".yaml") {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := app.Parse("ringonce.yaml", []byte(text))
		if err != nil {
			refusal, ok := errors.AsType[*call.Error](err)
			if !ok || refusal.Code != call.CodeConfiguration || refusal.Message == "" || refusal.Fix == "" || c != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if len(c.CallProfiles()) != len(c.Profiles) {
			t.Errorf("%d profiles of %d", len(c.CallProfiles()), len(c.Profiles))
		}
		if of := c.Mapping(); of != nil {
			for _, p := range c.Producers {
				if m := of(call.SourceSQS, p.ARN); p.Mapping != "" && m == nil {
					t.Errorf("the mapping %q is lost", p.Mapping)
				}
			}
		}
	})
}

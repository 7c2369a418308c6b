package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestAServiceThatNobodyConfiguredSaysHowToBeginAnew: there is no configuration that ledger recover could be told.
func TestAServiceThatNobodyConfiguredSaysHowToBeginAnew(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	env := map[string]string{"HOME": filepath.Join(d.dir, "home"), "XDG_DATA_HOME": filepath.Join(d.dir, "data"), "XDG_STATE_HOME": filepath.Join(d.dir, "state")}
	e := d.environment(d.clock)
	e.LookupEnv = func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
	opens := func() {
		t.Helper()
		phone, config, err := e.embed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = phone.stop() }()
		a, err := e.openWith(t.Context(), config, opening{service: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	opens()
	if err := os.RemoveAll(env["XDG_DATA_HOME"]); err != nil {
		t.Fatal(err)
	}
	_, told := d.runs(ExitEnvironment, env, "serve")
	says(t, told, "went back in time", "No real phone rang here")
	for _, path := range regexp.MustCompile(regexp.QuoteMeta(d.dir)+`[^ ]*[a-z]`).FindAllString(told, -1) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	opens()
}

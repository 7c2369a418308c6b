package sqlite_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

func TestAPowerCutLosesNothingThatWasAnswered(t *testing.T) {
	t.Parallel()
	many := manyCuts()
	losing, hits := cuts(t, many, weakness{}, func(s shape, seed uint64, hit string, lost []string) {
		t.Errorf("%s, seed %d, cut at %s:\n%s", s.name, seed, hit, strings.Join(lost, "\n"))
	})
	if losing > 0 {
		t.Errorf("%d of %d power cuts lost something", losing, many)
	}
	for _, must := range []string{
		"create db", "write db during a checkpoint", "sync db", "create log", "write log", "sync log", "truncate log", "remove log",
		"sync folder ledger", "create witness", "write witness", "sync witness", "sync folder state",
	} {
		if hits[must] == 0 {
			t.Errorf("no cut hit: %s", must)
		}
	}
}

// fewCuts are enough to see that a defect is seen.
const fewCuts = 50

// manyCuts is how many power cuts a run makes: a plain one, one with the tag integration, and a night.
func manyCuts() int {
	switch {
	case os.Getenv("RINGONCE_NIGHT") != "":
		return 20_000
	case integration:
		return 5000
	}
	return 300
}

func TestThePowerCutsNoticeADefect(t *testing.T) {
	t.Parallel()
	for name, weak := range map[string]weakness{
		"synchronous=NORMAL":                     {weaken: (*sqlite.Ledger).Weaken},
		"a disk that does not sync the log":      {ignores: func(name string) bool { return strings.HasSuffix(name, "-wal") }},
		"a disk that does not sync the database": {ignores: func(name string) bool { return strings.HasSuffix(name, ".db") }},
		"a disk that does not sync its folders":  {ignores: func(name string) bool { return name == "/ledger" }},
		"a disk that does not sync the witness":  {ignores: func(name string) bool { return name == witnessFile }, early: true},
		"a disk that syncs nothing":              {ignores: func(string) bool { return true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := map[string]int{}
			losing, _ := cuts(t, fewCuts, weak, func(_ shape, _ uint64, _ string, lost []string) { said[lost[0]]++ })
			t.Logf("%d of %d power cuts lost something", losing, fewCuts)
			for what, times := range said {
				t.Logf("%3d x %s", times, what)
			}
			if losing == 0 {
				t.Error("nobody noticed")
			}
		})
	}
}

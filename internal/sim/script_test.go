package sim_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/sim"
)

var update = flag.Bool("update", false, "write what the transcripts of testdata show into them")

// transcripts returns the files of testdata.
func transcripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	return files
}

// playTranscript lives a transcript in a bubble of its own.
func playTranscript(t *testing.T, s sim.Script, o sim.Options) (played string, w *sim.World) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	o.Dir = filepath.Join(t.TempDir(), "life")
	synctest.Test(t, func(t *testing.T) {
		var err error
		if played, w, err = s.Play(t.Context(), o); err != nil {
			t.Fatalf("%v\n%s", err, played)
		}
	})
	return played, w
}

func readTranscript(t *testing.T, file string) (string, sim.Script) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sim.ParseScript(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return string(text), s
}

// TestEveryTranscriptGoesAsItSays lives each transcript of testdata in both worlds, which must show the same. Those that end with "verdict" have the
// oracle's word too.
func TestEveryTranscriptGoesAsItSays(t *testing.T) {
	for _, file := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, s := readTranscript(t, file)
			for _, world := range []string{sim.Light, sim.Full} {
				if world == sim.Full && s.Setting.Workers > 1 {
					continue // one process opens a SQLite ledger
				}
				s.Setting.World = world
				played, w := playTranscript(t, s, sim.Options{})
				switch {
				case *update && world == sim.Light:
					if err := os.WriteFile(file, []byte(played), 0o600); err != nil {
						t.Fatal(err)
					}
					text = played
				case played != text:
					t.Errorf("in a %s world it goes differently (go test ./internal/sim -run Transcript -update writes it down):\n%s", world, firstDifference(text, played))
				}
				for _, finding := range w.Findings() {
					if !strings.Contains(text, finding) {
						t.Errorf("%s: %s", world, finding)
					}
				}
			}
		})
	}
}

// rule is what a transcript names that it tells: a section of the protocol, or one of its facts.
var rule = regexp.MustCompile(`(?s)^# .*([Ss]ections? \d|F\d).*\nworld `)

// TestEveryTranscriptSaysWhichRuleItTells sees that a transcript says so before its first act, and ends with the oracle's word.
func TestEveryTranscriptSaysWhichRuleItTells(t *testing.T) {
	const least = 30 // of the issue that asked for them
	files := transcripts(t)
	if rule.MatchString("# The process dies.\nworld light\n\ntick 1s\n# Section 5 says so.\n") {
		t.Error("a transcript that begins without a rule is not noticed")
	}
	if len(files) < least {
		t.Errorf("%d transcripts, and there were to be %d", len(files), least)
	}
	for _, file := range files {
		text, s := readTranscript(t, file)
		if !rule.MatchString(text) {
			t.Errorf("%s does not begin with the rule that it tells", file)
		}
		if last := s.Steps[len(s.Steps)-1]; last.Show != "verdict" {
			t.Errorf("%s does not end with the oracle's verdict", file)
		}
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return strings.Join(b[max(0, i-6):i], "\n") + "\nwant: " + a[i] + "\ngot:  " + b[i]
		}
	}
	return "one is longer than the other"
}

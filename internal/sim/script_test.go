package sim_test

import (
	"flag"
	"os"
	"path/filepath"
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

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return strings.Join(b[max(0, i-6):i], "\n") + "\nwant: " + a[i] + "\ngot:  " + b[i]
		}
	}
	return "one is longer than the other"
}

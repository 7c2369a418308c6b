package sim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/sim"
)

// tableRow finds the words in the first column of a table: | `tick` | or | `deliver`, `redeliver` |.
var (
	tableRow  = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|")
	tableWord = regexp.MustCompile("`([a-z-]+)")
)

// firstColumn returns the words of the first column of the tables under a heading, sorted.
func firstColumn(document, heading string) (words []string) {
	_, section, _ := strings.Cut(document, "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range tableRow.FindAllStringSubmatch(section, -1) {
		for _, word := range tableWord.FindAllStringSubmatch(row[1], -1) {
			words = append(words, word[1])
		}
	}
	slices.Sort(words)
	return words
}

func TestTheDocumentListsEveryWordOfATranscript(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "simulation.md"))
	if err != nil {
		t.Fatal(err)
	}
	acts, strikes, shown, switches := sim.Vocabulary()
	for heading, words := range map[string][]string{"Acts": acts, "Strikes": strikes, "Shows": shown, "The setting": switches} {
		if listed := firstColumn(string(text), heading); !slices.Equal(listed, words) {
			t.Errorf("docs/simulation.md, %s, lists\n%q, and there are\n%q", heading, listed, words)
		}
	}
}

func TestAWordThatTheDocumentLacksIsNoticed(t *testing.T) {
	t.Parallel()
	document := "# Title\n\n## Acts\n\n| act | does |\n|---|---|\n| `tick 30s` | waits |\n| `deliver m1`, `redeliver m1` | delivers |\n\n## Strikes\n\n| `crash` | dies |\n"
	if got, want := firstColumn(document, "Acts"), []string{"deliver", "redeliver", "tick"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := firstColumn(document, "Shows"); got != nil {
		t.Errorf("a section that is not there lists %q", got)
	}
}

// TestTheTranscriptsUseEveryAct sees that no verb is without a story, beside those that only a random life does.
func TestTheTranscriptsUseEveryAct(t *testing.T) {
	used := map[string]bool{}
	for _, file := range transcripts(t) {
		_, s := readTranscript(t, file)
		for _, a := range s.Acts() {
			used[a.Verb] = true
		}
	}
	acts, _, _, _ := sim.Vocabulary()
	for _, verb := range acts {
		if !used[verb] && verb != "late" { // it is said of a whole life: every message once more
			t.Errorf("no transcript shows %q", verb)
		}
	}
}

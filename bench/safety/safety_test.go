package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func scenarioOf(t *testing.T, id string) scenario {
	t.Helper()
	for _, s := range scenarios() {
		if s.id == id {
			return s
		}
	}
	t.Fatalf("there is no scenario %s", id)
	return scenario{}
}

func measured(t *testing.T, id string, v variant) measure {
	t.Helper()
	m, err := measureOurs(t.Context(), scenarioOf(t, id), v)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return m
}

// TestRingonceDoesWhatIsWantedInEveryScenario holds the settings for which the README promises G1 to G5.
func TestRingonceDoesWhatIsWantedInEveryScenario(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]variant{
		"A1, token":     {},
		"A1, evidence":  {resend: "evidence"},
		"A1, never":     {resend: "never"},
		"A1', evidence": {reading: connectemu.A1Prime, resend: "evidence"},
		"A1', never":    {reading: connectemu.A1Prime, resend: "never"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range scenarios() {
				if m := measured(t, s.id, v); !m.AsWanted {
					t.Errorf("%s, %s: wanted %s, measured %+v", s.id, s.what, s.wanted, m)
				}
			}
		})
	}
}

func TestARefusalNamesTheField(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"S1", "S2"} {
		for _, d := range measured(t, id, variant{}).Told {
			if !strings.Contains(d.Text, "notificationId") {
				t.Errorf("%s: told %q", id, d.Text)
			}
		}
	}
}

// TestTheOracleSeesASecondRing plants two defects: without a ledger the second worker derives another token; and the default is used where tokens die with contacts.
func TestTheOracleSeesASecondRing(t *testing.T) {
	t.Parallel()
	drifted := variant{none: true, token: func(in call.TokenInput) (string, error) { return "another-recipe-" + in.NotificationID, nil }}
	if m := measured(t, "S9", drifted); m.AsWanted || m.total() != 2 {
		t.Errorf("S9 without a ledger, under a token recipe that changed: %+v", m)
	}
	corner := variant{reading: connectemu.A1Prime} // the telephone forgets a token with its contact, and the token is trusted
	for _, id := range []string{"S3", "S4", "S5", "S11"} {
		if m := measured(t, id, corner); m.AsWanted || m.total() < 2 {
			t.Errorf("%s in the corner that the README names: %+v", id, m)
		}
	}
}

// TestTheOracleSeesALoss plants a defect: without a ledger nobody knows that the number has changed, and the token answers with the first contact.
func TestTheOracleSeesALoss(t *testing.T) {
	t.Parallel()
	if m := measured(t, "S10", variant{none: true}); m.AsWanted || m.Lost != 1 || m.Rings[1] != 0 {
		t.Errorf("without a ledger: %+v", m)
	}
}

const pagePath = "../../docs/safety-score.md"

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(pagePath))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cells returns the first n columns of a table's rows.
func cells(table string, n int) string {
	var out strings.Builder
	for row := range strings.Lines(table) {
		if strings.HasPrefix(row, "| S") {
			out.WriteString(strings.Join(strings.Split(row, " | ")[:n], " | ") + "\n")
		}
	}
	return out.String()
}

func between(t *testing.T, text, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "<!-- "+name+": measured by bench/safety -->\n")
	table, _, closed := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !found || !closed {
		t.Fatalf("docs/safety-score.md has no marks of the table %s", name)
	}
	return table
}

// TestThePageSaysWhatRingonceDoes compares the columns of ringonce in docs/safety-score.md with a run, and the peer's version with the pinned one.
func TestThePageSaysWhatRingonceDoes(t *testing.T) {
	t.Parallel()
	r, err := compare(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	text := page(t)
	if got, want := cells(between(t, text, "score"), 6), cells(r.markdown(), 6); got != want {
		t.Errorf("docs/safety-score.md says\n%s\nmeasured:\n%s", got, want)
	}
	if got, want := cells(between(t, text, "answers"), 2), cells(r.answers(), 2); got != want {
		t.Errorf("docs/safety-score.md says\n%s\ntold:\n%s", got, want)
	}
	if !strings.Contains(text, "`"+peerName+"` "+r.Version+",") {
		t.Errorf("docs/safety-score.md does not name %s %s", peerName, r.Version)
	}
}

package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/replay"
)

func TestEveryVerdictHasItsMeaningAndItsLineInTheManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../docs/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range replay.Verdicts() {
		if verdictMeanings[v] == "" || !strings.Contains(string(manual), "`"+string(v)+"`") {
			t.Errorf("%s means %q; the manual names it: %t", v, verdictMeanings[v], strings.Contains(string(manual), "`"+string(v)+"`"))
		}
	}
	if len(verdictMeanings) != len(replay.Verdicts()) {
		t.Errorf("%d meanings for %d verdicts", len(verdictMeanings), len(replay.Verdicts()))
	}
	reasons := []string{
		call.ReasonNewKey, call.ReasonNoLedger, call.ReasonDue, call.ReasonLostReply, call.ReasonRestored, string(call.CauseWindow),
		string(call.CauseOperator), string(call.CauseRule), string(call.CauseTokenAge), string(call.CauseRepin),
	}
	for _, reason := range reasons {
		if ringReasons[reason] == "" {
			t.Errorf("no words for the reason %s", reason)
		}
	}
}

func TestAPersonConfirmsByTypingTheNumberOfPhoneCalls(t *testing.T) {
	t.Parallel()
	for typed, goesOn := range map[string]bool{"12\n": true, " 12 \r\n": true, "y\n": false, "1\n": false, "120\n": false, "\n": false, "": false, "12": false} {
		var prompt bytes.Buffer
		err := ask(strings.NewReader(typed), &prompt, "12 phone calls would be made", 12)
		if (err == nil) != goesOn || prompt.String() != "12 phone calls would be made. Type 12 to go on: " {
			t.Errorf("typed %q: %v after %q", typed, err, prompt.String())
		}
		if err != nil && exitOf(err) != ExitRefused {
			t.Errorf("ends with %d", exitOf(err))
		}
	}
}

func TestARecordThatWasNotStartedOrWhoseQueueWasNotToldIsNoSuccess(t *testing.T) {
	t.Parallel()
	placed := call.Outcome{Met: call.MetPlaced}
	cases := map[string]struct {
		entry replay.Entry
		want  int
	}{
		"placed":      {replay.Entry{Done: true, Outcome: placed}, ExitOK},
		"not started": {replay.Entry{}, ExitEnvironment},
		"not deleted": {replay.Entry{Done: true, Outcome: placed, Err: errors.New("lost")}, ExitEnvironment},
		"refused":     {replay.Entry{Done: true, Outcome: call.Outcome{Met: call.MetRefused}}, ExitRefused},
		"conflict, not deleted": {
			replay.Entry{Done: true, Outcome: call.Outcome{Met: call.MetConflict}, Err: errors.New("lost")}, ExitConflict,
		},
	}
	for name, c := range cases {
		if got := exitOfEntry(&c.entry); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

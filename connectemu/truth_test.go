package connectemu_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

func TestTheTruthLogHoldsEveryRingAndEveryStart(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, unpaced, func(c *connectemu.Config) {
		c.TruthLog, c.Faults = &log, connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.PlaceThenReset, Nth: 2}}}
	})
	w.mustStart(answers, "one")
	if _, err := w.start(answers, "two"); err == nil {
		t.Error("the second answer was not lost")
	}
	w.mustStart(answers, "one")
	w.server.Reset()
	if err := w.server.EndTruth(); err != nil {
		t.Fatal(err)
	}
	w.mustStart(answers, "after the end")
	truth, err := connectemu.ReadTruth(&log)
	if err != nil || len(truth.Problems) > 0 || !truth.Closed {
		t.Fatalf("got %+v %v", truth, err)
	}
	var kinds []string
	for i, e := range truth.Events {
		kinds = append(kinds, string(e.Kind))
		if e.N != i+1 || e.At.IsZero() {
			t.Errorf("line %d: %+v", i+1, e)
		}
	}
	if got := strings.Join(kinds, " "); got != "begin rang start rang start start reset end" {
		t.Errorf("got %s", got)
	}
	if ring := truth.Events[3].Ring; ring == nil || ring.Number != answers || ring.Token != "two" {
		t.Errorf("the ring whose answer was lost: %+v", ring)
	}
	if start := truth.Events[5].Start; start == nil || start.Outcome != connectemu.OutcomeReplayed || start.Token != "one" || strings.Contains(start.Number, answers) {
		t.Errorf("the repeat: %+v", start)
	}
}

// full is a disk without space.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestATruthLogThatCannotBeWrittenIsToldAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.TruthLog = &full{left: 2} })
	w.mustStart(answers, "one")
	if err := w.server.EndTruth(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	if err := newWorld(t).server.EndTruth(); err != nil {
		t.Errorf("without a log: %v", err)
	}
}

func TestATruthLogThatIsNoneHasProblems(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "another file": "notificationId,recipientId\n", "no line feed": `{"event":{},"hash":"`, "a long line": strings.Repeat("x", 2<<20),
		"an empty event": `{"event":{},"hash":"` + strings.Repeat("0", 64) + "\"}\n",
		"no JSON":        `{"event":x,"hash":"` + strings.Repeat("0", 64) + "\"}\n",
	} {
		truth, err := connectemu.ReadTruth(strings.NewReader(text))
		if err != nil || len(truth.Problems) == 0 || truth.Closed {
			t.Errorf("%s: %+v %v", name, truth, err)
		}
	}
	if _, err := connectemu.ReadTruth(broken{}); err == nil {
		t.Error("an error of the reader is lost")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

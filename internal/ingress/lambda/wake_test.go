package lambda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// sleeper stands in for the core's side of hints.
type sleeper struct {
	met call.Woke
	err error

	mu   sync.Mutex
	seen []string
}

func (s *sleeper) Woken(_ context.Context, id string, due time.Time) (call.Woke, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, id[:3]+" "+due.Format(time.RFC3339Nano))
	return s.met, s.err
}

// hint returns the document of a hint for a row whose id begins with name.
func hint(name string) string {
	return fmt.Sprintf(`{"ringonce":"wake","version":1,"call":"%s%s","due":"2026-11-29T03:00:00.5Z"}`, name, strings.Repeat("A", 43-len(name)))
}

func TestAHintReachesTheCoreAndIsAcknowledgedWhateverItMeets(t *testing.T) {
	t.Parallel()
	for _, met := range []call.Woke{call.WokeMoved, call.WokeIdle, call.WokeEarly, call.WokeUnknown} {
		s := &sleeper{met: met}
		h, log := handlerOn(t, &core{}, func(o *Options) { o.Wakes = s })
		equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(hint("row"))...)))
		report, err := h.Process(t.Context(), []byte(hint("row")))
		if err != nil || !report.Results[0].Acknowledged() || report.Results[0].Outcome.Met != call.MetIgnored {
			t.Errorf("%s: %+v, %v", met, report.Results, err)
		}
		equal(t, "seen", s.seen, "row 2026-11-29T03:00:00.5Z", "row 2026-11-29T03:00:00.5Z")
		if lines := log.all(string(met)); len(lines) != 2 || lines[0].RowID[:3] != "row" || lines[0].Delivery != "m-0" {
			t.Errorf("%s: log lines %+v", met, lines)
		}
		if len(log.entries) != 2 {
			t.Errorf("%s: %d log lines for 2 hints", met, len(log.entries))
		}
	}
}

func TestAHintThatTheLedgerCannotAnswerIsReturned(t *testing.T) {
	t.Parallel()
	for want, broken := range map[call.Code]error{
		call.CodeLedgerUnavailable: errors.New("disk gone"), call.CodeLedgerWentBack: &call.Error{Code: call.CodeLedgerWentBack},
	} {
		s := &sleeper{err: broken}
		h, log := handlerOn(t, &core{}, func(o *Options) { o.Wakes = s })
		equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(hint("row"), hint("raw"))...)), "m-0", "m-1")
		_, err := h.Invoke(t.Context(), []byte(hint("row")))
		if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || failure.Code != want {
			t.Errorf("a direct hint got %v", err)
		}
		if lines := log.all("wake-returned"); len(lines) != 3 || lines[0].Code != want {
			t.Errorf("log lines %+v", lines)
		}
	}
}

func TestWithoutALedgerAHintIsReturned(t *testing.T) {
	t.Parallel()
	h, log := handlerOn(t, &core{mode: call.ModeNone})
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(hint("row"))...)), "m-0")
	if lines := log.all("not-started"); len(lines) != 1 || lines[0].Code != call.CodeNeedsLedger {
		t.Errorf("log lines %+v", lines)
	}
}

func TestWithoutTimeLeftAHintIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		s := &sleeper{met: call.WokeMoved}
		h, _ := handlerOn(t, &core{}, func(o *Options) { o.Wakes = s })
		equal(t, "returned", invoke(short, t, h, queueBatch(t, standardQueue, messages(hint("row"))...)), "m-0")
		equal(t, "seen", s.seen)
	})
}

func TestAHintRunsBesideTheRequestsOfItsBatch(t *testing.T) {
	t.Parallel()
	s := &sleeper{met: call.WokeIdle}
	c := &core{}
	h, _ := handlerOn(t, c, func(o *Options) { o.Wakes = s })
	request := wish(1)
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(hint("row"), request, hint("row"))...)))
	if len(s.seen) != 2 || !slices.Equal(c.started(), []string{"m-1"}) {
		t.Errorf("hints %q, requests %q", s.seen, c.started())
	}
}

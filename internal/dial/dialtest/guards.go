package dialtest

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// guardChecks hold the send rule on the signature: firstSigned <= X-Amz-Date <= the end of the lease.
func guardChecks() []question {
	bounds := []struct {
		name          string
		before, after time.Duration // of the bounds, from now
		sent          bool
	}{
		{"guard/on the first instant", 0, time.Minute, true},
		{"guard/on the last instant", -time.Minute, 0, true},
		{"guard/within", -time.Hour, time.Hour, true},
		{"guard/one second early", time.Second, time.Minute, false},
		{"guard/one nanosecond early", 1, time.Minute, false},
		{"guard/one second late", -time.Minute, -time.Second, false},
		{"guard/one nanosecond late", -time.Minute, -1, false},
		{"guard/bounds that cross", time.Minute, -time.Minute, false},
	}
	var checks []question
	for _, b := range bounds {
		checks = append(checks, question{b.name, func(tb testing.TB, c candidate) {
			tb.Helper()
			checkGuard(tb, c, b.sent, func(s *call.Send, now time.Time) {
				s.NotBefore, s.NotAfter = now.Add(b.before), now.Add(b.after)
			})
		}})
	}
	return append(checks,
		question{"guard/no lower bound", func(tb testing.TB, c candidate) {
			tb.Helper()
			checkGuard(tb, c, false, func(s *call.Send, _ time.Time) { s.NotBefore = time.Time{} })
		}},
		question{"guard/no upper bound", func(tb testing.TB, c candidate) {
			tb.Helper()
			checkGuard(tb, c, false, func(s *call.Send, _ time.Time) { s.NotAfter = time.Time{} })
		}},
		question{"guard/clock stepped back after the intent", func(tb testing.TB, c candidate) {
			tb.Helper()
			lab := newLab(tb, c.kind, nil)
			d := c.open(tb, lab)
			s := lab.send(tb, d, order(tb, c.kind, answering, 1))
			lab.advance(-time.Minute)
			expectGuarded(tb, lab, d.Dial(tb.Context(), s))
		}},
		question{"token/empty", func(tb testing.TB, c candidate) {
			tb.Helper()
			checkToken(tb, c, func(s *call.Send) { s.Token = "" })
		}},
		question{"token/not in the body", func(tb testing.TB, c candidate) {
			tb.Helper()
			checkToken(tb, c, func(s *call.Send) { s.Body = []byte(`{"DestinationPhoneNumber":"` + answering + `"}`) })
		}},
		question{"token/of another call", func(tb testing.TB, c candidate) {
			tb.Helper()
			checkToken(tb, c, func(s *call.Send) { s.Token = "exam-token-0002" })
		}})
}

func checkGuard(tb testing.TB, c candidate, sent bool, bound func(*call.Send, time.Time)) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	bound(&s, lab.Clock.Now())
	got := d.Dial(tb.Context(), s)
	if !sent {
		expectGuarded(tb, lab, got)
		return
	}
	if got.Class != call.ClassOK {
		tb.Errorf("a dial within its bounds: %+v, want ok", got)
	}
	lab.expect(tb, 1, 1)
}

func expectGuarded(tb testing.TB, lab *Lab, got call.Answer) {
	tb.Helper()
	if got.Class != call.ClassNotSent || got.Code != "send_guard" {
		tb.Errorf("a dial outside its bounds: %+v, want not_sent send_guard", got)
	}
	lab.expect(tb, 0, 0)
}

func checkToken(tb testing.TB, c candidate, spoil func(*call.Send)) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	spoil(&s)
	if got := d.Dial(tb.Context(), s); got.Class != call.ClassNotSent || got.Code != call.CodeTokenInvalid {
		tb.Errorf("a dial without its token: %+v, want not_sent token_invalid", got)
	}
	lab.expect(tb, 0, 0)
}

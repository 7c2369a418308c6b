package dialtest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// wireChecks hold what arrives: the stored bytes, the date of the injected clock, one token for one contact.
func wireChecks() []question {
	return []question{
		{"wire/stored bytes", checkStoredBytes},
		{"wire/bytes of another serializer", checkForeignBytes},
		{"wire/date of the injected clock", checkDate},
		{"wire/date against a wrong server clock", checkSkew},
		{"wire/same token twice", checkSameToken},
		{"wire/signature too old", func(tb testing.TB, c candidate) { tb.Helper(); checkStale(tb, c, 6*time.Minute) }},
		{"wire/signature of the future", func(tb testing.TB, c candidate) { tb.Helper(); checkStale(tb, c, -6*time.Minute) }},
		{"wire/many at once", checkMany},
	}
}

// checkStoredBytes resends often: a dialer that serializes again would meet another order of a map in one of them.
func checkStoredBytes(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	const sends = 20
	for range sends {
		if got := d.Dial(tb.Context(), s); got.Class != call.ClassOK {
			tb.Fatalf("dial: %+v", got)
		}
	}
	expectBodies(tb, lab, s.Body, sends)
	lab.expect(tb, 1, sends)
}

// checkForeignBytes sends bytes that no serializer of this version would make.
func checkForeignBytes(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	s.Body = fmt.Appendf(nil, "{ \"ClientToken\" : %q,\n\"InstanceId\":%q,\"ContactFlowId\":%q,%s}", s.Token, instanceID, flowID, map[call.Kind]string{
		call.KindVoice: fmt.Sprintf("\"QueueId\":%q,\"DestinationPhoneNumber\":%q", queueID, answering),
		call.KindChat:  `"ParticipantDetails" : {"DisplayName":"Anna"}`,
		call.KindTask:  `"Name" : "Anna"`,
	}[c.kind])
	if got := d.Dial(tb.Context(), s); got.Class != call.ClassOK {
		tb.Fatalf("dial: %+v", got)
	}
	expectBodies(tb, lab, s.Body, 1)
}

func expectBodies(tb testing.TB, lab *Lab, body []byte, count int) {
	tb.Helper()
	seen := lab.front.requests()
	if len(seen) != count {
		tb.Fatalf("%d wire requests, want %d", len(seen), count)
	}
	for i, w := range seen {
		if !bytes.Equal(w.body, body) {
			tb.Fatalf("request %d carries other bytes than were stored:\n%s\n%s", i, w.body, body)
		}
		if w.method != "PUT" || w.path != path(lab.kind) || w.header.Get("Content-Type") != "application/json" {
			tb.Errorf("request %d is %s %s of type %q", i, w.method, w.path, w.header.Get("Content-Type"))
		}
	}
}

func checkDate(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	for n := range 3 {
		lab.advance(36 * time.Hour)
		if got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, n))); got.Class != call.ClassOK {
			tb.Fatalf("dial %d: %+v", n, got)
		}
		expectDate(tb, lab, n)
	}
}

// checkSkew answers with a Date that is wrong by hours. An SDK learns from it and would date the next signatures by it; the
// emulator, whose clock is right, would refuse those.
func checkSkew(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	for n, skew := range []time.Duration{3 * time.Hour, 3 * time.Hour, -3 * time.Hour, 0} {
		lab.front.misdate(skew)
		if got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, n))); got.Class != call.ClassOK {
			tb.Errorf("dial %d: %+v", n, got)
		}
		expectDate(tb, lab, n)
	}
}

func expectDate(tb testing.TB, lab *Lab, n int) {
	tb.Helper()
	seen := lab.front.requests()
	if len(seen) != n+1 {
		tb.Fatalf("%d wire requests, want %d", len(seen), n+1)
	}
	if got, want := seen[n].header.Get("X-Amz-Date"), lab.Clock.Now().Format("20060102T150405Z"); got != want {
		tb.Errorf("request %d is dated %s, want %s", n, got, want)
	}
}

func checkSameToken(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	first := d.Dial(tb.Context(), s)
	lab.advance(20 * time.Second)
	second := d.Dial(tb.Context(), s)
	if first.Class != call.ClassOK || second.Class != call.ClassOK || first.ContactID != second.ContactID {
		tb.Errorf("the same token twice: %+v, then %+v, want one contact", first, second)
	}
	lab.expect(tb, 1, 2)
}

// checkStale has the far end's clock differ by more than it tolerates.
func checkStale(tb testing.TB, c candidate, ahead time.Duration) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	lab.far.Advance(ahead)
	if got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 1))); got.Class != call.ClassNotSent {
		tb.Errorf("a stale signature: %+v, want not_sent", got)
	}
	lab.expect(tb, 0, 1)
}

// checkMany dials from many goroutines: no attempt may see another's bytes or answer.
func checkMany(tb testing.TB, c candidate) {
	tb.Helper()
	const calls = 24
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	sends := make([]call.Send, calls)
	answers := make([]call.Answer, calls)
	for n := range sends {
		sends[n] = lab.send(tb, d, order(tb, c.kind, answering, n))
	}
	var group sync.WaitGroup
	for n := range sends {
		group.Go(func() { answers[n] = d.Dial(tb.Context(), sends[n]) })
	}
	group.Wait()
	for n, got := range answers {
		contact, ok := lab.emulator.Contact(got.ContactID)
		if got.Class != call.ClassOK || !ok || contact.Token != sends[n].Token {
			tb.Errorf("dial %d got %+v, a contact with token %q", n, got, contact.Token)
		}
	}
	lab.expect(tb, calls, calls)
}

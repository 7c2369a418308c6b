package dialtest

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// lossChecks hold the line between "nothing was sent" and "a phone may ring", and that no loss makes a second request.
func lossChecks() []question {
	return []question{
		{"loss/context ended before", checkEndedBefore},
		{"loss/context ended while waiting", checkEndedWaiting},
		{"loss/context ended while waiting after a call", checkEndedAfterCall},
		{"loss/connection closed on a request", func(tb testing.TB, c candidate) { tb.Helper(); checkClosed(tb, c, false, 0) }},
		{"loss/connection closed after a call", func(tb testing.TB, c candidate) { tb.Helper(); checkClosed(tb, c, true, 1) }},
		{"loss/nobody listens", checkRefused},
		{"loss/certificate of a stranger", checkStranger},
		{"loss/no TLS there", checkPlain},
	}
}

func checkEndedBefore(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	ctx, cancel := context.WithCancel(tb.Context())
	cancel()
	if got := d.Dial(ctx, lab.send(tb, d, order(tb, c.kind, answering, 1))); got.Class != call.ClassNotSent || got.Code != "context_ended" {
		tb.Errorf("a context that had ended: %+v, want not_sent context_ended", got)
	}
	lab.expect(tb, 0, 0)
}

func checkEndedWaiting(tb testing.TB, c candidate) {
	tb.Helper()
	checkEnded(tb, c, answer{hang: true}, 0)
}

func checkEndedAfterCall(tb testing.TB, c candidate) {
	tb.Helper()
	checkEnded(tb, c, answer{hang: true, serve: true}, 1)
}

func checkEnded(tb testing.TB, c candidate, say answer, rings int) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	lab.front.say(say)
	ctx, cancel := context.WithCancel(tb.Context())
	defer cancel()
	s := lab.send(tb, d, order(tb, c.kind, answering, 1))
	answers := make(chan call.Answer, 1)
	go func() { answers <- d.Dial(ctx, s) }()
	await(tb, "the request", func() bool { return lab.front.dealtWith() > 0 || len(answers) > 0 })
	cancel()
	if got := <-answers; got.Class != call.ClassAmbiguous || got.Code != "context_ended" {
		tb.Errorf("a context that ended after writing: %+v, want ambiguous context_ended", got)
	}
	lab.expect(tb, rings, 1)
}

// checkClosed makes a kept connection first, if the dialer keeps any: HTTP clients like to send again what they lost on one.
func checkClosed(tb testing.TB, c candidate, serve bool, rings int) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	for range 2 {
		_, _ = d.Describe(tb.Context(), lab.target(), instanceID) // there is no such contact; the connection is what is wanted
	}
	lab.front.say(answer{closing: true, serve: serve})
	got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 1)))
	if got.Class != call.ClassAmbiguous || got.Code != "connection_lost" {
		tb.Errorf("a connection closed on the request: %+v, want ambiguous connection_lost", got)
	}
	lab.expect(tb, rings, 1)
}

// checkRefused uses a port of its own: one that was just closed may be given to the next server on this machine.
func checkRefused(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	lab.Endpoint = "http://127.0.0.1:1" // tcpmux, which no system starts any more
	expectUnsent(tb, lab, c, "connect_failed")
}

func checkStranger(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	server := httptest.NewUnstartedServer(lab.front)
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	tb.Cleanup(server.Close)
	lab.Endpoint = server.URL
	expectUnsent(tb, lab, c, "tls_failed")
}

func checkPlain(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	lab.Endpoint = strings.Replace(lab.Endpoint, "http:", "https:", 1)
	expectUnsent(tb, lab, c, "tls_failed")
}

func expectUnsent(tb testing.TB, lab *Lab, c candidate, code call.Code) {
	tb.Helper()
	d := c.open(tb, lab)
	if got := d.Dial(tb.Context(), lab.send(tb, d, order(tb, c.kind, answering, 1))); got.Class != call.ClassNotSent || got.Code != code {
		tb.Errorf("no connection: %+v, want not_sent %s", got, code)
	}
	lab.expect(tb, 0, 0)
}

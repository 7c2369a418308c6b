package connectemu_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/connectemu"
)

// ruleFor makes a rule that is complete.
func ruleFor(fault connectemu.Fault) connectemu.Rule {
	rule := connectemu.Rule{Fault: fault}
	switch fault { //nolint:exhaustive // the others need nothing
	case connectemu.PlaceThenDelay, connectemu.Slow, connectemu.ArriveLate:
		rule.Delay = 20 * time.Second
	case connectemu.Refuse:
		rule.Code = connectemu.CodeNotAllowed
	}
	return rule
}

func (w *world) plan(rules ...connectemu.Rule) {
	w.t.Helper()
	if err := w.server.SetPlan(connectemu.Plan{Rules: rules}); err != nil {
		w.t.Fatalf("plan: %v", err)
	}
}

// faultCheck judges what a client was told: a contact id, an error, or neither.
type faultCheck func(t *testing.T, id string, err error)

func tellsStatus(want int) faultCheck {
	return func(t *testing.T, _ string, err error) {
		t.Helper()
		var http interface{ HTTPStatusCode() int }
		if !errors.As(err, &http) || http.HTTPStatusCode() != want {
			t.Errorf("got %v, want HTTP %d", err, want)
		}
	}
}

func tellsCode(want string, status int) faultCheck {
	return func(t *testing.T, _ string, err error) {
		t.Helper()
		wantCode(t, err, want, status)
	}
}

// tellsPage is an answer that is not in the form of the API: the SDK cannot decode it.
func tellsPage(status int) faultCheck {
	return func(t *testing.T, id string, err error) {
		t.Helper()
		tellsBroken(t, id, err)
		tellsStatus(status)(t, id, err)
	}
}

func tellsBroken(t *testing.T, _ string, err error) {
	t.Helper()
	if _, ok := errors.AsType[*smithy.DeserializationError](err); !ok {
		t.Errorf("got %v, want a DeserializationError", err)
	}
}

func tellsReset(t *testing.T, _ string, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a connection reset", err)
	}
}

func tellsNothing(t *testing.T, id string, err error) {
	t.Helper()
	if err != nil || id != "" {
		t.Errorf("got %q %v, want neither an id nor an error", id, err)
	}
}

func tellsCanceled(t *testing.T, _ string, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

// faultChecks has one check per fault.
func faultChecks() map[connectemu.Fault]faultCheck {
	return map[connectemu.Fault]faultCheck{
		connectemu.PlaceThen500:      tellsCode(connectemu.CodeInternal, 500),
		connectemu.PlaceThen502:      tellsPage(502),
		connectemu.PlaceThen503:      tellsCode(connectemu.CodeServiceUnavailable, 503),
		connectemu.PlaceThen504:      tellsPage(504),
		connectemu.PlaceThenReset:    tellsReset,
		connectemu.PlaceThenDelay:    tellsCanceled,
		connectemu.PlaceThenTruncate: tellsBroken,
		connectemu.PlaceThenBraces:   tellsNothing,
		connectemu.PlaceThenEmpty:    tellsNothing,
		connectemu.Refuse:            tellsCode(connectemu.CodeNotAllowed, 403),
		connectemu.Throttle:          tellsCode(connectemu.CodeTooManyRequests, 429),
		connectemu.ThrottleBare:      tellsCode("UnknownError", 429),
		connectemu.Fail500:           tellsCode(connectemu.CodeInternal, 500),
		connectemu.Fail502:           tellsPage(502),
		connectemu.Fail503:           tellsCode(connectemu.CodeServiceUnavailable, 503),
		connectemu.Fail504:           tellsPage(504),
		connectemu.ResetBefore:       tellsReset,
		connectemu.Proxy408:          tellsPage(408),
		connectemu.Proxy413:          tellsPage(413),
		connectemu.Slow:              tellsCanceled,
		connectemu.ArriveLate:        tellsCanceled,
	}
}

// TestEachFault checks what the SDK reports, and by the ring count what really happened.
func TestEachFault(t *testing.T) {
	t.Parallel()
	checks := faultChecks()
	for _, transport := range []string{"socket", "in process"} {
		for _, fault := range connectemu.Faults() {
			t.Run(transport+" "+fault.String(), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				if transport == "in process" {
					w.client = w.newClient(func(o *connect.Options) { o.HTTPClient = &http.Client{Transport: w.server.RoundTripper()} })
				}
				rule := ruleFor(fault)
				rule.Nth = 1
				w.plan(rule)
				ctx := t.Context()
				if rule.Delay > 0 {
					var giveUp context.CancelFunc
					ctx, giveUp = context.WithCancel(ctx)
					defer giveUp()
					go func() {
						w.awaitSleepers(1)
						giveUp()
					}()
				}
				in := input(answers)
				in.ClientToken = aws.String("token")
				out, err := w.client.StartOutboundVoiceContact(ctx, in)
				id := ""
				if out != nil {
					id = aws.ToString(out.ContactId)
				}
				check, ok := checks[fault]
				if !ok {
					t.Fatalf("no check for %s", fault)
				}
				check(t, id, err)
				rings := 0
				if fault.Places() && fault != connectemu.Slow && fault != connectemu.ArriveLate {
					rings = 1
				}
				w.wantRings(rings)
				if fault == connectemu.ArriveLate {
					return // it is still on its way
				}
				w.mustStart(answers, "token") // the second request is not met by the plan
				w.wantRings(1)
			})
		}
	}
}

// awaitSleepers gives other goroutines the processor until n of them wait for the manual clock.
func (w *world) awaitSleepers(n int) {
	const patience = 10_000_000
	for range patience {
		if w.clock.Sleepers() == n {
			return
		}
		runtime.Gosched()
	}
	w.t.Errorf("sleepers: got %d, want %d", w.clock.Sleepers(), n)
}

func TestLateArrivalRingsAfterTheClientHasGone(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault connectemu.Fault
		delay time.Duration
		rings int
	}{
		"arrives late":                      {connectemu.ArriveLate, 20 * time.Second, 1},
		"arrives with a stale signature":    {connectemu.ArriveLate, time.Hour, 0},
		"slow, and dropped with its client": {connectemu.Slow, 20 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newBubble(t)
				w.plan(connectemu.Rule{Fault: tc.fault, Delay: tc.delay})
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					_, err := w.client.StartOutboundVoiceContact(ctx, input(answers))
					done <- err
				}()
				synctest.Wait()
				w.wantRings(0)
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want canceled", err)
				}
				synctest.Wait()
				w.clock.Advance(tc.delay)
				synctest.Wait()
				w.wantRings(tc.rings)
			})
		})
	}
}

// newBubble is a world without a socket, for use inside synctest.Test.
func newBubble(t *testing.T) *world {
	t.Helper()
	return newBubbleWith(t, connectemu.Config{Clock: connectemu.NewManualClock(epoch)})
}

// newBubbleWith is newBubble with a configuration whose clock is a ManualClock.
func newBubbleWith(t *testing.T, config connectemu.Config) *world {
	t.Helper()
	clock, ok := config.Clock.(*connectemu.ManualClock)
	if !ok {
		t.Fatalf("the clock is a %T", config.Clock)
	}
	w := &world{t: t, clock: clock, url: "http://connect.test"}
	server, err := connectemu.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	w.server = server
	w.client = w.newClient(func(o *connect.Options) { o.HTTPClient = &http.Client{Transport: server.RoundTripper()} })
	return w
}

func TestSlowRequestsAreServedWhenTheClientWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, fault := range []connectemu.Fault{connectemu.Slow, connectemu.ArriveLate, connectemu.PlaceThenDelay} {
		w.plan(connectemu.Rule{Fault: fault, Delay: 20 * time.Second})
		done := make(chan error, 1)
		before := w.server.RingCount()
		go func() {
			_, err := w.client.StartOutboundVoiceContact(t.Context(), input(answers))
			done <- err
		}()
		w.awaitSleepers(1)
		if got := w.server.RingCount() - before; (got == 1) != (fault == connectemu.PlaceThenDelay) {
			t.Errorf("%s: %d rings while it waits", fault, got)
		}
		w.clock.Advance(20 * time.Second)
		if err := <-done; err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		w.wantRings(before + 1)
	}
}

func TestCloseWakesWaitingRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(connectemu.Rule{Fault: connectemu.ArriveLate, Delay: time.Hour})
	done := make(chan error, 1)
	go func() {
		_, err := w.client.StartOutboundVoiceContact(t.Context(), input(answers))
		done <- err
	}()
	w.awaitSleepers(1)
	w.server.Close()
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want a closed connection", err)
	}
	w.wantRings(0)
}

func TestPlacedThenRefusedThenPlacedAgainIsOneRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(
		connectemu.Rule{Fault: connectemu.PlaceThenReset, Token: "token", Nth: 1},
		connectemu.Rule{Fault: connectemu.Refuse, Code: connectemu.CodeNotAllowed, Token: "token", Nth: 2},
	)
	_, err := w.start(answers, "token")
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Fatalf("got %v, want a reset", err)
	}
	_, err = w.start(answers, "token")
	wantCode(t, err, connectemu.CodeNotAllowed, http.StatusForbidden)
	if id := w.mustStart(answers, "token"); id != w.server.Rings()[0].ContactID {
		t.Errorf("contact id: got %s", id)
	}
	w.wantRings(1)
}

func TestFaultsOfOtherOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(
		connectemu.Rule{Fault: connectemu.Fail503, Operation: connectemu.OpDescribe, Nth: 1},
		connectemu.Rule{Fault: connectemu.Throttle, Code: connectemu.CodeThrottling, Operation: connectemu.OpSearch},
		connectemu.Rule{Fault: connectemu.PlaceThen500, Operation: connectemu.OpStop},
	)
	id := w.mustStart(answers, "token")
	_, err := w.describe(id)
	wantCode(t, err, connectemu.CodeServiceUnavailable, 503)
	if _, err = w.describe(id); err != nil {
		t.Errorf("second describe: %v", err)
	}
	_, err = w.search(nil)
	wantCode(t, err, connectemu.CodeThrottling, 429)
	_, err = w.client.StopContact(t.Context(), &connect.StopContactInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id),
	})
	wantCode(t, err, connectemu.CodeInternal, 500)
	if contact, _ := w.server.Contact(id); contact.State != connectemu.StateDisconnected {
		t.Errorf("state: got %s, want disconnected: the stop was served before it failed", contact.State)
	}
}

func TestThrottleIs429WhateverItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(connectemu.Rule{Fault: connectemu.Throttle, Code: "SlowDown"})
	_, err := w.start(answers, "token")
	wantCode(t, err, "SlowDown", http.StatusTooManyRequests)
}

func TestSDKRetriesAreVisibleInTheWireLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.plan(connectemu.Rule{Fault: connectemu.PlaceThen500, Nth: 1}, connectemu.Rule{Fault: connectemu.Fail503, Nth: 2})
	retrying := w.newClient(func(o *connect.Options) { o.Retryer = retry.NewStandard() })
	out, err := retrying.StartOutboundVoiceContact(t.Context(), input(answers))
	if err != nil {
		t.Fatal(err)
	}
	w.wantRings(1)
	requests := w.server.Requests()
	if len(requests) != 3 {
		t.Fatalf("requests: got %d, want 3", len(requests))
	}
	for i, want := range []connectemu.Request{
		{Attempt: 1, Status: 500, Outcome: connectemu.OutcomeRang, Fault: "place-then-500 nth=1"},
		{Attempt: 2, Status: 503, Outcome: connectemu.OutcomeDropped, Fault: "fail-503 nth=2"},
		{Attempt: 3, Status: 200, Outcome: connectemu.OutcomeReplayed},
	} {
		got := requests[i]
		if got.Attempt != want.Attempt || got.MaxAttempts != 3 || got.Status != want.Status || got.Outcome != want.Outcome || got.Fault != want.Fault {
			t.Errorf("request %d: got %+v, want %+v", i, got, want)
		}
		if got.Token == "" || got.Token != requests[0].Token || got.Invocation != requests[0].Invocation || got.Invocation == "" {
			t.Errorf("request %d: token %q, invocation %q", i, got.Token, got.Invocation)
		}
		if got.Number != "+81******0001" || got.BodyHash != requests[0].BodyHash || !got.SignedAt.Equal(epoch) {
			t.Errorf("request %d: number %s, hash %s, signed %v", i, got.Number, got.BodyHash, got.SignedAt)
		}
	}
	if requests[0].ContactID != aws.ToString(out.ContactId) {
		t.Errorf("contact id in the log: got %q, want %q", requests[0].ContactID, aws.ToString(out.ContactId))
	}
}

func TestWireLogIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) { c.WireLog = 3 })
	for range 8 {
		w.mustStart(answers, "")
	}
	var seqs []uint64
	for _, q := range w.server.Requests() {
		seqs = append(seqs, q.Seq)
	}
	if len(seqs) != 3 || seqs[0] != 6 || seqs[2] != 8 {
		t.Errorf("kept %v, want 6 7 8", seqs)
	}
}

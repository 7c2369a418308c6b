package lambda

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestOnePoisonRecordIsReturnedAloneAndItsNeighborsRing(t *testing.T) {
	t.Parallel()
	for _, mode := range []call.Mode{call.ModeNone, call.ModeLedger} {
		c := &core{mode: mode}
		h, log := handlerOn(t, c)
		document := queueBatch(t, standardQueue, messages(wish(1), `{"notificationId":`, wish(2))...)
		equal(t, "returned", invoke(t.Context(), t, h, document), "m-1")
		if started := c.started(); len(started) != 2 || slices.Contains(started, "m-1") {
			t.Errorf("%s: placed %q, want m-0 and m-2", mode, started)
		}
		if lines := log.all("unreadable"); len(lines) != 1 || lines[0].Delivery != "m-1" || lines[0].Code != "json_syntax" {
			t.Errorf("%s: logged %+v, want one line for m-1", mode, lines)
		}
	}
}

func TestARecordThatIsNoRequestIsAcknowledgedAndLogged(t *testing.T) {
	t.Parallel()
	c := &core{}
	h, log := handlerOn(t, c)
	alarm := string(busEvent(t, "aws.cloudwatch", "CloudWatch Alarm State Change", `{"alarmName":"a"}`))
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(alarm)...)))
	if lines := log.all("ignored"); len(lines) != 1 || lines[0].Code != "alarm" || len(c.started()) != 0 {
		t.Errorf("logged %+v and placed %q", lines, c.started())
	}
}

func TestNothingIsReturnedForAnEmptyBatch(t *testing.T) {
	t.Parallel()
	for _, document := range []string{`{"Records":[]}`, `[]`} {
		h, log := handlerOn(t, &core{})
		response, err := h.Invoke(t.Context(), []byte(document))
		if err != nil || string(response) != `{"batchItemFailures":[]}` {
			t.Errorf("%s: got %s, %v", document, response, err)
		}
		if len(log.all("ignored")) != 1 {
			t.Errorf("%s: an empty batch left no log line", document)
		}
	}
}

func TestABatchIsPlacedConcurrentlyUpToTheLimit(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			c := &core{place: func(context.Context, call.Delivery) call.Outcome {
				time.Sleep(time.Second)
				return call.Outcome{Met: call.MetPlaced}
			}}
			h, _ := handlerOn(t, c, func(o *Options) { o.Concurrency = limit })
			bodies := make([]string, 30)
			for i := range bodies {
				bodies[i] = wish(i)
			}
			began := time.Now()
			equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(bodies...)...)))
			if took := time.Since(began); c.most != limit || took != time.Duration(30/limit)*time.Second {
				t.Errorf("limit %d: %d at a time, %v", limit, c.most, took)
			}
		})
	}
}

func TestRecordsOfOneKeyKeepTheirOrderWhateverTheConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		durations := []time.Duration{5 * time.Second, time.Second, 3 * time.Second, time.Millisecond}
		c := &core{place: func(_ context.Context, d call.Delivery) call.Outcome {
			time.Sleep(durations[len(d.ID)%len(durations)])
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, _ := handlerOn(t, c)
		var list []message
		for i := range 40 {
			list = append(list, message{id: fmt.Sprintf("k%d-%0*d", i%4, 1+i/4, i), body: wish(i % 4)})
		}
		invoke(t.Context(), t, h, queueBatch(t, standardQueue, list...))
		for key := range 4 {
			var got, want []string
			for _, id := range c.started() {
				if id[:2] == fmt.Sprintf("k%d", key) {
					got = append(got, id)
				}
			}
			for _, m := range list {
				if m.id[:2] == fmt.Sprintf("k%d", key) {
					want = append(want, m.id)
				}
			}
			equal(t, "order of one key", got, want...)
		}
	})
}

func TestWithoutALedgerTwinsShareOneFlightAndItsAnswer(t *testing.T) {
	t.Parallel()
	for _, met := range []call.Situation{call.MetPlaced, call.MetFailed, call.MetUnknown, call.MetRetryLater} {
		c := &core{mode: call.ModeNone, place: func(context.Context, call.Delivery) call.Outcome { return call.Outcome{Met: met} }}
		h, log := handlerOn(t, c)
		report, err := h.Process(t.Context(), queueBatch(t, standardQueue, messages(wish(1), wish(2), wish(1), wish(1))...))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(c.started()); n != 2 {
			t.Errorf("%s: %d flights for two keys", met, n)
		}
		for _, i := range []int{2, 3} {
			out := report.Results[i].Outcome
			if out.Met != met || out.Ack != report.Results[0].Outcome.Ack || !out.Replayed || out.Suppressed != ReasonSameBatch || out.By == "" {
				t.Errorf("%s: twin got %+v", met, out)
			}
		}
		if n := len(log.all("suppressed")); n != 2 {
			t.Errorf("%s: %d log lines for two suppressed deliveries", met, n)
		}
	}
}

func TestWithoutALedgerATwinIsNotRefusedForTheAgeOfItsTwin(t *testing.T) {
	t.Parallel()
	c := &core{mode: call.ModeNone, place: func(_ context.Context, d call.Delivery) call.Outcome {
		if d.ID == "m-0" {
			return call.Outcome{Met: call.MetStale}
		}
		return call.Outcome{Met: call.MetPlaced}
	}}
	h, _ := handlerOn(t, c)
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(wish(1), wish(1))...)), "m-0")
	equal(t, "placed", c.started(), "m-0", "m-1")
}

func TestWithoutALedgerAnotherFingerprintInTheBatchIsAConflict(t *testing.T) {
	t.Parallel()
	c := &core{mode: call.ModeNone}
	h, log := handlerOn(t, c)
	report, err := h.Process(t.Context(), queueBatch(t, standardQueue, messages(wish(1), elsewhere(1), wish(1), elsewhere(1), elsewhere(2))...))
	if err != nil {
		t.Fatal(err)
	}
	var met []string
	for _, result := range report.Results {
		met = append(met, string(result.Outcome.Met))
	}
	equal(t, "situations", met, "placed", "conflict", "placed", "conflict", "placed")
	if got := c.started(); len(got) != 2 || slices.Contains(got, "m-1") || slices.Contains(got, "m-3") {
		t.Errorf("placed %q: a conflict was dialed", got)
	}
	response, err := report.Response()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "returned", failures(t, response), "m-1", "m-3")
	for _, line := range log.all("refused") {
		if line.Code != call.CodeConflict || line.Number.String() != "+44******0001" {
			t.Errorf("logged %+v", line)
		}
	}
}

func TestWithALedgerEveryRecordOfAKeyReachesTheCore(t *testing.T) {
	t.Parallel()
	c := &core{}
	h, _ := handlerOn(t, c)
	invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(wish(1), elsewhere(1), wish(1))...))
	equal(t, "placed", c.started(), "m-0", "m-1", "m-2")
}

func TestACancelIsNoConflictAndKeepsItsPlaceInTheOrder(t *testing.T) {
	t.Parallel()
	cancel := `{"notificationId":"n-1","recipientId":"r-1","action":"cancel"}`
	for _, mode := range []call.Mode{call.ModeNone, call.ModeLedger} {
		c := &core{mode: mode, place: func(_ context.Context, d call.Delivery) call.Outcome {
			if d.Request.Action == call.ActionCancel {
				return call.Outcome{Met: call.MetRefused}
			}
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, _ := handlerOn(t, c)
		invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(cancel, wish(1), cancel)...))
		equal(t, string(mode), c.started(), "m-0", "m-1", "m-2")
	}
}

func TestAMessageThatComesTwiceInOneBatchIsReturnedOnce(t *testing.T) {
	t.Parallel()
	c := &core{mode: call.ModeNone, place: func(context.Context, call.Delivery) call.Outcome { return call.Outcome{Met: call.MetUnknown} }}
	h, _ := handlerOn(t, c)
	twice := message{id: "m-0", body: wish(1)}
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, twice, twice)), "m-0")
}

func TestTheProducerOfADeliveryIsItsQueue(t *testing.T) {
	t.Parallel()
	for want, name := range map[string]func(string) string{
		standardQueue: nil,
		"reminders":   func(arn string) string { return map[string]string{standardQueue: "reminders"}[arn] },
	} {
		var got []call.Delivery
		c := &core{place: func(_ context.Context, d call.Delivery) call.Outcome {
			got = append(got, d)
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, _ := handlerOn(t, c, func(o *Options) { o.Producer = name })
		invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(wish(1))...))
		if len(got) != 1 || got[0].Producer != want || got[0].ReceivedAt.IsZero() || got[0].ReceiveCount != 1 {
			t.Errorf("got %+v, want producer %s", got, want)
		}
	}
}

package transport

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestLambdaRetriesAnAsynchronousEventAfterOneAndTwoMinutes(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Async, SNS, EventBridge, EventBridgeInSNS, Scheduler} {
		retriedTwice(t, form, calm(Options{}), "lambda_dlq")
		retriedTwice(t, form, calm(Options{Destination: true}), "lambda_failure_record")
	}
}

// retriedTwice sees an event fail for good, and its copy where failed events are kept.
func retriedTwice(t *testing.T, form Form, n *Network, flag string) {
	t.Helper()
	publish(t, n, Message{ID: "m", Form: form}, start)
	var document string
	var ended time.Time
	for try, wait := range []time.Duration{0, time.Minute, 2 * time.Minute} {
		d, now := mustNext(t, n)
		if try > 0 && now.Sub(ended) != wait {
			t.Errorf("%s: retry %d after %v", form, try, now.Sub(ended))
		}
		if try > 0 && string(d.Document) != document {
			t.Errorf("%s: a retry has another document", form)
		}
		document, ended = string(d.Document), now.Add(time.Second)
		answer(t, n, d, refusal(d), now)
	}
	if state(t, n, "m") != StateDeadLetter {
		t.Fatalf("%s: %v", form, n.Statuses())
	}
	dead, err := n.Force(ended.Add(time.Hour), "m")
	if err != nil {
		t.Fatal(err)
	}
	if r := only(t, dead, ended.Add(time.Hour)); !slices.Contains(r.Flags, flag) {
		t.Errorf("%s: %v", form, r.Flags)
	}
	answer(t, n, dead, refusal(dead), ended.Add(time.Hour))
	redriven(t, n, dead, ended.Add(2*time.Hour))
}

func TestAnEventThatIsThrottledForSixHoursIsGivenUp(t *testing.T) {
	t.Parallel()
	gave, came := 0, 0
	for seed := range uint64(100) {
		n := New(seeded(seed), cutOff)
		publish(t, n, Message{ID: "m", Form: Async}, start)
		n.SetProfile(Profile{})
		for at, waiting := n.Next(); waiting; at, waiting = n.Next() {
			d, ok := n.Take(at)
			switch {
			case ok:
				came++
				if at.Sub(start) > 6*time.Hour {
					t.Errorf("seed %d: invoked after %v", seed, at.Sub(start))
				}
				answer(t, n, d, Response{}, at)
				continue
			case state(t, n, "m") != StateDeadLetter:
				continue
			case at.Sub(start) > 6*time.Hour+time.Second:
				t.Errorf("seed %d: given up after %v", seed, at.Sub(start))
			}
			gave++
			break
		}
	}
	if gave == 0 || came == 0 {
		t.Errorf("%d given up, %d invoked", gave, came)
	}
}

func TestLambdaMayInvokeAnEventAgainAlthoughTheFunctionAnswered(t *testing.T) {
	t.Parallel()
	n := calm(Options{Profile: Profile{Duplicate: 1}})
	publish(t, n, Message{ID: "m", Form: Async}, start)
	d, now := mustNext(t, n)
	answer(t, n, d, Response{}, now)
	again, now := mustNext(t, n)
	if again.Records[0].Cause != CauseDuplicate || string(again.Document) != string(d.Document) || again.Records[0].Hops.RequestID != d.Records[0].Hops.RequestID {
		t.Errorf("%+v", again.Records[0])
	}
	answer(t, n, again, Response{}, now)
	if _, _, more := next(n); more {
		t.Error("invoked three times")
	}
}

func TestACallerTriesAFewTimesAndGivesUp(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{Direct, HTTP, API, StepFunctions} {
		n := calm(Options{ClientTries: 3})
		publish(t, n, Message{ID: "m", Form: form}, start)
		requests := map[string]bool{}
		for d, now, more := next(n); more; d, now, more = next(n) {
			requests[d.Records[0].Hops.RequestID] = true
			answer(t, n, d, refusal(d), now)
		}
		if len(requests) != 3 || state(t, n, "m") != StateExpired {
			t.Errorf("%s: %d tries, %v", form, len(requests), n.Statuses())
		}
	}
}

func TestAClientKeepsItsKeyAndTriesAgainByStatus(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]State{
		`{"statusCode":202}`: StateDone, `{"statusCode":200,"body":"{}"}`: StateDone, `{"state":"placed"}`: StateDone, ``: StateDone,
		`{"statusCode":503}`: StateQueued, `{"statusCode":429}`: StateQueued, `{"statusCode":409}`: StateQueued,
		`{"statusCode":422}`: StateExpired, `{"statusCode":401}`: StateExpired,
	} {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: HTTP, Key: "key-1"}, start)
		d, now := mustNext(t, n)
		ruling := answer(t, n, d, Response{Body: []byte(body)}, now)
		if got := state(t, n, "m"); got != want || ruling.Acknowledged[0] != (want == StateDone) {
			t.Errorf("%s: %s, %+v", body, got, ruling)
		}
		if want != StateQueued {
			continue
		}
		again, now := mustNext(t, n)
		one, two := only(t, d, now), only(t, again, now)
		if one.Identity.Origin != "key-1" || two.Identity.Origin != "key-1" || one.Identity.Delivery == two.Identity.Delivery {
			t.Errorf("%+v, then %+v", one.Identity, two.Identity)
		}
	}
}

func TestAnAnswerAfterTheDeadlineOrASecondOneIsNone(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := calm(Options{Timeout: 10 * time.Second})
		publish(t, n, Message{ID: "m", Form: form}, start)
		d, now := mustNext(t, n)
		ruling, err := n.Answer(d.ID, Response{}, now.Add(d.Deadline+1))
		if err != nil || ruling.Acknowledged[0] || ruling.Failed != failedTimeout || state(t, n, "m") == StateDone {
			t.Errorf("%s: %+v, %v", form, ruling, err)
		}
		if _, err := n.Answer(d.ID, Response{}, now.Add(time.Minute)); !errors.Is(err, errNoFlight) {
			t.Errorf("%s: answered twice: %v", form, err)
		}
	}
}

func TestAShortDeadlineAndALostResponseLookLikeAFailureToTheSource(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := calm(Options{Profile: Profile{LoseResponse: 1, Timeout: 1}})
		publish(t, n, Message{ID: "m", Form: form}, start)
		d, now := mustNext(t, n)
		if d.Deadline >= time.Minute || d.Deadline <= 0 {
			t.Errorf("%s: deadline %v", form, d.Deadline)
		}
		ruling, err := n.Answer(d.ID, Response{}, now)
		if err != nil || ruling.Acknowledged[0] || ruling.Failed != failedLost {
			t.Errorf("%s: %+v, %v", form, ruling, err)
		}
		n.SetProfile(Profile{})
		again, now := mustNext(t, n)
		if answer(t, n, again, Response{}, now); again.Deadline != time.Minute || state(t, n, "m") != StateDone {
			t.Errorf("%s: %v", form, n.Statuses())
		}
	}
}

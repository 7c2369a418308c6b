package transport

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// cutOffFrom makes the target of every service unreachable from the next publish on.
var cutOff = Options{Profile: Profile{Unreachable: 1}}

func TestSNSTriesInFourPhasesForTwentyThreeDays(t *testing.T) {
	t.Parallel()
	const tries = 40
	var age time.Duration
	var ages []time.Duration
	for failed := 1; ; failed++ {
		gap, more := topicRetry(failed, tries)
		if !more {
			break
		}
		age += gap
		ages = append(ages, age)
	}
	if len(ages) != 15+tries {
		t.Fatalf("%d retries", len(ages))
	}
	if first := ages[:5]; !slices.Equal(first, []time.Duration{0, 0, 0, time.Second, 2 * time.Second}) {
		t.Errorf("the first retries are at %v", first)
	}
	if gap := ages[14] - ages[13]; gap != 20*time.Second {
		t.Errorf("the last gap of the backoff is %v", gap)
	}
	if gap := ages[15] - ages[14]; gap != 20*time.Second {
		t.Errorf("the first gap after the backoff is %v", gap)
	}
	if last := ages[len(ages)-1]; last < 23*day || last > 24*day {
		t.Errorf("the last try is after %v", last)
	}
}

// unreachable publishes until a message's target stays away for longer than its service tries, and returns the time of giving up.
func unreachable(t *testing.T, form Form, o Options) (*Network, time.Time) {
	t.Helper()
	for seed := range uint64(500) {
		n := New(seeded(seed), o)
		publish(t, n, Message{ID: "m", Form: form}, start)
		n.SetProfile(Profile{})
		for at, waiting := n.Next(); waiting && state(t, n, "m") == StateTraveling; at, waiting = n.Next() {
			if _, ok := n.Take(at); ok {
				break
			}
			if s := state(t, n, "m"); s == StateDeadLetter || s == StateExpired {
				return n, at
			}
		}
	}
	t.Fatalf("%s: the target of the service always came back in time", form)
	return nil, time.Time{}
}

func TestAServiceGivesUpAtTheEndOfItsHorizonAndFillsItsDeadLetterQueue(t *testing.T) {
	t.Parallel()
	for form, want := range map[Form]struct {
		least, most time.Duration
		flag        string
	}{
		SNS:              {23 * day, 24 * day, ""},
		SNSInSQS:         {23 * day, 24 * day, ""},
		SNSRawInSQS:      {23 * day, 24 * day, ""},
		EventBridge:      {20 * time.Hour, 24*time.Hour + time.Second, "eventbridge_dlq"},
		EventBridgeInSQS: {20 * time.Hour, 24*time.Hour + time.Second, "eventbridge_dlq"},
		Scheduler:        {20 * time.Hour, 24*time.Hour + time.Second, "scheduler_dlq"},
		SchedulerInSQS:   {20 * time.Hour, 24*time.Hour + time.Second, "scheduler_dlq"},
	} {
		n, end := unreachable(t, form, cutOff)
		if age := end.Sub(start); age < want.least || age > want.most {
			t.Errorf("%s: gave up after %v", form, age)
		}
		dead, err := n.Force(end.Add(time.Minute), "m")
		if err != nil {
			t.Fatal(err)
		}
		r := only(t, dead, end.Add(time.Minute))
		if (want.flag != "") != slices.Contains(r.Flags, want.flag) || r.DeadLetterOf != "" || !strings.HasSuffix(r.SourceARN, ":given-up") {
			t.Errorf("%s: %v from %s of %s", form, r.Flags, r.SourceARN, r.DeadLetterOf)
		}
		sent := dead.Records[0].Hops.Sent
		if !sent.Equal(end.Truncate(time.Millisecond)) {
			t.Errorf("%s: SentTimestamp %v is not the time of giving up, %v", form, sent, end)
		}
		if form != SNSRawInSQS && r.FirstRequestedEnvelopeOnly.At.Sub(start) > time.Second {
			t.Errorf("%s: the copy has lost the age of the request: %v", form, r.FirstRequestedEnvelopeOnly)
		}
		answer(t, n, dead, refusal(dead), end.Add(time.Minute))
		redriven(t, n, dead, end.Add(2*day))

		if n, _ := unreachable(t, form, Options{NoDeadLetters: true, Profile: cutOff.Profile}); state(t, n, "m") != StateExpired {
			t.Errorf("%s: %v without a dead-letter queue", form, n.Statuses())
		}
	}
}

func TestATargetThatComesBackGetsTheSameIdsAndTimes(t *testing.T) {
	t.Parallel()
	late := 0
	for seed := range uint64(60) {
		for _, form := range []Form{SNS, EventBridge, EventBridgeInSNSInSQS, Scheduler} {
			n := New(seeded(seed), cutOff)
			publish(t, n, Message{ID: "m", Form: form}, start)
			n.SetProfile(Profile{})
			d, now, ok := next(n)
			if !ok || state(t, n, "m") == StateDeadLetter {
				continue
			}
			r := only(t, d, now)
			if now.Sub(start) > time.Hour {
				late++
			}
			if at := r.FirstRequestedEnvelopeOnly.At; form != Scheduler && at.Sub(start).Abs() > time.Second {
				t.Errorf("%s: delivered after %v, dated %v", form, now.Sub(start), at)
			}
		}
	}
	if late < 10 {
		t.Errorf("only %d came after an hour: the test proves little", late)
	}
}

func TestARuleMayFireTwiceWithOneIdAndASchedulesAttemptsNeverShareOne(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{EventBridge, EventBridgeInSQS, SNS, SNSInSQS, Scheduler} {
		n := New(seeded(3), Options{Profile: Profile{Duplicate: 1}, BatchSize: 1})
		publish(t, n, Message{ID: "m", Form: form}, start)
		n.SetProfile(Profile{})
		a, now := mustNext(t, n)
		answer(t, n, a, Response{}, now)
		b, now := mustNext(t, n)
		answer(t, n, b, Response{}, now)
		x, y := a.Records[0], b.Records[0]
		switch {
		case x.Copy == y.Copy, x.Cause == y.Cause:
			t.Errorf("%s: %+v and %+v", form, x, y)
		case x.Hops.EventID != y.Hops.EventID, x.Hops.TopicID != y.Hops.TopicID, !x.Hops.TopicTime.Equal(y.Hops.TopicTime):
			t.Errorf("%s: fired as %+v and %+v", form, x.Hops, y.Hops)
		case form == Scheduler && x.Hops.Execution == y.Hops.Execution:
			t.Errorf("two attempts share the execution %s", x.Hops.Execution)
		}
		if _, _, more := next(n); more {
			t.Errorf("%s: fired three times", form)
		}
	}
}

func TestEveryAttemptOfAScheduleHasItsOwnExecution(t *testing.T) {
	t.Parallel()
	n := New(seeded(3), cutOff)
	publish(t, n, Message{ID: "m", Form: Scheduler}, start)
	n.SetProfile(Profile{})
	executions := map[string]bool{}
	attempts := 0
	for at, waiting := n.Next(); waiting && state(t, n, "m") == StateTraveling; at, waiting = n.Next() {
		n.Take(at)
		executions[n.Of("m")[0].Hops.Execution] = true
		attempts++
	}
	if attempts < 3 || len(executions) != attempts {
		t.Errorf("%d executions in %d attempts", len(executions), attempts)
	}
}

func TestAReplayKeepsTheTimeIsNamedAndHasTheIdOrANewOne(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{EventBridge, EventBridgeInSQS, EventBridgeInSNS, EventBridgeInSNSInSQS} {
		kept := map[bool]int{}
		for seed := range uint64(20) {
			n := New(seeded(seed), Options{})
			publish(t, n, Message{ID: "m", Form: form}, start)
			d, now := mustNext(t, n)
			answer(t, n, d, Response{}, now)
			if err := n.Replay("m", start.Add(200*day)); err != nil {
				t.Fatal(err)
			}
			again, now := mustNext(t, n)
			r, before := only(t, again, now), d.Records[0].Hops
			if again.Records[0].Cause != CauseReplay || r.Delivery.Replay == "" || !slices.Contains(r.Flags, "eventbridge_replay") {
				t.Errorf("%s: %+v, %v", form, again.Records[0], r.Flags)
			}
			if at := r.FirstRequestedEnvelopeOnly.At; !at.Equal(before.EventTime) || !at.Equal(start.Truncate(time.Second)) {
				t.Errorf("%s: dated %v", form, at)
			}
			if before.TopicID != "" && again.Records[0].Hops.TopicID == before.TopicID {
				t.Errorf("%s: the replay went through SNS under its old id", form)
			}
			kept[again.Records[0].Hops.EventID == before.EventID]++
		}
		if kept[true] == 0 || kept[false] == 0 {
			t.Errorf("%s: the id stays %d times and is new %d times", form, kept[true], kept[false])
		}
	}
	n := calm(Options{})
	publish(t, n, Message{ID: "m", Form: SNS}, start)
	if n.Replay("m", start) == nil {
		t.Error("replayed what no archive holds")
	}
}

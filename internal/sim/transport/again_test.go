package transport

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestAnAcknowledgedMessageComesAgainByTheWayThatIsPossibleThen(t *testing.T) {
	t.Parallel()
	latest := time.Duration(0)
	causes := map[string]int{}
	for _, form := range Forms() {
		for seed := range uint64(80) {
			n := New(seeded(seed), Options{Profile: Profile{Late: 1}})
			publish(t, n, Message{ID: "m", Form: form}, start)
			d, now := mustNext(t, n)
			answer(t, n, d, Response{}, now)
			n.SetProfile(Profile{})
			again, came := mustNext(t, n)
			r := only(t, again, came)
			age, cause := came.Sub(start), again.Records[0].Cause
			latest = max(latest, age)
			causes[fmt.Sprint(form, " ", cause)]++
			switch same := d.Records[0].Hops; {
			case age < 59*time.Minute || age > 401*day:
				t.Errorf("%s: again after %v", form, age)
			case cause == CauseLate && form.Way() == WaySQS && (age > 14*day || again.Records[0].Hops != same || again.Records[0].Received != 2):
				t.Errorf("%s: %v later as %+v", form, age, again.Records[0])
			case cause == CauseLate && form.Way().stream() && (age > day+time.Minute || again.Records[0].Hops != same):
				t.Errorf("%s: %v later as %+v", form, age, again.Records[0])
			case cause == CauseReplay && r.Delivery.Replay == "":
				t.Errorf("%s: a replay that says nothing", form)
			case cause == CauseRepublish && same.Sent.Equal(again.Records[0].Hops.Sent) && !same.Sent.IsZero():
				t.Errorf("%s: sent again with the old %v", form, same.Sent)
			}
			answer(t, n, again, Response{}, came)
			if _, _, more := next(n); more {
				t.Errorf("%s: comes a third time", form)
			}
		}
	}
	if latest < 300*day {
		t.Errorf("the latest came after %v", latest)
	}
	for _, want := range []string{
		"sqs late", "sqs republish", "sqs-fifo republish", "eventbridge replay", "eventbridge-in-sqs late", "eventbridge-in-sqs replay", "sns republish",
		"kinesis late", "kinesis republish", "async republish", "http republish",
	} {
		if causes[want] == 0 {
			t.Errorf("never seen: %s in %v", want, causes)
		}
	}
}

func TestAProducerThatHeardNothingSendsAgainUnderNewIds(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := New(seeded(1), Options{Profile: Profile{Republish: 1}, BatchSize: 1})
		publish(t, n, Message{ID: "m", Form: form}, start)
		ids := map[Hops]Cause{}
		for d, now, more := next(n); more; d, now, more = next(n) {
			ids[d.Records[0].Hops] = d.Records[0].Cause
			answer(t, n, d, Response{}, now)
		}
		if len(ids) != 2 || n.Counts().Republished != 1 {
			t.Errorf("%s: %v", form, ids)
		}
	}
}

func TestAfterCalmNothingIsPlannedAndEverythingSettles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		n := New(seeded(seed), Options{Profile: Profile{Duplicate: 0.5, Late: 1, Republish: 1, Reorder: 0.5, LoseResponse: 0.5, Timeout: 0.5, Unreachable: 0.5}})
		for i, form := range Forms() {
			publish(t, n, Message{ID: fmt.Sprint("m", i), Form: form}, start)
		}
		for range 20 {
			d, now, more := next(n)
			if !more {
				break
			}
			answer(t, n, d, Response{}, now)
		}
		n.Calm()
		var last time.Time
		for d, now, more := next(n); more; d, now, more = next(n) {
			last = now
			answer(t, n, d, Response{}, now)
		}
		if alive := n.Alive(); last.Sub(start) > 25*day {
			t.Errorf("seed %d: settled after %v: %v", seed, last.Sub(start), alive)
		}
		for _, s := range n.Statuses() {
			if !s.State.Final() && s.State != StateDeadLetter {
				t.Errorf("seed %d: %v", seed, s)
			}
		}
	}
}

func TestSwarmsTogetherReachEveryCauseAndState(t *testing.T) {
	t.Parallel()
	causes, states, ways := map[Cause]bool{}, map[State]bool{}, map[Way]bool{}
	var all Counts
	for seed := range uint64(40) {
		rng := seeded(seed)
		n := New(rng, Options{MaxReceive: 3, Profile: Swarm(rng)})
		for i, form := range Forms() {
			publish(t, n, Message{ID: fmt.Sprint("m", i), Form: form, Dedup: "same"}, start)
		}
		if err := n.Republish("m1", start.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		for d, now, more := next(n); more; d, now, more = next(n) {
			ways[d.Way] = true
			for _, r := range d.Records {
				causes[r.Cause] = true
			}
			for _, s := range n.Statuses() {
				states[s.State] = true
			}
			response := Response{}
			if rng.IntN(2) == 0 {
				response.Crashed = true
			}
			answer(t, n, d, response, now)
			if rng.IntN(30) == 0 {
				n.Redrive(now.Add(time.Second))
			}
		}
		for _, s := range n.Statuses() {
			states[s.State] = true
		}
		c := n.Counts()
		all.Duplicates, all.Late, all.Replays, all.LostResponses = all.Duplicates+c.Duplicates, all.Late+c.Late, all.Replays+c.Replays, all.LostResponses+c.LostResponses
		all.ShortDeadlines, all.Unreachable, all.DeadLetters = all.ShortDeadlines+c.ShortDeadlines, all.Unreachable+c.Unreachable, all.DeadLetters+c.DeadLetters
	}
	for _, c := range []Cause{CauseFirst, CauseRetry, CauseDuplicate, CauseLate, CauseReplay, CauseRepublish, CauseRedrive} {
		if !causes[c] {
			t.Errorf("no record is %s", c)
		}
	}
	for _, s := range []State{StatePlanned, StateTraveling, StateQueued, StateInFlight, StateDeadLetter, StateDone, StateExpired, StateSwallowed} {
		if !states[s] {
			t.Errorf("no copy is %s", s)
		}
	}
	if len(ways) != 7 || min(all.Duplicates, all.Late, all.Replays, all.LostResponses, all.ShortDeadlines, all.Unreachable, all.DeadLetters) == 0 {
		t.Errorf("%v, %+v", ways, all)
	}
}

func TestForceDeliversWhateverTheScheduleSays(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := New(seeded(5), Options{Profile: Profile{Unreachable: 1}})
		publish(t, n, Message{ID: "m", Form: form}, start)
		n.SetProfile(Profile{})
		first := force(t, n, start, "m") // it travels
		second := force(t, n, start.Add(time.Second), "m")
		if first.Records[0].Cause != CauseFirst || second.Records[0].Cause != CauseRetry || second.Records[0].Copy != 0 {
			t.Errorf("%s: in flight twice as %+v and %+v", form, first.Records, second.Records)
		}
		// The later flight decides, unless the earlier one acknowledges.
		if ruling := answer(t, n, first, refusal(first), start.Add(2*time.Second)); ruling.Acknowledged[0] || state(t, n, "m") != StateInFlight {
			t.Errorf("%s: %v", form, n.Statuses())
		}
		if answer(t, n, second, Response{}, start.Add(3*time.Second)); state(t, n, "m") != StateDone {
			t.Errorf("%s: %v", form, n.Statuses())
		}
		again := force(t, n, start.Add(time.Hour), "m") // it is done
		if r := again.Records[0]; r.Cause != CauseForced || r.Copy != 1 || form.Way() == WaySQS && r.Received != 3 {
			t.Errorf("%s: forced as %+v", form, r)
		}
		if r := only(t, again, start.Add(time.Hour)); form.Way() != WayHTTP && form != SNSRawInSQS && r.Identity.Delivery != only(t, second, start.Add(time.Hour)).Identity.Delivery {
			t.Errorf("%s: forced under another id", form)
		}
		answer(t, n, again, Response{}, start.Add(time.Hour))
		if _, _, more := next(n); more {
			t.Errorf("%s: something is left: %v", form, n.Statuses())
		}
	}
}

func force(t *testing.T, n *Network, now time.Time, ids ...string) Delivery {
	t.Helper()
	d, err := n.Force(now, ids...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnEarlierFlightThatAcknowledgesEndsTheLaterOne(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := calm(Options{})
		publish(t, n, Message{ID: "m", Form: form}, start)
		first := force(t, n, start, "m")
		second := force(t, n, start, "m")
		answer(t, n, first, Response{}, start)
		answer(t, n, second, refusal(second), start)
		if _, _, more := next(n); more || state(t, n, "m") != StateDone {
			t.Errorf("%s: %v", form, n.Statuses())
		}
	}
}

func TestTwoAcknowledgmentsOfOneCopyAreOne(t *testing.T) {
	t.Parallel()
	for _, form := range Forms() {
		n := calm(Options{Profile: Profile{Late: 1}})
		publish(t, n, Message{ID: "m", Form: form}, start)
		first, second := force(t, n, start, "m"), force(t, n, start, "m")
		answer(t, n, first, Response{}, start)
		answer(t, n, second, Response{}, start)
		if copies := n.Of("m"); len(copies) != 2 || copies[1].State != StatePlanned {
			t.Errorf("%s: %v", form, copies)
		}
	}
}

func TestWhatCannotBeForcedIsRefused(t *testing.T) {
	t.Parallel()
	n := calm(Options{ClientTries: 1})
	for _, form := range Forms() {
		publish(t, n, Message{ID: string(form), Form: form}, start)
	}
	for _, c := range []struct {
		ids  []string
		want error
	}{
		{nil, errForceNothing},
		{[]string{"nobody"}, errUnknown},
		{[]string{"sqs", "sqs"}, errForceMixed},
		{[]string{"sqs", "sqs-fifo"}, errForceMixed},
		{[]string{"kinesis", "dynamodb"}, errForceMixed},
		{[]string{"http", "http"}, errForceMixed},
		{[]string{"async", "eventbridge"}, errForceMixed},
	} {
		if _, err := n.Force(start, c.ids...); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.ids, err)
		}
	}
	if d := force(t, n, start, "sqs", "eventbridge-in-sqs", "scheduler-in-sqs"); len(read(t, d, start)) != 3 {
		t.Error("three messages of one queue are no batch")
	}
	d := force(t, n, start, "http")
	answer(t, n, d, refusal(d), start)
	if state(t, n, "http") != StateExpired || len(force(t, n, start.Add(time.Hour), "http").Records) != 1 {
		t.Error("a request that was given up cannot be sent once more")
	}
}

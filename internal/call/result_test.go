package call

import (
	"testing"
	"time"
)

func TestEachClassIsDueAsItsKindOfFailureAsks(t *testing.T) {
	t.Parallel()
	now := noon.Add(10 * time.Second)
	token, evidence, never := Profile{Resend: ResendToken}, Profile{Resend: ResendEvidence, LongestCall: time.Hour}, Profile{Resend: ResendNever}
	tries := func(n int) func(*Call) { return func(c *Call) { c.AttemptCount, c.Retries = n, n-1 } }
	lease := settled - 10*time.Second // from now to the instant at which the attempt is settled
	for _, tc := range []struct {
		name   string
		c      Call
		answer Answer
		p      Profile
		spread float64
		want   time.Duration // after now; -1 for none
	}{
		{"accepted", at(Dialing), Answer{Class: ClassOK, ContactID: "c"}, token, 0, -1},
		{"lost, first attempt: at once", at(Dialing), Answer{Class: ClassAmbiguous}, token, 0, 0},
		{"lost, second attempt", at(Dialing, tries(2)), Answer{Class: ClassAmbiguous}, token, 0, 2 * time.Second},
		{"lost, fourth attempt", at(Dialing, tries(4)), Answer{Class: ClassAmbiguous}, token, 0, 8 * time.Second},
		{"lost, hundredth attempt", at(Dialing, tries(100)), Answer{Class: ClassAmbiguous}, token, 0, 10 * time.Minute},
		{"lost, evidence", at(Dialing), Answer{Class: ClassAmbiguous}, evidence, 0, lease + time.Hour},
		{"lost, never", at(Dialing), Answer{Class: ClassAmbiguous}, never, 0, lease + 1},
		{"rate", at(Dialing), Answer{Class: ClassThrottled}, token, 0, time.Second},
		{"rate, spread", at(Dialing), Answer{Class: ClassThrottled}, token, 0.5, 1125 * time.Millisecond},
		{"rate, third in a row", at(Dialing, tries(3)), Answer{Class: ClassThrottled}, token, 0, 4 * time.Second},
		{"rate, many", at(Dialing, tries(50)), Answer{Class: ClassThrottled}, token, 0, time.Minute},
		{"rate, as the service wishes", at(Dialing), Answer{Class: ClassThrottled, RetryAfter: 7 * time.Second}, token, 0, 7 * time.Second},
		{"a wish of years", at(Dialing), Answer{Class: ClassThrottled, RetryAfter: 24 * 365 * time.Hour}, token, 0, time.Hour},
		{"concurrency", at(Dialing), Answer{Class: ClassThrottled, Capacity: true}, token, 0, 30 * time.Second},
		{"not sent", at(Dialing), Answer{Class: ClassNotSent}, token, 0, time.Second},
		{"not sent, many", at(Dialing, tries(50)), Answer{Class: ClassNotSent}, token, 0, 5 * time.Minute},
		{"setup", at(Dialing), Answer{Class: ClassRefusedSetup}, token, 0, time.Minute},
		{"setup, many", at(Dialing, tries(50)), Answer{Class: ClassRefusedSetup}, token, 0, 15 * time.Minute},
		{"refused: due only while another attempt is open", at(Dialing), Answer{Class: ClassRefusedRequest}, token, 0, lease + 1},
		{"accepted without a contact id is a lost answer", at(Dialing), Answer{Class: ClassOK}, never, 0, lease + 1},
		{"no class is a lost answer", at(Dialing), Answer{}, never, 0, lease + 1},
		{"an unknown class is a lost answer", at(Dialing), Answer{Class: "better"}, never, 0, lease + 1},
	} {
		event := Result(tc.c, "a1", tc.answer, tc.p, now, tc.spread)
		got := event.Due.Sub(now)
		if event.Due.IsZero() {
			got = -1
		}
		if got != tc.want {
			t.Errorf("%s: due after %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestWhatEachAnswerMakesOfTheRow(t *testing.T) {
	t.Parallel()
	two := func(c *Call) { c.Open = append(c.Open, Attempt{ID: "a2", LeaseEnd: noon.Add(2 * time.Minute)}) }
	for _, tc := range []struct {
		name  string
		c     Call
		class Class
		state State
		open  int
	}{
		{"accepted", at(Dialing), ClassOK, Placed, 0},
		{"accepted, another attempt open", at(Dialing, two), ClassOK, Placed, 1},
		{"lost", at(Dialing), ClassAmbiguous, Dialing, 1},
		{"refused", at(Dialing), ClassRefusedRequest, Failed, 0},
		{"refused, another attempt open (N5)", at(Dialing, two), ClassRefusedRequest, Dialing, 1},
		{"throttled", at(Dialing), ClassThrottled, Received, 0},
		{"throttled, another attempt open", at(Dialing, two), ClassThrottled, Dialing, 1},
		{"not sent", at(Dialing), ClassNotSent, Received, 0},
		{"setup", at(Dialing), ClassRefusedSetup, Received, 0},
		{"throttled after an earlier refusal", at(Dialing, func(c *Call) { c.Refused = "r" }), ClassThrottled, Failed, 0},
		{"throttled after a cancel", at(Dialing, canceling), ClassThrottled, Canceled, 0},
		{"late acceptance of a doubt", at(InDoubt), ClassOK, Placed, 0},
		{"late refusal of a doubt's last attempt", at(InDoubt), ClassNotSent, Failed, 0},
		{"late refusal of one of a doubt's attempts", at(InDoubt, two), ClassRefusedRequest, InDoubt, 1},
		{"late refusal of a placed call", at(Placed, func(c *Call) { c.Open = at(Dialing).Open }), ClassRefusedRequest, Placed, 0},
	} {
		answer := Answer{Class: tc.class, Code: "code"}
		if tc.class == ClassOK {
			answer.ContactID = "contact"
		}
		got := tc.c.Apply(Result(tc.c, "a1", answer, Profile{Resend: ResendToken}, noon.Add(time.Second), 0))
		if got.State != tc.state || len(got.Open) != tc.open {
			t.Errorf("%s: %s with %d open, want %s with %d", tc.name, got.State, len(got.Open), tc.state, tc.open)
		}
		if breaches := CheckRow(got); len(breaches) > 0 {
			t.Errorf("%s: %v", tc.name, breaches)
		}
		if got.State == Placed && got.Code != "" {
			t.Errorf("%s: a placed call carries the code %q", tc.name, got.Code)
		}
	}
}

func TestAnAnswerCountsOnce(t *testing.T) {
	t.Parallel()
	c := at(Dialing)
	event := Result(c, "a1", Answer{Class: ClassThrottled}, Profile{}, noon, 0)
	once := c.Apply(event)
	if twice := once.Apply(event); twice.Retries != once.Retries || twice.State != once.State {
		t.Errorf("the second report of one answer changed the row: %+v", twice)
	}
}

func TestAContactIDThatMustNotExistIsKeptAsAnAnomaly(t *testing.T) {
	t.Parallel()
	for _, c := range []Call{at(Failed), at(Expired), at(Canceled), at(Placed)} {
		got := c.Apply(Event{Kind: EventContact, At: noon, ContactID: "other"})
		if got.State != c.State || got.ContactID != c.ContactID || len(got.Anomalies) != 1 {
			t.Errorf("%s: %s, contact %q, anomalies %v", c.State, got.State, got.ContactID, got.Anomalies)
		}
		if len(CheckRow(got)) == 0 {
			t.Errorf("%s: the anomaly is not reported", c.State)
		}
	}
	if got := at(Placed).Apply(Event{Kind: EventContact, ContactID: "contact"}); len(got.Anomalies) != 0 {
		t.Error("the same contact id is an anomaly")
	}
}

func TestTheLooksOfADoubtFollowTheSchedule(t *testing.T) {
	t.Parallel()
	for _, state := range []State{Dialing, InDoubt} {
		c := at(state, answered)
		for n, after := range []time.Duration{0, 30 * time.Minute, 24 * time.Hour} {
			when := noon.Add(settled + after)
			if claim := decideLooks(c, when); claim.Step != StepLater || !claim.Due.Equal(when.Add(1)) {
				t.Errorf("%s look %d at its time: %+v", state, n, claim)
			}
			if claim := decideLooks(c, when.Add(1)); claim.Step != StepLook {
				t.Errorf("%s look %d after its time: %+v", state, n, claim)
			}
			c = c.Apply(Looked(c, when.Add(1), ""))
			if n < 2 && !c.Due.After(when.Add(1)) {
				t.Errorf("%s look %d leaves the row due", state, n)
			}
		}
		if claim := decideLooks(c, noon.Add(30*24*time.Hour)); claim.Step != StepNothing || (state == InDoubt && !c.Due.IsZero()) {
			t.Errorf("%s: the schedule does not end: %+v, due %s", state, claim, c.Due)
		}
	}
}

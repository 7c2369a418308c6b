package call

import (
	"testing"
	"time"
)

// at returns a row in a state, first signed at noon, with the given changes.
func at(state State, changes ...func(*Call)) Call {
	c := Begin("row")
	c.Version, c.State, c.AcceptedAt, c.Due, c.DueReason = 3, state, noon, noon, "due"
	c.FirstSigned, c.TokenUsed, c.AttemptCount = noon, true, 1
	c.Pin, c.PinHash, c.Token, c.Key = "body", HashBody([]byte("body")), "token", article()
	switch state {
	case Dialing, InDoubt:
		c.Open = []Attempt{{ID: "a1", Opened: noon, LeaseEnd: noon.Add(LeaseTime)}}
	case Placed:
		c.ContactID, c.PlacedAt = "contact", noon
	case Received, Failed, Expired, Canceled:
	}
	if state.Final() {
		c.Due, c.DueReason, c.FinalAt = time.Time{}, "", noon
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func because(why string) func(*Call) { return func(c *Call) { c.DueReason = why } }

func answered(c *Call) {
	for i := range c.Open {
		c.Open[i].Answered = true
	}
}

func due(d time.Duration) func(*Call)      { return func(c *Call) { c.Due = noon.Add(d) } }
func notAfter(d time.Duration) func(*Call) { return func(c *Call) { c.NotAfter = noon.Add(d) } }
func looks(n int) func(*Call)              { return func(c *Call) { c.Looks = n } }
func unused(c *Call)                       { c.TokenUsed = false }
func canceling(c *Call)                    { c.CancelRequested = noon }

const settled = LeaseTime + SettleTime // after noon: the attempt of at() may not be accepted any more

// claimed is what Decide is expected to answer, with times counted from noon.
type claimed struct {
	step  Step
	due   time.Duration
	look  Look
	kind  EventKind
	code  Code
	cause Cause
}

type decideCase struct {
	name string
	c    Call
	p    Profile
	now  time.Duration
	want claimed
}

var (
	byToken    = Profile{Resend: ResendToken, LongestCall: 4 * time.Hour, MaxAttempts: 3}
	byEvidence = Profile{Resend: ResendEvidence, LongestCall: 4 * time.Hour}
	byNever    = Profile{Resend: ResendNever, LongestCall: 4 * time.Hour}
	look       = claimed{step: StepLook}
	nothing    = claimed{step: StepNothing}
)

func waits(d time.Duration) claimed    { return claimed{step: StepLater, due: d} }
func sends(l Look) claimed             { return claimed{step: StepSend, look: l} }
func ends(k EventKind, c Code) claimed { return claimed{step: StepWrite, kind: k, code: c} }
func next(c Cause) claimed             { return claimed{step: StepNext, cause: c} }
func doubts(c Code) claimed            { return ends(EventDoubted, c) }

func decides(t *testing.T, cases []decideCase) {
	t.Helper()
	for _, tc := range cases {
		got := Decide(tc.c, tc.p, noon.Add(tc.now))
		have := claimed{step: got.Step, look: got.Look, cause: got.Cause}
		if got.Step == StepLater {
			have.due = got.Due.Sub(noon)
		}
		if got.Step == StepWrite {
			have.kind, have.code = got.Event.Kind, got.Event.Code
		}
		if have != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, have, tc.want)
		}
	}
}

func TestAReceivedCallIsSentHeldOrEnded(t *testing.T) {
	t.Parallel()
	decides(t, []decideCase{
		{"received and due", at(Received), byToken, 0, sends(LookNone)},
		{"received, not due", at(Received, due(time.Hour)), byToken, 0, waits(time.Hour)},
		{"received, paused", at(Received), Profile{Paused: true}, 0, waits(at(Received).parkUntil(noon, leastParked).Sub(noon))},
		{"parked, paused", at(Received, due(time.Hour), because(whyPaused)), Profile{Paused: true}, 0, waits(time.Hour)},
		{"parked, not paused any more", at(Received, due(time.Hour), because(whyPaused)), byToken, 0, sends(LookNone)},
		{"parked for its setup", at(Received, due(time.Hour), because(whySetupPause)), byToken, 0, sends(LookNone)},
		{"parked for its setup, now paused", at(Received, due(time.Hour), because(whySetupPause)), Profile{Paused: true}, 0, waits(time.Hour)},
		{"parked at notAfter", at(Received, due(time.Hour), because(whyPaused), notAfter(time.Minute)), Profile{Paused: true}, 2 * time.Minute, ends(EventExpired, codeNotAfter)},
		{"received at notAfter", at(Received, notAfter(time.Hour)), byToken, time.Hour, sends(LookNone)},
		{"received after notAfter", at(Received, notAfter(time.Hour)), byToken, time.Hour + 1, ends(EventExpired, codeNotAfter)},
		{"held and after notAfter", at(Received, notAfter(time.Hour), due(3*time.Hour)), byToken, 2 * time.Hour, ends(EventExpired, codeNotAfter)},
		{"received, exhausted", at(Received, func(c *Call) { c.Retries = 3 }), byToken, 0, ends(EventFailed, codeExhausted)},
		{"received, one attempt left", at(Received, func(c *Call) { c.Retries = 2 }), byToken, 0, sends(LookNone)},
		{"setup refusals exhaust nothing", at(Received, func(c *Call) { c.Retries, c.SetupRefusals = 9, 8 }), byToken, 0, sends(LookNone)},
		{"received, no limit", at(Received, func(c *Call) { c.Retries = 99 }), Profile{Resend: ResendToken}, 0, sends(LookNone)},
		{"received at the token's last instant", at(Received), byToken, TokenUse, sends(LookNone)},
		{"received, the token too old", at(Received), byToken, TokenUse + 1, next(CauseTokenAge)},
		{"received, old but never sent", at(Received, unused), byToken, TokenUse + 1, sends(LookNone)},
		{"received, clock behind the first signature", at(Received, due(-time.Hour)), byToken, -time.Minute, waits(0)},
		{"received, clock behind, never sent", at(Received, unused, due(-time.Hour)), byToken, -time.Minute, sends(LookNone)},
		{"superseded", at(Received, func(c *Call) { c.Superseded = CauseRepin }), byToken, 0, next(CauseRepin)},
	})
}

func TestALostAnswerIsResentByTokenUntilTheSendRuleEnds(t *testing.T) {
	t.Parallel()
	decides(t, []decideCase{
		{"lease live", at(Dialing), byToken, LeaseTime, waits(LeaseTime + 1)},
		{"lease over", at(Dialing), byToken, LeaseTime + 1, sends(LookIfCheap)},
		{"answer lost, fresh", at(Dialing, answered), byToken, FreshResend, sends(LookNone)},
		{"answer lost, not fresh", at(Dialing, answered), byToken, FreshResend + 1, sends(LookIfCheap)},
		{"answer lost, backing off", at(Dialing, answered, due(time.Minute)), byToken, 2 * time.Second, waits(time.Minute)},
		{"answer lost, clock behind", at(Dialing, answered, due(-time.Hour)), byToken, -time.Minute, waits(0)},
		{"the token's last instant", at(Dialing, answered), byToken, TokenUse, sends(LookIfCheap)},
		{"the token too old", at(Dialing, answered), byToken, TokenUse + 1, look},
		{"the token too old, looked", at(Dialing, answered, looks(1)), byToken, TokenUse + 1, doubts(codeSendRuleEnd)},
		{"notAfter passed, not settled", at(Dialing, answered, notAfter(time.Second)), byToken, time.Minute, waits(settled + 1)},
		{"notAfter passed, settled", at(Dialing, answered, notAfter(time.Second)), byToken, settled + 1, look},
		{"notAfter passed, looked", at(Dialing, answered, notAfter(time.Second), looks(1)), byToken, settled + 1, doubts(codeNotAfter)},
		{"canceled while open, lease live", at(Dialing, canceling), byToken, time.Second, waits(LeaseTime + 1)},
		{"canceled while open", at(Dialing, answered, canceling), byToken, time.Second, waits(settled + 1)},
		{"canceled while open, looked", at(Dialing, answered, canceling, looks(1)), byEvidence, settled + 1, doubts(codeCanceled)},
		{"refused while an older attempt is open", at(Dialing, answered, func(c *Call) { c.Refused = "invalid_parameter" }), byToken, time.Second, waits(settled + 1)},
		{"refused while an older attempt is open, looked", at(Dialing, answered, looks(1), func(c *Call) { c.Refused = "x" }), byToken, settled + 1, doubts(codeRefused)},
		{"tainted after it was superseded", at(Dialing, answered, looks(1), func(c *Call) { c.Superseded = CauseRepin }), byToken, settled + 1, doubts(codeSuperseded)},
	})
}

func TestEvidenceIsWaitedForUntilTheLongestCallIsOver(t *testing.T) {
	t.Parallel()
	decides(t, []decideCase{
		{"evidence: not settled", at(Dialing, answered), byEvidence, settled, waits(settled + 4*time.Hour)},
		{"evidence: the longest call may last", at(Dialing, answered), byEvidence, settled + 4*time.Hour - 1, waits(settled + 4*time.Hour)},
		{"evidence: ready", at(Dialing, answered), byEvidence, settled + 4*time.Hour, sends(LookRequired)},
		{"evidence: the token too old", at(Dialing, answered, looks(1)), byEvidence, TokenUse + 1, doubts(codeSendRuleEnd)},
	})
}

func TestTheNeverPolicyLooksAndThenDoubts(t *testing.T) {
	t.Parallel()
	decides(t, []decideCase{
		{"never: not settled", at(Dialing, answered), byNever, settled, waits(settled + 1)},
		{"never: first look", at(Dialing, answered), byNever, settled + 1, look},
		{"never: second look later", at(Dialing, answered, looks(1)), byNever, settled + 2, waits(settled + 30*time.Minute + 1)},
		{"never: third look", at(Dialing, answered, looks(2)), byNever, settled + 24*time.Hour + 1, look},
		{"never: schedule done", at(Dialing, answered, looks(3)), byNever, settled + 24*time.Hour + 2, doubts(codeResendNever)},
	})
}

func TestAFinalCallIsNeverSent(t *testing.T) {
	t.Parallel()
	decides(t, []decideCase{
		{"in doubt, a look scheduled", at(InDoubt, answered, looks(1)), byToken, settled + 2, waits(settled + 30*time.Minute + 1)},
		{"in doubt, a look due", at(InDoubt, answered, looks(1)), byToken, settled + 31*time.Minute, look},
		{"in doubt, schedule done", at(InDoubt, answered, looks(3)), byToken, TokenUse, nothing},
		{"placed", at(Placed), byToken, TokenUse, nothing},
		{"failed", at(Failed), byToken, TokenUse, nothing},
		{"expired", at(Expired), byToken, TokenUse, nothing},
		{"canceled", at(Canceled), byToken, TokenUse, nothing},
	})
}

func TestAStepThatWaitsIsAlwaysDueLater(t *testing.T) {
	t.Parallel()
	for _, resend := range []Resend{ResendToken, ResendEvidence, ResendNever} {
		for _, state := range States() {
			for _, change := range []func(*Call){func(*Call) {}, answered, canceling, notAfter(time.Second), looks(1), looks(2), looks(3), unused} {
				for now := noon.Add(-time.Hour); now.Before(noon.Add(8 * 24 * time.Hour)); now = now.Add(7 * time.Minute) {
					claim := Decide(at(state, change), Profile{Resend: resend}.WithDefaults(), now)
					if claim.Step == StepLater && !claim.Due.After(now) {
						t.Fatalf("%s under %s waits until now: %+v", state, resend, claim)
					}
					if claim.Step == StepSend && state.Final() {
						t.Fatalf("%s is dialed", state)
					}
				}
			}
		}
	}
}

func TestTheSignatureIsBoundByTokenLeaseAndNotAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		lease    time.Duration
		notAfter time.Duration
		want     time.Duration
	}{
		{"lease", time.Minute, 0, time.Minute},
		{"notAfter", time.Minute, 30 * time.Second, 30 * time.Second},
		{"a later notAfter", time.Minute, time.Hour, time.Minute},
		{"the token's age", TokenUse + time.Minute, 0, TokenUse},
	} {
		c := at(Dialing)
		if tc.notAfter != 0 {
			notAfter(tc.notAfter)(&c)
		}
		from, to := SendBounds(c, Attempt{LeaseEnd: noon.Add(tc.lease)})
		if !from.Equal(noon) || to.Sub(noon) != tc.want {
			t.Errorf("%s: [%s, %s]", tc.name, from.Sub(noon), to.Sub(noon))
		}
	}
	if TokenMargin <= 2*15*time.Minute {
		t.Error("the margin does not exceed twice the signature tolerance: the freshness lemma fails")
	}
}

func TestPinAndFirstSignatureChangeOnlyWhileNothingCanHaveArrived(t *testing.T) {
	t.Parallel()
	now := noon.Add(time.Hour)
	for _, tc := range []struct {
		name        string
		c           Call
		signed, pin bool
	}{
		{"first attempt", Begin("row"), true, true},
		{"all were not sent", at(Received, unused), true, true},
		{"a throttle may have used the token (R1)", at(Received), false, false},
		{"one not sent, one open (R2)", at(Dialing, unused), false, false},
		{"tainted: bounds without bytes", at(Dialing, func(c *Call) { c.Pin, c.PinHash = "", "" }), false, true},
	} {
		event := Intent(tc.c, "a2", []byte("new body"), Target{Region: "r"}, now, "")
		if got := !event.Signed.IsZero(); got != tc.signed {
			t.Errorf("%s: sets firstSigned %v", tc.name, got)
		}
		if got := event.Pin != ""; got != tc.pin || (event.Target != nil) != tc.pin {
			t.Errorf("%s: pins %v", tc.name, got)
		}
		if event.Attempt.LeaseEnd != now.Add(LeaseTime) {
			t.Errorf("%s: lease %s", tc.name, event.Attempt.LeaseEnd)
		}
	}
}

package connectemu_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
)

const day = 24 * time.Hour

func TestTokenReturnsItsContactWithoutRinging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.mustStart(answers, "token")
	w.clock.Advance(time.Hour)
	if second := w.mustStart(answers, "token"); second != first {
		t.Errorf("contact id: got %s, want %s", second, first)
	}
	w.wantRings(1)
	requests := w.server.Requests()
	if got := requests[1].Outcome; got != connectemu.OutcomeReplayed {
		t.Errorf("outcome: got %s, want %s", got, connectemu.OutcomeReplayed)
	}
}

func TestTokenDiesWhenSevenDaysHavePassed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.mustStart(answers, "token")
	w.clock.Advance(7*day - time.Second)
	if id := w.mustStart(answers, "token"); id != first {
		t.Errorf("a second before the end: got %s, want %s", id, first)
	}
	w.wantRings(1)
	w.clock.Advance(time.Second)
	if id := w.mustStart(answers, "token"); id == first {
		t.Error("after 7 days the token still returned its contact")
	}
	w.wantRings(2)
}

func TestReadingA1PrimeRingsTwiceAfterHangUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.Reading = connectemu.A1Prime })
	first := w.mustStart(answers, "token")
	w.clock.Advance(connectemu.DefaultRingTime + connectemu.DefaultTalkTime - time.Millisecond)
	if id := w.mustStart(answers, "token"); id != first {
		t.Errorf("while the contact is alive: got %s, want %s", id, first)
	}
	w.wantRings(1)
	w.clock.Advance(time.Millisecond)
	if id := w.mustStart(answers, "token"); id == first {
		t.Error("after the hang-up the token still returned its contact")
	}
	w.wantRings(2)
	if got := len(w.server.RingsByToken("token")); got != 2 {
		t.Errorf("rings of the token: got %d, want 2", got)
	}
}

func TestReadingA1RingsOnceAfterHangUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustStart(busy, "token")
	w.clock.Advance(day)
	w.mustStart(busy, "token")
	w.wantRings(1)
}

func TestStoppedContactFreesItsTokenUnderA1Prime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.Reading = connectemu.A1Prime })
	id := w.mustStart(answers, "token")
	stop := &connect.StopContactInput{InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id)}
	if _, err := w.client.StopContact(t.Context(), stop); err != nil {
		t.Fatalf("stop: %v", err)
	}
	w.mustStart(answers, "token")
	w.wantRings(2)
}

func TestTokenHoldsWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustStart(answers, "token")
	w.clock.Advance(-time.Second)
	w.mustStart(answers, "token")
	w.wantRings(1)
}

func TestTokensFilledInByTheSDKRingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 {
		if _, err := w.client.StartOutboundVoiceContact(t.Context(), input(answers)); err != nil {
			t.Fatalf("start: %v", err)
		}
	}
	w.wantRings(2)
	rings := w.server.RingsFor(answers)
	if rings[0].Token == "" || rings[0].Token == rings[1].Token {
		t.Errorf("tokens: got %q and %q, want two different ones", rings[0].Token, rings[1].Token)
	}
}

func TestInputStructUsedAgainCarriesTheFirstToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(answers)
	for range 2 {
		if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
			t.Fatalf("start: %v", err)
		}
		in.DestinationPhoneNumber = aws.String("+819000000002")
	}
	w.wantRings(1)
}

func TestEmptyAndAbsentTokensAlwaysRing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustStart(answers, "")
	w.mustStart(answers, "")
	w.wantRings(2)
	bare := w.newClient(func(o *connect.Options) { o.IdempotencyTokenProvider = nil })
	for range 2 {
		if _, err := bare.StartOutboundVoiceContact(t.Context(), input(answers)); err != nil {
			t.Fatalf("start: %v", err)
		}
	}
	w.wantRings(4)
}

func TestTokensAreCaseSensitive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustStart(answers, "token")
	w.mustStart(answers, "Token")
	w.wantRings(2)
}

func TestSameTokenWithOtherParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.mustStart(answers, "token")
	if id := w.mustStart("+819000000002", "token"); id != first {
		t.Errorf("return-existing: got %s, want %s", id, first)
	}
	if err := w.server.Update(func(c *connectemu.Config) { c.TokenSameOtherParams = connectemu.RefuseMismatch }); err != nil {
		t.Fatalf("update: %v", err)
	}
	_, err := w.start("+819000000002", "token")
	wantCode(t, err, connectemu.CodeInvalidRequest, http.StatusBadRequest)
	if id := w.mustStart(answers, "token"); id != first {
		t.Errorf("same parameters: got %s, want %s", id, first)
	}
	w.wantRings(1)
}

func TestAttributesInAnotherOrderAreTheSameParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) { c.TokenSameOtherParams = connectemu.RefuseMismatch })
	for range 20 { // the SDK writes maps in random order
		in := input(answers)
		in.ClientToken = aws.String("token")
		in.Attributes = map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}
		if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
			t.Fatalf("start: %v", err)
		}
	}
	w.wantRings(1)
}

func TestTokenScope(t *testing.T) {
	t.Parallel()
	const other = "22222222-2222-4333-8444-555555555555"
	for scope, rings := range map[connectemu.TokenScope]int{connectemu.ScopeInstance: 2, connectemu.ScopeAccount: 1} {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(c *connectemu.Config) {
				c.Instances, c.TokenScope = []string{connectemu.DefaultInstance, other}, scope
			})
			w.mustStart(answers, "token")
			in := input(answers)
			in.ClientToken, in.InstanceId = aws.String("token"), aws.String(other)
			if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
				t.Fatalf("start: %v", err)
			}
			w.wantRings(rings)
		})
	}
}

func TestTokenLagLetsRequestsOfOneMomentRingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.TokenLag = time.Second })
	w.mustStart(answers, "token")
	w.mustStart(answers, "token")
	w.wantRings(2)
	w.clock.Advance(2 * time.Second)
	w.mustStart(answers, "token")
	w.wantRings(2)
}

// TestTokenAfterAFailedStart covers what a refusal, or a throttle, does to the token it met.
func TestTokenAfterAFailedStart(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"refusal", "throttle"} {
		for _, effect := range []connectemu.TokenEffect{connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent} {
			t.Run(kind+" "+effect.String(), func(t *testing.T) {
				t.Parallel()
				fault := connectemu.Rule{Fault: connectemu.Refuse, Code: connectemu.CodeNotAllowed, Nth: 1}
				code, again := connectemu.CodeNotAllowed, connectemu.CodeNotAllowed
				status, statusAgain := http.StatusForbidden, http.StatusForbidden
				w := newWorld(t, func(c *connectemu.Config) { c.TokenOnRefusal = effect })
				if kind == "throttle" {
					fault = connectemu.Rule{Fault: connectemu.Throttle, Nth: 1}
					code, again = connectemu.CodeTooManyRequests, connectemu.CodeInvalidRequest
					status, statusAgain = http.StatusTooManyRequests, http.StatusBadRequest
					w = newWorld(t, func(c *connectemu.Config) { c.TokenOnThrottle = effect })
				}
				if err := w.server.SetPlan(connectemu.Plan{Rules: []connectemu.Rule{fault}}); err != nil {
					t.Fatalf("plan: %v", err)
				}
				_, err := w.start(answers, "token")
				wantCode(t, err, code, status)
				w.clock.Advance(6 * day)
				_, err = w.start(answers, "token")
				if effect == connectemu.TokenSpent {
					wantCode(t, err, again, statusAgain)
					w.wantRings(0)
					return
				}
				if err != nil {
					t.Fatalf("second start: %v", err)
				}
				w.clock.Advance(day) // 7 days after the failure, 1 day after the ring
				w.mustStart(answers, "token")
				if effect == connectemu.TokenAges {
					w.wantRings(2)
				} else {
					w.wantRings(1)
				}
			})
		}
	}
}

func TestRefusalDoesNotTakeAwayATokensContact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.TokenOnRefusal = connectemu.TokenSpent })
	first := w.mustStart(answers, "token")
	if err := w.server.SetPlan(connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.Refuse, Nth: 1}}}); err != nil {
		t.Fatalf("plan: %v", err)
	}
	_, err := w.start(answers, "token")
	wantCode(t, err, connectemu.CodeInvalidRequest, http.StatusBadRequest)
	if id := w.mustStart(answers, "token"); id != first {
		t.Errorf("contact id: got %s, want %s", id, first)
	}
}

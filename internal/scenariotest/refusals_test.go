package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV28AThrottledCallRingsALittleLaterAndItsNumberIsNotMarked(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "throttle nth=1"}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetReceived, call.AckDone)
		w.sweepFor(5 * time.Second)
		w.stands(wish(1), call.Placed)
		w.met(w.send(wish(1).with("recallId", "later")), call.MetPlaced, call.AckDone) // the number is as good as before
		w.rang(2)
	})
}

func TestScenarioV31VL3RateAndConcurrencyWaitDifferentlyAndNeverInAHotLoop(t *testing.T) {
	t.Parallel()
	waits := map[string]time.Duration{}
	for _, code := range []string{connectemu.CodeTooManyRequests, connectemu.CodeLimitExceeded} {
		play(t, setting{faults: "throttle(" + code + ")"}, func(w *world) {
			w.sweep()
			w.send(wish(1))
			waits[code] = time.Until(w.row(wish(1), 0).Due)
			w.sweepFor(time.Hour)
			if sent := len(w.starts()); sent < 10 || sent > 80 {
				t.Errorf("%s: %d wire requests in an hour", code, sent)
			}
			w.faults("")
			w.sweepFor(10 * time.Minute)
			w.stands(wish(1), call.Placed)
			w.rang(1)
		})
	}
	if rate, calls := waits[connectemu.CodeTooManyRequests], waits[connectemu.CodeLimitExceeded]; rate > 2*time.Second || calls < 20*time.Second {
		t.Errorf("a rate waits %s, a limit of calls %s", rate, calls)
	}
}

func TestScenarioV34AMissingPermissionIsSeenAndLosesNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	play(t, setting{log: &log, faults: "refuse(AccessDeniedException)"}, func(w *world) {
		w.met(w.send(wish(1)), call.MetReceived, call.AckRetry) // no sweeper runs: the queue keeps it
		w.sweep()
		w.met(w.send(wish(2)), call.MetReceived, call.AckDone) // safely stored, and held with its profile
		if c := w.row(wish(2), 0); c.DueReason != "setup_pause" {
			t.Errorf("held for %q", c.DueReason)
		}
		w.asked(1) // one bad credential does not fail a queue
		w.faults("")
		w.sweepFor(time.Hour)
		w.rang(2)
	})
	paused := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"paused"`) && strings.Contains(line, `"alarm":true`) && strings.Contains(line, "access_denied") {
			paused++
		}
	}
	if paused != 1 {
		t.Errorf("the profile was paused with an alarm %d times:\n%s", paused, log.String())
	}
}

func TestScenarioV8AFailureOfAnAcceptedCallIsItsOwnEndAndARecallHasItsOwnToken(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		out := w.send(wish(1))
		time.Sleep(30 * time.Second)
		w.deliver(contactEvent("e-1", "DISCONNECTED", out.ContactID, time.Now()))
		w.suppressed(w.send(wish(1)), call.ReasonDuplicate, wish(1)) // no retry once Amazon Connect had it
		w.sweepFor(day)
		w.asked(1)
		w.app.Engine.Recall(w.Context(), w.row(wish(1), 0).ID, call.Recall{Actor: "operator", Reason: "a telephone problem"})
		if first, second := w.stands(wish(1), call.Placed), w.row(wish(1), 1); second.State != call.Placed || second.Token == first.Token {
			t.Errorf("the re-call is %v", second)
		}
		w.rang(2)
	})
}

func TestScenarioV67OnlyE164IsDialed(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		plain := number(1)
		for _, bad := range []string{plain + ";ext=12", plain + "x12", plain + " x12", plain + "内線12", plain + ",12", "tel:" + plain, plain + "p12"} {
			out := w.send(wish(1).with("destinationPhoneNumber", bad))
			if out.Ack != call.AckRefuse || !strings.Contains(out.Message, "destinationPhoneNumber") || strings.Contains(out.Message, plain) {
				t.Errorf("%q: %s to the queue, %q", bad, out.Ack, out.Message)
			}
		}
		w.asked(0)
		w.met(w.send(wish(1).with("attributes", object{"extension": "12"})), call.MetPlaced, call.AckDone) // for the flow, which sends DTMF
		if ring := w.emu.Rings()[0]; ring.Number != plain || ring.Attributes["extension"] != "12" {
			t.Errorf("dialed %s with %v", ring.Number, ring.Attributes)
		}
	})
}

func TestScenarioV23OnePersonInThreeSpellingsIsRungOnce(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		national := "0" + strings.TrimPrefix(number(1), "+81")
		spaced := number(1)[:3] + " " + number(1)[3:5] + " " + number(1)[5:]
		for _, spelling := range []string{number(1), national, spaced, number(1)} {
			out := w.send(wish(1).with("destinationPhoneNumber", spelling))
			if spelling != number(1) && (out.Ack != call.AckRefuse || !strings.Contains(out.Message, "destinationPhoneNumber")) {
				t.Errorf("met %s, %q", out.Met, out.Message) // never guessed: the recipient is named by its id, the number by E.164
			}
		}
		w.rang(1)
	})
}

func TestScenarioV68AnErrorNamesTheFieldTheRuleAndNoValue(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		for name, bad := range map[string]any{
			"an object": object{"address": number(1), "type": "phone_number"}, "its text": "[object Object]", "a number": json.RawMessage(number(1)[1:]), "a list": []string{number(1)},
		} {
			out := w.send(wish(1).with("destinationPhoneNumber", bad))
			if out.Ack != call.AckRefuse || !strings.Contains(out.Message, "destinationPhoneNumber") || out.Message == "" || out.Fix == "" || strings.Contains(out.Message+out.Fix, number(1)) {
				t.Errorf("%s: %s to the queue, %q %q", name, out.Ack, out.Message, out.Fix)
			}
		}
		w.asked(0)
	})
}

func TestScenarioVL1AttributesBeyondTheLimitAreRefusedBeforeTheDial(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.met(w.send(wish(1).with("attributes", object{"text": strings.Repeat("a", 30_000)})), call.MetPlaced, call.AckDone)
		for _, large := range []string{strings.Repeat("a", 32_768), strings.Repeat("あ", 11_000)} {
			out := w.send(wish(2).with("attributes", object{"text": large}))
			if out.Ack != call.AckRefuse || out.Code != call.CodeAttributesTooLarge || !strings.Contains(out.Message, "attributes") {
				t.Errorf("%s to the queue: %s %q", out.Ack, out.Code, out.Message)
			}
		}
		w.asked(1)
		if c := w.row(wish(2), 0); c.ID != "" {
			t.Errorf("the refused request has a row: %v", c)
		}
	})
}

// What the configuration names and the account does not have: no ring, no attempt in the dark, one alarm; once it is mended the call rings.
func TestScenarioVL2VL5VL6VL7WhatTheAccountDoesNotHaveRingsNothingUntilItIsMended(t *testing.T) {
	t.Parallel()
	for name, network := range map[string]connectemu.Config{
		"a Region that is not the instance's":   {Region: "eu-west-2"},
		"a queue of another instance":           {Queues: []string{otherFlow}},
		"a flow that was never published":       {Drafts: []string{flow}},
		"a caller id number that was released":  {SourceNumbers: []string{"+12025550199"}},
		"an instance that cannot call outbound": {OutboundOff: []string{connectemu.DefaultInstance}},
	} {
		source := func(c *app.Config) {
			p := c.Profiles["alert"]
			p.SourcePhone = "+12025550100"
			c.Profiles["alert"] = p
		}
		play(t, setting{network: network, config: source}, func(w *world) {
			w.sweep()
			out := w.send(wish(1))
			w.sweepFor(time.Hour)
			if c := w.row(wish(1), 0); (c.State != call.Received || c.DueReason != "setup") && name != "an instance that cannot call outbound" {
				t.Errorf("%s: %v, %s", name, c, c.DueReason)
			}
			if out.Message == "" && w.row(wish(1), 0).Message == "" {
				t.Errorf("%s: nothing is said", name)
			}
			w.rang(0)
			if sent := len(w.starts()); sent > 10 {
				t.Errorf("%s: %d wire requests in an hour", name, sent)
			}
			err := w.emu.Update(func(c *connectemu.Config) {
				c.Region, c.Queues, c.Drafts, c.SourceNumbers, c.OutboundOff = region, nil, nil, nil, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			w.sweepFor(time.Hour)
			if name != "an instance that cannot call outbound" {
				w.stands(wish(1), call.Placed)
				w.rang(1)
			}
		})
	}
}

func TestScenarioVL4APaceAboveTheQuotaLosesNothing(t *testing.T) {
	t.Parallel()
	fast := func(c *app.Config) { perSecond := 50.0; c.Pacing.PerSecond = &perSecond }
	play(t, setting{driver: "memory", network: connectemu.Config{StartRate: connectemu.Rate{PerSecond: 2, Burst: 5}}, config: fast}, func(w *world) {
		w.sweep()
		var all []message
		for n := range 60 {
			all = append(all, message{id: fmt.Sprintf("m-%d", n), body: wish(n).text()})
		}
		w.deliver(batch(all...))
		w.sweepFor(time.Hour)
		for n := range 60 {
			w.stands(wish(n), call.Placed)
		}
		w.rang(60)
	})
}

func TestScenarioVL8WhetherATokenOutlivesItsContactIsTakenAsUnknown(t *testing.T) {
	t.Parallel()
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		for policy, rings := range map[string]int{"never": 1, "evidence": 1, "token": 1 + int(reading)} { // the one promised corner: README, design.md section 2
			play(t, setting{resend: policy, network: connectemu.Config{Reading: reading, SearchDelay: 2 * time.Hour}}, func(w *world) {
				w.killedAt("after dial", wish(1))
				time.Sleep(10 * time.Minute) // the contact has ended
				w.sweepFor(2 * day)
				w.stands(wish(1), call.Placed)
				if got := w.emu.RingCount(); got != rings {
					t.Errorf("%s under %s: %d rings, want %d", policy, reading, got, rings)
				}
				if rings > 1 { // the oracle sees it too
					w.breach = "I1"
				}
			})
		}
	}
}

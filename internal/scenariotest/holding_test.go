package scenariotest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// byDay lets people of Japan be rung from 9 to 21 o'clock. The virtual clock begins at 9 o'clock there.
func byDay(c *app.Config) {
	c.Holding = app.Holding{Hours: []string{"09:00-21:00"}, TimeZone: "Asia/Tokyo"}
}

// atNight is half past 22 in Japan.
const atNight = 13*time.Hour + 30*time.Minute

// beforeClosing is half a minute before 21 o'clock in Japan.
const beforeClosing = 12*time.Hour - 30*time.Second

func TestScenarioV11ACallOfTheNightWaitsForTheMorningInTheLedger(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{config: byDay}, func(w *world) {
		time.Sleep(atNight)
		w.sweep()
		for range 4 { // another producer's visibility of 30 s
			w.met(w.send(wish(1)), call.MetReceived, call.AckDone) // safely stored, so the queue may forget it
			time.Sleep(30 * time.Second)
		}
		c := w.row(wish(1), 0)
		if c.DueReason != call.HeldQuietHours || c.Version != 1 || c.Due.UTC().Format(time.TimeOnly) != "00:00:00" {
			t.Errorf("version %d, held for %q until %s", c.Version, c.DueReason, c.Due)
		}
		w.sweepFor(10*time.Hour + 25*time.Minute)
		w.asked(0)
		w.sweepFor(10 * time.Minute)
		w.rang(1)
		w.asked(1)
	})
}

func TestScenarioV25ACallOfTheNightIsFoundFromTheLedgerAloneWhereverItsProcessDied(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	for _, point := range points() {
		for _, dying := range []string{"delivery", "sweep"} {
			play(t, setting{driver: "memory", config: byDay}, func(w *world) {
				time.Sleep(atNight)
				w.sweep()
				if dying == "delivery" {
					w.gate.kill = point
				}
				out := w.send(wish(1))
				if dying == "sweep" {
					w.gate.kill = point
				}
				w.sweepFor(12 * time.Hour)
				if out.Ack != call.AckDone { // never acknowledged: the queue still has it
					w.send(wish(1))
					w.sweepFor(time.Hour)
				}
				reached[point] = reached[point] || w.gate.count(point) > 0
				w.stands(wish(1), call.Placed)
				w.rang(1)
			})
		}
	}
	for _, point := range points() {
		if !reached[point] {
			t.Errorf("no process died %s", point)
		}
	}
}

func TestScenarioV59ACallOfTheNightIsNotRungInTheMorningWhenItIsStale(t *testing.T) {
	t.Parallel()
	play(t, setting{config: byDay}, func(w *world) {
		time.Sleep(atNight)
		w.sweep()
		limited := wish(1).with("notAfter", time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339))
		w.met(w.send(limited), call.MetReceived, call.AckDone)
		w.sweepFor(3*time.Hour + time.Minute)
		if c := w.stands(limited, call.Expired); !strings.Contains(c.Message, "while the call was held: quiet_hours") {
			t.Errorf("it says %q", c.Message)
		}
		w.sweepFor(day)
		w.asked(0)
	})
}

func TestScenarioV62TheHoursAreAskedAtTheDial(t *testing.T) {
	t.Parallel()
	const calls = 500
	slowly := func(c *app.Config) {
		byDay(c)
		two := 2.0
		c.Pacing = app.Pacing{PerSecond: &two, Burst: 5, Patience: "10s"}
	}
	play(t, setting{driver: "memory", config: slowly}, func(w *world) {
		time.Sleep(beforeClosing)
		w.sweep()
		for n := range calls {
			w.send(wish(n))
		}
		w.sweepFor(14 * time.Hour)
		evening, morning := 0, 0
		for _, r := range w.starts() {
			switch clock := r.Time.Add(9 * time.Hour).Format(time.TimeOnly); {
			case clock >= "21:00:00" || clock < "09:00:00":
				t.Fatalf("a phone rang at %s", clock)
			case clock >= "20:00:00":
				evening++
			default:
				morning++
			}
		}
		if evening < 30 || evening+morning != calls {
			t.Errorf("%d rang in the evening and %d in the morning, of %d", evening, morning, calls)
		}
		w.asked(calls)
	})
}

func TestScenarioV32ASlotIsFreedThoughEveryEndIsLost(t *testing.T) {
	t.Parallel()
	one := func(c *app.Config) { c.Limits = app.Limits{Concurrent: 1, SlotLease: "10m"} }
	play(t, setting{config: one}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.met(w.send(wish(2)), call.MetReceived, call.AckDone)
		if c := w.row(wish(2), 0); c.DueReason != call.HeldConcurrency {
			t.Errorf("held for %q", c.DueReason)
		}
		w.sweepFor(2 * time.Minute)
		w.rang(1)
		w.sweepFor(11 * time.Minute)
		w.rang(2)
		if n := w.row(wish(2), 0).Version; n > 20 {
			t.Errorf("%d entries for a call that waited 10 minutes", n)
		}
	})
}

func TestScenarioV31OfFiveAtOnceEachRingsAndNoneIsTurnedAway(t *testing.T) {
	t.Parallel()
	one := func(c *app.Config) { c.Limits = app.Limits{Concurrent: 1, SlotLease: "2m"} }
	play(t, setting{config: one}, func(w *world) {
		w.sweep()
		for n := range 5 {
			w.send(wish(n))
		}
		w.rang(1)
		w.sweepFor(30 * time.Minute)
		w.rang(5)
		starts := w.starts()
		for i := 1; i < len(starts); i++ {
			if gap := starts[i].Time.Sub(starts[i-1].Time); gap < 2*time.Minute {
				t.Errorf("two at once: %s between them", gap)
			}
		}
		w.asked(5)
	})
}

func TestScenarioV56WhatACapHeldDoesNotMoveItsWindow(t *testing.T) {
	t.Parallel()
	hourly := func(c *app.Config) { c.Limits = app.Limits{PerNumber: app.List{"1 per 1h"}} }
	play(t, setting{config: hourly}, func(w *world) {
		minting := func(n int) object { return wish(1).with("notificationId", fmt.Sprintf("minted-%d", n)) }
		w.sweep()
		w.met(w.send(minting(0)), call.MetPlaced, call.AckDone)
		for n := range 11 { // a busy producer with a fresh key each time
			time.Sleep(5 * time.Minute)
			w.sweep()
			w.met(w.send(minting(n+1)), call.MetReceived, call.AckDone)
		}
		w.rang(1)
		time.Sleep(5*time.Minute + time.Second) // an hour after the ring
		w.sweep()
		w.rang(2)
	})
}

func phoneOf(t *testing.T, n int) call.Phone {
	t.Helper()
	p, err := call.ParsePhone(number(n))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestScenarioV83WhoOptsOutIsRungNoMore(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	emergencies := func(c *app.Config) {
		byDay(c)
		p := c.Profiles["alert"]
		p.Urgent = "override_do_not_call"
		c.Profiles["emergency"] = p
	}
	play(t, setting{config: emergencies, log: &log}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		time.Sleep(atNight)
		again := wish(1).with("notificationId", "again")
		w.met(w.send(again), call.MetReceived, call.AckRetry) // it waits for the morning; no sweeper runs now
		list := rules.NewDoNotCall(w.app.Store.Cells, w.app.Cells)
		if fresh, err := list.Add(context.Background(), phoneOf(t, 1), rules.DoNotCallEntry{Reason: "pressed 9", Source: "key-press", By: "flow", At: time.Now()}); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
		time.Sleep(time.Second)
		w.sweepFor(11 * time.Hour)
		if c := w.stands(again, call.Failed); c.Code != call.CodeDoNotCall || !strings.Contains(c.Message, "pressed 9 (key-press)") {
			t.Errorf("%s: %s", c.Code, c.Message)
		}
		if out := w.send(wish(1).with("notificationId", "third")); out.Ack != call.AckRefuse || out.Code != call.CodeDoNotCall {
			t.Errorf("%s, %s: %s", out.Ack, out.Code, out.Message)
		}
		w.rang(1)
		urgent := wish(1).with("notificationId", "fire").with("profile", "emergency").with("urgent", true)
		w.met(w.send(urgent), call.MetPlaced, call.AckDone)
		w.rang(2)
	})
	told := 0
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"override"`) && strings.Contains(line, `"reason":"do_not_call"`) {
			told++
		}
	}
	if told != 1 || strings.Contains(log.String(), number(1)) {
		t.Errorf("the override is told %d times, the number in full: %t", told, strings.Contains(log.String(), number(1)))
	}
}

func TestAPauseActsWithinASecondAndAResumptionAtTheNextSweep(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		pause := rules.Switch{Target: rules.Target{Kind: rules.TargetAll}, By: "ada", At: time.Now(), Why: "a test"}
		if changed, err := rules.Pause(context.Background(), w.app.Store.Cells, pause); err != nil || !changed {
			t.Fatal(changed, err)
		}
		time.Sleep(time.Second)
		for n := range 20 {
			w.send(wish(n + 2))
		}
		w.rang(1)
		w.sweepFor(day)
		w.rang(1)
		if c := w.row(wish(5), 0); c.DueReason != call.HeldPausedAll || c.Version > 3 {
			t.Errorf("version %d, held for %q", c.Version, c.DueReason)
		}
		if changed, err := rules.Resume(context.Background(), w.app.Store.Cells, pause); err != nil || !changed {
			t.Fatal(changed, err)
		}
		time.Sleep(time.Second)
		w.sweep()
		w.rang(21)
	})
}

func TestOneAlarmTellsOfARefusedPrefixHoweverManyCallsWantIt(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	american := func(c *app.Config) { c.Destinations = app.Destinations{Allow: app.List{"US"}} }
	play(t, setting{config: american, log: &log}, func(w *world) {
		for n := range 20 {
			if out := w.send(wish(n)); out.Code != call.CodeDestinationDenied {
				t.Errorf("%s: %s", out.Code, out.Message)
			}
			if n == 10 {
				w.restart(nil)
			}
		}
		w.asked(0)
	})
	if told := strings.Count(log.String(), `"msg":"prefix-refused"`); told != 1 {
		t.Errorf("%d alarms for 20 calls to one prefix", told)
	}
}

// A producer's key leaks and rings dear numbers: what a day may cost is never passed, also over a restart, and what did not ring costs nothing.
func TestACeilingOfMoneyIsKeptOverARestartAndEndsByAPerson(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	priced := func(c *app.Config) {
		c.Limits.Cost = app.Cost{
			Currency: "USD", Prices: []app.Price{{PerCall: "1"}, {Prefix: "+8190", PerCall: "1", PerMinute: "0.01"}}, // 240 minutes
			Ceilings: []app.Ceiling{{PerDay: "17.50"}},
		}
	}
	play(t, setting{config: priced, log: &log, faults: "refuse(DestinationNotAllowedException) nth=2"}, func(w *world) {
		w.sweep()
		for n := range 12 {
			w.send(wish(n + 1))
			if n == 3 {
				w.restart(nil)
				w.sweep()
			}
		}
		w.rang(5) // 3.40 each, and one was refused
		if c := w.row(wish(12), 0); c.DueReason != call.HeldPausedAll {
			t.Errorf("held for %q", c.DueReason)
		}
		w.sweepFor(2 * day)
		w.rang(5)
		resume := rules.Switch{Target: rules.Target{Kind: rules.TargetAll}, By: "ada", At: time.Now(), Why: "it was meant"}
		if changed, err := rules.Resume(context.Background(), w.app.Store.Cells, resume); err != nil || !changed {
			t.Fatal(changed, err)
		}
		time.Sleep(time.Second)
		w.sweep()
		w.rang(10)
	})
	if told := strings.Count(log.String(), `"msg":"limit-reached"`); told != 2 || !strings.Contains(log.String(), "17.50 USD per 24h0m0s") {
		t.Errorf("%d alarms, want one before the resumption and one after it: %s", told, log.String())
	}
}

func TestTheFirstCallToACountryAlarmsOnceAndRings(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	play(t, setting{log: &log}, func(w *world) {
		for n := range 4 {
			w.met(w.send(wish(n+1)), call.MetPlaced, call.AckDone)
			w.restart(nil)
		}
		w.met(w.send(wish(9).with("destinationPhoneNumber", "+12025550100")), call.MetPlaced, call.AckDone)
		w.rang(5)
	})
	var told []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"msg":"new-country"`) {
			told = append(told, line)
		}
	}
	if len(told) != 2 || !strings.Contains(told[0], "first call to JP") || !strings.Contains(told[1], "first call to US") || !strings.Contains(told[1], `"alarm":true`) {
		t.Errorf("%d lines: %v", len(told), told)
	}
}

package scenariotest

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// dated returns a request that was first made now.
func dated(request object) object {
	return request.with("requestedAt", time.Now().UTC().Format(time.RFC3339))
}

func TestScenarioI70TwoWindowsOnOneLedgerAreBothHonored(t *testing.T) {
	t.Parallel()
	two := func(c *app.Config) {
		long := c.Profiles["alert"]
		long.Window = "30d"
		c.Profiles["monthly"] = long
	}
	play(t, setting{window: "1h", config: two}, func(w *world) {
		hourly, monthly := wish(1), wish(2).with("profile", "monthly")
		w.send(dated(hourly))
		w.send(dated(monthly))
		time.Sleep(2 * time.Hour)
		w.met(w.send(dated(hourly)), call.MetPlaced, call.AckDone)
		w.suppressed(w.send(dated(monthly)), call.ReasonDuplicate, monthly)
		if c := w.row(hourly, 1); c.State != call.Placed || c.Cause != call.CauseWindow {
			t.Errorf("after its hour: %v", c)
		}
		w.rang(3)
	})
}

func TestScenarioV56WhatWasSuppressedDoesNotMoveTheWindow(t *testing.T) {
	t.Parallel()
	play(t, setting{window: "1h"}, func(w *world) {
		w.send(dated(wish(1)))
		for range 11 { // a busy producer
			time.Sleep(5 * time.Minute)
			w.suppressed(w.send(dated(wish(1))), call.ReasonDuplicate, wish(1))
		}
		w.rang(1)
		time.Sleep(6 * time.Minute) // 61 minutes after the ring
		w.met(w.send(dated(wish(1))), call.MetPlaced, call.AckDone)
		w.rang(2)
	})
}

func TestScenarioV16AFlappingAlertIsSuppressedByItsEpisode(t *testing.T) {
	t.Parallel()
	play(t, setting{window: "25d"}, func(w *world) {
		w.send(dated(wish(1)))
		time.Sleep(10 * day) // resolved, and it fires again under the same episode
		w.suppressed(w.send(dated(wish(1))), call.ReasonDuplicate, wish(1))
		w.rang(1)
		w.met(w.send(dated(wish(1).with("notificationId", "n-1-second-episode"))), call.MetPlaced, call.AckDone)
		w.rang(2)
	})
}

func TestScenarioV43TwoEqualBodiesAreTwoRequests(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		door := func(id string) object {
			return wish(1).with("notificationId", id).with("attributes", object{"text": "door open"})
		}
		w.met(w.send(door("monday")), call.MetPlaced, call.AckDone)
		time.Sleep(day)
		w.met(w.send(door("tuesday")), call.MetPlaced, call.AckDone)
		w.rang(2)
		anonymous := door("wednesday").with("notificationId", nil) // nothing but a body: no hash of it stands in for the id
		if out := w.send(anonymous); out.Ack != call.AckRefuse {
			t.Errorf("a body without an id met %s", out.Met)
		}
		w.rang(2)
	})
}

func TestScenarioV44ADailyReminderRingsOnTheSecondDay(t *testing.T) {
	t.Parallel()
	play(t, setting{window: "12h"}, func(w *world) {
		for d := range 3 {
			byDate := wish(1).with("notificationId", "reminder-"+time.Now().UTC().Format(time.DateOnly))
			w.met(w.send(byDate), call.MetPlaced, call.AckDone) // the occurrence is part of the key
			w.suppressed(w.send(byDate), call.ReasonDuplicate, byDate)
			byWindow := dated(wish(2))
			w.met(w.send(byWindow), call.MetPlaced, call.AckDone) // or the window is shorter than a day
			w.send(byWindow)
			w.rang(2 * (d + 1))
			time.Sleep(day)
		}
	})
}

func TestScenarioV49ANewEpisodeDoesNotInheritACancel(t *testing.T) {
	t.Parallel()
	play(t, setting{config: paused}, func(w *world) {
		w.sweep()
		w.send(dated(wish(1)))
		time.Sleep(time.Second)
		w.met(w.sendAs("m-ack", cancel(1, time.Now())), call.MetCancelKept, call.AckDone)
		w.restart(func(*app.Config) {})
		time.Sleep(time.Hour)
		w.met(w.send(dated(wish(1).with("notificationId", "n-1-second-episode"))), call.MetPlaced, call.AckDone)
		w.sweepFor(day)
		w.stands(wish(1), call.Canceled)
		w.rang(1)
	})
}

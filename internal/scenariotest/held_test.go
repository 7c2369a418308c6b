package scenariotest

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// loses is a way of hints that takes each of them and gives none.
type loses struct{ taken int }

func (l *loses) Wake(context.Context, string, time.Time) error {
	l.taken++
	return nil
}

// hints configures a queue of hints.
func hints(c *app.Config) {
	c.Wake = app.Wake{QueueURL: "https://sqs.us-east-1.amazonaws.com/111122223333/wake"}
}

// The deployed function has no process that sweeps: a schedule invokes it every minute with a document, on whichever instance. What it finds
// due it finds in the ledger, so that the hint of a held call may be lost.
func TestAHeldCallIsWokenByTheScheduledSweepOnDynamoDBWhenEveryHintIsLost(t *testing.T) {
	t.Parallel()
	heldAndSwept(t, "dynamodb", func(w *world) {
		w.restart(nil) // another instance than the one that held it
		w.deliver([]byte(`{"ringonce":"sweep"}`))
	})
}

func TestAHeldCallIsWokenByTheInProcessSweepOnSQLiteWhenEveryHintIsLost(t *testing.T) {
	t.Parallel()
	heldAndSwept(t, "sqlite", func(w *world) { w.sweep() })
}

// heldAndSwept holds a call, and sweeps each minute as a deployment does. The sweep dials it when its due has come, and not before.
func heldAndSwept(t *testing.T, driver string, sweep func(w *world)) {
	t.Helper()
	lost := &loses{}
	play(t, setting{driver: driver, config: hints, waker: lost, faults: "throttle times=1"}, func(w *world) {
		sweep(w) // the heartbeat that lets a held call be acknowledged
		request := wish(1)
		w.met(w.send(request), call.MetReceived, call.AckDone)
		held := w.row(request, 0)
		if held.DueReason == "" || !held.Due.After(time.Now()) || lost.taken != 1 {
			t.Fatalf("held until %s for %q, %d hints lost", held.Due, held.DueReason, lost.taken)
		}
		sweep(w)
		w.rang(0)
		for range 10 {
			time.Sleep(time.Minute)
			sweep(w)
		}
		w.stands(request, call.Placed)
		w.rang(1)
		if placed := w.row(request, 0).PlacedAt; placed.Before(held.Due) || placed.Sub(held.Due) > time.Minute {
			t.Errorf("due %s, placed %s", held.Due, placed)
		}
	})
}

// Without a sweep nothing moves: the test above would see a sweep that finds nothing.
func TestAHeldCallStaysHeldWhileNothingSweepsAndEveryHintIsLost(t *testing.T) {
	t.Parallel()
	play(t, setting{config: hints, waker: &loses{}, faults: "throttle times=1"}, func(w *world) {
		w.sweep()
		request := wish(1)
		w.send(request)
		time.Sleep(time.Hour)
		w.stands(request, call.Received)
		w.rang(0)
		w.sweep()
		w.rang(1)
	})
}

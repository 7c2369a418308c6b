package crashtest

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

// settle lets processes live until everything that was asked for has come to an end. Each of them is told to end, as a deployment does.
func (w *world) settle() {
	w.mu.Lock()
	w.armed = point{}
	w.mu.Unlock()
	plan := w.emulator.Plan()
	if err := w.emulator.SetPlan(connectemu.Plan{}); err != nil {
		w.t.Fatal(err)
	}
	defer func() {
		if err := w.emulator.SetPlan(plan); err != nil {
			w.t.Fatal(err)
		}
	}()
	refuse := w.setting.refuse
	w.setting.refuse = false
	defer func() { w.setting.refuse = refuse }()
	for next, lives := pastLease, 0; lives < calmLives; lives++ {
		w.pass(next)
		w.calm()
		waiting, doubts := w.unfinished()
		if w.queue.left() == 0 && waiting+doubts == 0 {
			return
		}
		if next = max(pastLease, w.wait()+time.Second); waiting == 0 && doubts > 0 {
			next = doubtsOver
		}
	}
	waiting, doubts := w.unfinished()
	w.find("%d messages are not acknowledged, %d calls not finished and %d doubts not looked at after %d calm lives; the last one said: %s", w.queue.left(), waiting, doubts, calmLives, w.last)
}

// calmLives is how many of them may be needed: a list of three takes six, each a few minutes after the one before.
const calmLives = 60

// doubtsOver is longer than evidence is looked for (protocol.md section 10).
const doubtsOver = 25 * time.Hour

// longCalm is enough for several searches, whose pace is one in two seconds.
const longCalm = 12 * time.Second

// calm is a life that is told to end when nothing is left to do now.
func (w *world) calm() {
	w.queue.touch()
	p := w.serve(false, point{})
	for begun := time.Now(); time.Since(begun) < startUp; {
		time.Sleep(quiet)
		heard := w.heardAt()
		if !heard.IsZero() && (time.Since(heard) > longCalm || (w.queue.idle(3*quiet) && w.wait() > 0)) {
			break
		}
	}
	if p.dead() {
		w.find("a process ended by itself (%s): %s", p.cmd.ProcessState, p.log)
	}
	w.ends(true)
	if err := p.end(); err != nil {
		w.find("%v", err)
	}
	w.ends(false)
	w.last = p.log.String()
	w.queue.lapse()
}

// ends says whether the process is ending: it starts nothing then, and what it returns is hidden until it is dead.
func (w *world) ends(yes bool) {
	w.ending.Store(yes)
	w.queue.hide(yes)
}

// wait returns how long nothing in the ledger is due; a lease when nothing ever is.
func (w *world) wait() time.Duration {
	next := pastLease
	now, first := w.clock.Now(), true
	for _, c := range w.rows() {
		if due := c.DueAt(); !due.IsZero() && (first || due.Sub(now) < next) {
			next, first = due.Sub(now), false
		}
	}
	return next
}

// unfinished returns how many rows of the ledger wait, for a dial or for their next ring, and how many doubts will be looked at again.
func (w *world) unfinished() (waiting, doubts int) {
	for _, c := range w.rows() {
		switch {
		case c.State == call.InDoubt && c.Next == nil && !c.DueAt().IsZero():
			doubts++
		case !c.State.Final() || !c.DueAt().IsZero():
			waiting++
		}
	}
	return waiting, doubts
}

// rows reads the ledger beside whoever holds it.
func (w *world) rows() map[string]call.Call {
	rows := map[string]call.Call{}
	w.read(func(store *app.Store) error {
		return store.Admin.Each(w.t.Context(), func(c call.Call, _ []call.Entry) error {
			rows[c.ID] = c
			return context.Cause(w.t.Context())
		})
	})
	return rows
}

// parked returns the ids of the records that wait, in their order.
func (w *world) parked() (ids []string) {
	w.read(func(store *app.Store) error {
		list, err := store.Parking.ListParked(w.t.Context(), 10_000)
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		return err
	})
	slices.Sort(ids)
	return ids
}

// read opens the ledger beside whoever holds it.
func (w *world) read(look func(*app.Store) error) {
	config, err := app.LoadFile(w.path("ringonce.yaml"))
	if err != nil {
		w.t.Fatal(err)
	}
	store, _, err := config.OpenLedger(w.t.Context(), app.Options{Stores: stores.All(), Clock: w.clock, LookupEnv: app.LookupNothing, ReadOnly: true, Random: seeded{rand.New(rand.NewPCG(1, 1))}})
	if err != nil {
		w.t.Fatal(err)
	}
	err = look(store)
	if closeErr := store.Close(); err != nil || closeErr != nil {
		w.t.Fatal(err, closeErr)
	}
}

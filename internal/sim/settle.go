package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// calm ends all faults: every part of the world works, every process starts anew, every clock is right. "scan=yes" shows a restored ledger all
// contacts, "deploy=other-flow" leaves the last configuration changed.
func calm(ctx context.Context, w *World, a Act) error {
	w.calm = true
	w.outage, w.diskFull = time.Time{}, time.Time{}
	if w.store != nil {
		w.store.Quiet(true)
	}
	w.phone.down(time.Time{})
	w.net.Calm()
	for _, k := range w.workers {
		k.step(0, 0)
		if k.deployed = a.value("deploy"); k.deployed == "" {
			k.deployed = deployUsual
		}
		w.restart(k)
	}
	w.resumeEverything(ctx)
	time.Sleep(8 * time.Minute) // the steps of the clocks and what is late on its way
	if a.value("scan") == "yes" && w.truth.restored {
		w.scan(ctx)
	}
	return nil
}

// mostSettling bounds how long everything takes to come to its end once the faults are over: the 6 days in which a call may still be sent, the
// day that evidence is looked for after that, and the same again for sources that begin to deliver when the first is nearly over. What comes
// after rings, and what keeps them, is added ([AfterSwitch]).
const mostSettling = 2 * (call.TokenUse + 24*time.Hour)

// settle delivers what is not acknowledged until it is, and sweeps until nothing is due. "close=yes" closes the recovery of a restored ledger
// on the way, "forget=yes" erases the recipient at the end.
func settle(ctx context.Context, w *World, a Act) error {
	if !w.calm {
		return fmt.Errorf("nothing settles before it is calm")
	}
	if a.value("close") == "yes" && w.truth.restored {
		for _, m := range w.messages { // also what is newer than the restore, and what a client has given up: the archive is replayed as a whole
			if !w.net.last[m.name].acknowledged {
				w.net.owe(m.name)
			}
		}
	}
	began, dated := time.Now(), w.ahead
	for round := 0; ; round++ {
		w.payOwed(ctx)
		w.drain(ctx)
		left := w.unanswered()
		if left == "" {
			break
		}
		if round == 60 && dated > day { // what a clock that was so far ahead has dated waits for its date
			w.pass(ctx, max(0, time.Until(began.Add(dated))))
			round, dated = 0, 0
		}
		if round == 60 {
			w.find("the message %s is never acknowledged", left)
			break
		}
		w.pass(ctx, []time.Duration{time.Minute, 10 * time.Minute, time.Hour, 9 * time.Hour}[min(round/6, 3)])
		w.net.Redrive(time.Now().UTC())
	}
	w.judgeAcknowledged()
	if a.value("close") == "yes" && w.truth.restored && !w.options.Plant.NoRecovery {
		w.closeRecovery(ctx)
	}
	w.truth.quiet = true
	w.rest(ctx)
	if took := time.Since(began); took > mostSettling+w.Setting.After.settling(w.longestList())+w.ahead {
		w.find("without faults it took %s until everything had come to its end", took)
	}
	if a.value("forget") == "yes" {
		w.forgetAtLast(ctx)
	}
	return nil
}

// unanswered returns a message whose source waits for an acknowledgement and that was not refused for good, empty when there is none.
func (w *World) unanswered() string {
	if len(w.net.owed) > 0 {
		return w.net.owed[0]
	}
	for _, s := range w.net.Alive() {
		if s.State == transport.StateDeadLetter && !w.net.last[s.MessageID].refused {
			return s.MessageID
		}
	}
	return ""
}

// mostSteps bounds how long the sources may go on by themselves: far more than any policy of theirs allows.
const mostSteps = 20_000

// drain lets the sources do what they do until they have nothing left to do.
func (w *World) drain(ctx context.Context) {
	for range mostSteps * w.crowd() {
		at, more := w.net.Next()
		if !more || (time.Until(at) > time.Hour && w.onlyDead()) {
			return
		}
		if due := w.nextDue(); w.sweeps() && !due.IsZero() && due.Before(at) {
			w.sleepUntil(ctx, due)
			time.Sleep(time.Second)
			w.act(ctx, do("sweep", w.turn().name))
			continue
		}
		w.sleepUntil(ctx, at)
		w.deliverDue(ctx)
	}
	w.find("the sources never come to rest")
}

// onlyDead reports whether nothing waits but dead letters, which expire if nobody redrives them.
func (w *World) onlyDead() bool {
	return !slices.ContainsFunc(w.net.Alive(), func(s transport.Status) bool { return s.State != transport.StateDeadLetter })
}

// payOwed delivers once what is owed; what is not acknowledged stays owed.
func (w *World) payOwed(ctx context.Context) {
	for _, name := range append([]string(nil), w.net.owed...) {
		w.act(ctx, do("redeliver", name, "to="+w.turn().name))
		w.dialWaiting(ctx)
	}
}

// deliverDue starts every invocation that is due.
func (w *World) deliverDue(ctx context.Context) {
	if w.sweeps() && time.Since(w.beat) > time.Minute {
		w.act(ctx, do("sweep", w.turn().name))
	}
	for {
		d, more := w.net.Take(time.Now().UTC())
		if !more {
			return
		}
		w.take(ctx, d, w.turn(), nil)
		w.dialWaiting(ctx)
	}
}

// take delivers what a source has begun to deliver.
func (w *World) take(ctx context.Context, d transport.Delivery, k *worker, strikes []Strike) {
	a := Act{Verb: "deliver", Values: []Value{{"to", k.name}}, Strikes: strikes}
	for _, r := range d.Records {
		a.Words = append(a.Words, r.MessageID)
	}
	w.net.taken = &d
	w.act(ctx, a)
}

// act does an act of the world itself, which always makes sense.
func (w *World) act(ctx context.Context, a Act) {
	if err := w.Do(ctx, a); err != nil {
		w.find("%v", err)
	}
}

func (w *World) turn() *worker {
	w.turns++
	return w.workers[w.turns%len(w.workers)]
}

func (w *World) sweeps() bool { return w.Setting.Sweeper || w.truth.quiet }

// pass lets time pass; a sweeper that runs takes each row when it is due.
func (w *World) pass(ctx context.Context, d time.Duration) {
	target := time.Now().Add(d)
	for range 40 {
		due := w.nextDue()
		if !w.sweeps() || due.IsZero() || due.After(target) {
			break
		}
		w.sleepUntil(ctx, due)
		time.Sleep(time.Second)
		w.act(ctx, do("sweep", w.turn().name))
	}
	w.sleepUntil(ctx, target)
}

// sleepUntil lets time pass until at, if that is still to come, and delivers the hints that arrive meanwhile.
func (w *World) sleepUntil(ctx context.Context, at time.Time) {
	w.takeHints(ctx, at)
	if wait := time.Until(at); wait > 0 {
		time.Sleep(wait)
	}
}

// mostRests bounds the sweeps until nothing is due in a life of few requests: a body that names a lost flow is sent for 6 days, every 15 minutes, and
// a dozen rings of one key may do so one after another.
const mostRests = 12_000

// crowd is how many lives of few requests this one is like: each of its rows is due on its own.
func (w *World) crowd() int { return max(1, w.options.Requests/fewRequests) }

// fewRequests is how many a life has at most that draws their number.
const fewRequests = 9

// rest sweeps until nothing is due any more.
func (w *World) rest(ctx context.Context) {
	w.act(ctx, do("sweep"))
	for range mostRests * w.crowd() {
		due := w.nextDue()
		if due.IsZero() {
			return
		}
		w.sleepUntil(ctx, due)
		time.Sleep(time.Second)
		w.act(ctx, do("sweep", w.turn().name))
	}
	w.find("something is due for ever")
}

// late delivers every message once more, long after: "late 60d".
func late(ctx context.Context, w *World, _ Act) error {
	before := len(w.phone.rings())
	for _, m := range w.messages {
		w.act(ctx, do("redeliver", m.name, "to="+w.turn().name))
		w.dialWaiting(ctx)
	}
	w.rest(ctx)
	if len(w.phone.rings()) != before {
		w.mark("rang after everything was delivered")
	}
	w.lateHints(ctx)
	return nil
}

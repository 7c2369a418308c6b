package crashtest

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// killsOfChapters is how many kills the chapters take.
const killsOfChapters = 43

// settled is later than any attempt can still be accepted (protocol.md section 5).
const settled = 32 * time.Minute

// chapters are histories for the effects that need one of their own: nothing else happens in them, so that processes die where they are meant to. Each
// begins when everything before has come to an end.
func (w *world) chapters() {
	refuse := w.setting.refuse
	w.setting.refuse = false // an answer of the telephone that was refused would end what a chapter is about
	defer func() { w.setting.refuse = refuse }()
	for _, tell := range []func(){w.looks, w.doubts, w.releases, w.limits, w.drops, w.erasures, w.recovery, w.continuations} {
		tell()
		w.settle()
	}
}

// diesAt is a patient life with its point; a point that is not passed is counted, and reported when no process died at it.
func (w *world) diesAt(name string) {
	w.patient = true
	defer func() { w.patient = false }()
	w.life(false, point{name: name, nth: 1})
}

// looks cuts a dial off whose time limit then passes; the look for what became of it finds nothing.
func (w *world) looks() {
	for _, when := range []string{before, after} {
		w.publish(1, kindLate)
		w.diesAt(pointRequestCut)
		w.pass(settled)
		w.diesAt("write looked" + when)
	}
}

// doubts cuts a dial off whose time limit then passes: nothing is found, and the call is in doubt. A person writes notes beside it.
func (w *world) doubts() {
	for _, when := range []string{before, after} {
		w.publish(1, kindLate)
		w.diesAt(pointRequestCut)
		w.pass(settled)
		w.diesAt("write doubted" + when)
	}
	for id, c := range w.rows() {
		if c.State != call.InDoubt || c.IsForgotten() {
			continue
		}
		for _, when := range []string{before, after} {
			w.diesActing("write noted"+when, "doubt", "close", "--note", "nobody heard it", "--actor", "ann", id)
		}
		return
	}
}

// releases lets a call go that is held after it was throttled, and is throttled again.
func (w *world) releases() {
	held := w.asks(anybody, kindThrottled)
	w.diesAt("write result:after")
	for _, when := range []string{before, after} {
		w.diesActing("write released"+when, "held", "release", "--reason", "it is urgent", "--actor", "ann", held.row(0))
	}
}

// limits are calls that are throttled until their time limit, or the number of their attempts, ends them.
func (w *world) limits() {
	for _, c := range []struct {
		kind kind
		ends string
	}{{kindExpiring, "write expired"}, {kindTired, "write failed"}} {
		for _, when := range []string{before, after} {
			w.publish(1, c.kind)
			w.diesAt("write result:after")
			w.pass(pastLease)
			w.diesAt(c.ends + when)
		}
	}
}

// drops gives parked records up.
func (w *world) drops() {
	w.litter(2)
	w.settle()
	ids := w.parked()
	for i, when := range []string{before, after} {
		if i >= len(ids) {
			return // reported: nothing dies there
		}
		w.diesActing("close parked"+when, "parked", "drop", ids[i])
		w.acts("parked", "drop", ids[i])
		w.dropped++
	}
}

// erasures forgets a recipient of two rings, whose key is marked before, and one of a single ring.
func (w *world) erasures() {
	twice, once := w.asks("gone-1", kindAgain), w.asks("gone-2", kindPlain)
	once.plain = false
	w.settle()
	forget := func(who string) []string {
		return []string{"calls", "forget", "--reason", "they asked for it", "--actor", "ann", who}
	}
	w.keeps(twice.to, true)
	for _, name := range []string{
		"write forgetting:before", "write forgetting:after", "write forgotten:before", "write forgotten:after", "write forgotten:before", "scrub:before", "scrub:after",
	} {
		w.diesActing(name, forget(twice.to)...)
	}
	w.acts(forget(twice.to)...)
	w.diesActing("write forgotten:after", forget(once.to)...)
	w.acts(forget(once.to)...)
	w.keeps(twice.to, false)
	w.keeps(once.to, false)
	for range 4 { // what asks for them again must not ring
		w.queue.replay(w.clock.Now())
	}
	w.queue.send(twice.body(twice.numbers[0], w.clock.Now().Add(-time.Hour), nil), w.clock.Now())
}

// keeps looks for a text in every file beside the ledger, which no process holds open.
func (w *world) keeps(text string, want bool) {
	w.t.Helper()
	found := false
	files, err := filepath.Glob(w.path("ledger/*"))
	if err != nil || len(files) == 0 {
		w.t.Fatal(files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.IsDir() { // the spool
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		found = found || bytes.Contains(content, []byte(text))
	}
	if found != want {
		w.find("%q is in the files of the ledger: %t", text, found)
	}
}

// firstEpoch is that of a new ledger.
const firstEpoch = 1

// recovery opens one while dials are open, as after a restore, takes requests while it is open, and closes it.
func (w *world) recovery() {
	recovering := func(more ...string) []string { return append([]string{"ledger", "recover", "--yes"}, more...) }
	w.publish(5, kindPlain)
	w.diesAt(pointRequestCut)
	w.diesActing("begin recovery:before", recovering("--force")...)
	w.diesActing("begin recovery:after", recovering("--force")...)
	w.diesActing("write tainted:before", recovering()...)
	w.diesActing("write tainted:after", recovering()...)
	w.acts(recovering()...)
	w.publish(3, kindPlain)
	w.diesAt("create with intent:after")
	w.pass(pastLease)
	w.diesAt("dial:after")
	w.settle()
	w.diesActing("close recovery:before", recovering("--close")...)
	w.acts(recovering("--close")...)
	w.acts(recovering("--force")...)
	w.diesActing("close recovery:after", recovering("--close")...)
	w.read(func(store *app.Store) error {
		identity, err := store.Ledger.Identity(w.t.Context())
		if err == nil && (identity.Recovery != nil || identity.Epoch != firstEpoch+2) {
			w.find("after two recoveries the ledger is at epoch %d, one open: %t", identity.Epoch, identity.Recovery != nil)
		}
		return err
	})
}

// continuations throttle a second ring until its token is too old: the request goes on under a third ring number.
func (w *world) continuations() {
	s := w.asks(anybody, kindThrottled)
	s.rings, s.states = 2, []call.State{call.Placed, call.Failed}
	w.settle()
	w.pass(2 * window)
	w.queue.send(s.body(s.numbers[0], w.clock.Now(), nil), w.clock.Now())
	w.diesAt("write result:after")
	w.pass(call.TokenUse + time.Hour)
	w.diesAt("write superseded:before")
	w.diesAt("write superseded:after")
}

package call

import (
	"context"
	"encoding/binary"
	"maps"
	"sync/atomic"
	"time"
)

// Rehearsal previews deliveries in the order in which they would be placed. It runs Place itself, on a stage where nothing is real: writes
// land in memory over the ledger, pacing always has a slot, and a dial is taken down and answered as accepted. So a later delivery sees
// what an earlier one would have done, and a preview cannot decide differently from Place.
//
// It asks the ledger itself, never an engine's memory of placed calls: that one answers a duplicate by an earlier ring without moving a
// later one on, so a due ring that is previewed can be left to the sweep. It is not safe for concurrent use.
type Rehearsal struct {
	place  func(context.Context, Delivery) Outcome
	key    func(Delivery) (rowID, fingerprint string, err error)
	ledger *shadow // nil without a ledger
	phone  *understudy

	count int
	keys  map[string]sighting // by the first row of a key
	rang  map[string]int      // number of the delivery that rings a row
}

// sighting is the first delivery of a key in a rehearsal.
type sighting struct {
	number      int
	fingerprint string // of the first request; a cancel has none
}

// Rehearse begins a rehearsal on the ledger as it is.
func (e *Engine) Rehearse() *Rehearsal {
	ledger := newShadow(e.Ledger, e.Journal)
	r := newRehearsal(ledger)
	twin := e.twin(r.phone)
	twin.Ledger, twin.Journal = ledger, ledger
	r.place, r.key = twin.place, twin.Key
	return r
}

// Rehearse begins a rehearsal without a ledger.
func (d *Direct) Rehearse() *Rehearsal {
	r := newRehearsal(nil)
	twin := &Direct{engine: d.engine.twin(r.phone)}
	r.place, r.key = twin.place, twin.Key
	return r
}

func newRehearsal(ledger *shadow) *Rehearsal {
	return &Rehearsal{ledger: ledger, phone: &understudy{ledger: ledger}, keys: map[string]sighting{}, rang: map[string]int{}}
}

// twin returns an engine of the same configuration whose effects reach nobody. It knows which profiles are paused.
func (e *Engine) twin(phone *understudy) *Engine {
	c := e.Config
	phone.Dialer = c.Dialer
	c.Describes = nil
	c.Dialer, c.Pacer, c.Searches, c.Observer, c.Waker, c.Waits, c.Spool, c.Random = phone, freely{}, freely{}, freely{}, nil, nil, nil, &counting{}
	c.Gate, c.Denied = rehearsedGate(c.Gate), nil
	c.Eraser, c.Parked, c.Peek, c.Remember = nil, nil, nil, 0 // the last two answer from older copies; the ledger itself is asked
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Engine{Config: c, paused: maps.Clone(e.paused), identity: e.identity}
}

// Preview previews the next delivery.
func (r *Rehearsal) Preview(ctx context.Context, d Delivery) Preview {
	r.count++
	rowID, fingerprint, keyErr := r.key(d)
	seen, again := r.keys[rowID]
	if keyErr == nil && (!again || seen.fingerprint == "") {
		r.keys[rowID] = sighting{number: orNumber(seen.number, r.count), fingerprint: fingerprint}
	}
	p := Preview{SameAs: seen.number}
	if keyErr == nil && r.ledger == nil && r.shared(&p, d, rowID, fingerprint, seen) {
		return p
	}
	r.phone.begin()
	out := r.place(endless{ctx}, d)
	p.Looks, p.Stops = r.phone.searched, r.phone.stopped
	if dial, ok := r.phone.first(); ok {
		r.rang[dial.row.ID] = r.count
		p.Verdict, p.Reason, p.Outcome = VerdictRing, dial.reason(r.ledger == nil), Outcome{Call: dial.row, Undated: out.Undated}
		if dial.again {
			p.Verdict = VerdictResend
		}
		return p
	}
	p.Verdict, p.Reason, p.Outcome = verdictOf(out), out.Suppressed, out
	if number, rings := r.rang[out.Call.ID]; rings { // the row as it will be is not known; that it rings is
		p.Outcome.Call, p.Outcome.ContactID = Call{ID: out.Call.ID, Key: out.Call.Key, Ring: out.Call.Ring}, ""
		if p.Verdict == VerdictPlaced {
			p.Verdict, p.SameAs = VerdictRepeat, number
		}
	}
	return p
}

// shared answers from an earlier delivery of the rehearsal where no ledger does: one token never carries two bodies, and records with one
// token share the answer of the first.
func (r *Rehearsal) shared(p *Preview, d Delivery, rowID, fingerprint string, seen sighting) bool {
	number, rings := r.rang[rowID]
	switch {
	case d.Request.Action == ActionCancel:
		return false
	case seen.fingerprint != "" && seen.fingerprint != fingerprint:
		p.Verdict = VerdictConflict
		p.Outcome = outcomeError(MetConflict, refuse(CodeConflict, "", "Send a new recallId for an intended re-call, or correct the producer.",
			"An earlier record asks for this key with another number, profile or attributes."))
		p.Outcome.By = rowID
	case rings:
		p.Verdict, p.Reason, p.SameAs = VerdictRepeat, ReasonDuplicate, number
		p.Outcome = Outcome{Call: Call{ID: rowID}, By: rowID, Suppressed: ReasonDuplicate, Replayed: true}
	default:
		return false
	}
	return true
}

func orNumber(number, otherwise int) int {
	if number > 0 {
		return number
	}
	return otherwise
}

// endless is a context without a deadline: a preview says what happens, not whether there is time for it.
type endless struct{ context.Context }

// Deadline implements context.Context.
func (endless) Deadline() (time.Time, bool) { return time.Time{}, false }

// freely is a pacer that always has a slot and takes none, and an observer that tells nobody.
type freely struct{}

// Reserve implements [Pacer].
func (freely) Reserve(string, time.Time, time.Duration) (time.Duration, bool) { return 0, true }

// Return implements [Pacer].
func (freely) Return(string, PaceSlot, time.Time) {}

// Decided implements [Observer].
func (freely) Decided(context.Context, Decided) {}

// counting is a source of bytes for ids that never leave a rehearsal.
type counting struct{ n atomic.Uint64 }

// Read implements io.Reader.
func (c *counting) Read(p []byte) (int, error) {
	var word [8]byte
	for filled := 0; filled < len(p); {
		binary.BigEndian.PutUint64(word[:], c.n.Add(1))
		filled += copy(p[filled:], word[:])
	}
	return len(p), nil
}

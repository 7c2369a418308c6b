package sim

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// lifeTruth is what the world knows of what came after rings, and of what kept them.
type lifeTruth struct {
	acked       map[string]known1      // first rows: the latest acknowledgment or confirmation that was answered
	pressed     map[string]time.Time   // contacts: when a key that confirms was first reported
	confirmed   map[string]bool        // contacts whose confirmation is kept, said the answer
	hungUp      map[string][]time.Time // contacts: when we hung them up, or told their flow to
	undescribed map[string]time.Time   // contacts: when DescribeContact last failed
	asked       map[string][]asking    // rows: when attempts were decided
	attempts    map[string]asking
	paused      []pausing
	resumed     []time.Time // when everything was: what was dialed before counts for no speed
}

// known1 is a wish that was answered: for requests until at, in the order of what became durable.
type known1 struct {
	at  time.Time
	seq int
}

// asking is when a worker decided to dial, and how wrong its clock was.
type asking struct {
	at   time.Time
	skew time.Duration
	nth  int // of all: many are decided in one instant of virtual time
}

func newLifeTruth() lifeTruth {
	return lifeTruth{
		acked: map[string]known1{}, pressed: map[string]time.Time{}, confirmed: map[string]bool{}, hungUp: map[string][]time.Time{},
		undescribed: map[string]time.Time{}, asked: map[string][]asking{}, attempts: map[string]asking{},
	}
}

// asked notes when a worker decides to open an attempt: everything that may delay it comes after that.
func (w *World) asked(k *worker, write call.Write) {
	if write.Entry.Kind != call.EventIntent && write.Entry.Kind != call.EventAccepted || len(write.Row.Open) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	life := &w.truth.life
	a := asking{time.Now(), k.off(), len(life.attempts)}
	attempt := write.Row.Open[len(write.Row.Open)-1]
	if _, known := life.attempts[attempt.ID]; known || attempt.Phantom {
		return
	}
	life.attempts[attempt.ID] = a
	life.asked[write.Row.ID] = append(life.asked[write.Row.ID], a)
}

// undescribed notes that nobody could say what became of a contact.
func (w *World) undescribed(contact string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.truth.life.undescribed[contact] = time.Now()
}

// hangingUp notes that a contact was to be hung up at a time, by a worker or by its flow.
func (w *World) hangingUp(contact string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.truth.life.hungUp[contact] = append(w.truth.life.hungUp[contact], at)
}

// lifeRows returns the rows of the ledger; those that were forgotten as they were before.
func (w *World) lifeRows() []call.Call {
	rows := w.rows()
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, c := range rows {
		if was, known := w.truth.was[c.ID]; known && c.IsForgotten() {
			rows[i] = was
		}
	}
	return rows
}

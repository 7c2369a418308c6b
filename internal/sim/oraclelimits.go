package sim

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// limited is a ring with what its limits need of it.
type limited struct {
	ring

	row             call.Call
	decided, ended  time.Time // decided: the last dial of its row before it
	first           time.Time // the first of them
	dials           int       // how many
	nth, begun      int       // of all decisions, this one and the first
	slotUntil       time.Time
	passes, unclear bool
}

// judgeLimits sees that no number was rung oftener than its cap allows, and that no more contacts were alive than there are slots. A call counts
// once; one that was urgent passes a cap, and counts. A slot whose lease has ended explains one more.
func (w *World) judgeLimits(rows []call.Call, rings []ring) {
	s := w.Setting.After
	if s.Cap == "" && s.Slots == 0 && s.Speed == "" {
		return
	}
	most, per, _ := rate(s.Cap)
	var all []limited
	for _, r := range rings {
		one, known := w.limitedRing(rows, r)
		if !known {
			continue
		}
		counts, alive := counted{}, counted{}
		for _, o := range all {
			if o.row.ID == one.row.ID || o.nth >= one.nth {
				continue
			}
			if o.number == one.number && o.at.After(one.decided.Add(-per+w.clockError()+lateRing)) {
				w.countIn(counts, o, one)
			}
			if o.ended.After(one.at) && o.slotUntil.After(one.at.Add(w.clockError())) && !o.unclear {
				w.countIn(alive, o, one)
			}
		}
		if s.Cap != "" && !one.passes && w.reached(counts, most) {
			w.find("%s rang the number as the %dth in %s, and %d are allowed", w.nameOf(one.row.ID), len(counts)+1, per, most)
		}
		if s.Slots > 0 && w.reached(alive, s.Slots) {
			w.find("%s rang at %s as the %dth contact at once, and %d are allowed", w.nameOf(one.row.ID), short(one.at), len(alive)+1, s.Slots)
		}
		w.judgeSpeed(all, one)
		all = append(all, one)
	}
}

// judgeSpeed sees that no more calls were dialed in a stretch than a limit of velocity allows, urgent ones with the others. An attempt that is
// sent again was counted when it was first sent, and what was dialed before a person resumed everything does not count.
func (w *World) judgeSpeed(before []limited, one limited) {
	most, per, limited := rate(w.Setting.After.Speed)
	if !limited || one.dials != 1 {
		return
	}
	counts := counted{}
	for _, o := range before {
		if o.row.ID != one.row.ID && o.nth < one.nth && o.first.After(one.decided.Add(-per+w.clockError()+lateRing)) && !w.resumedBetween(o.first.Add(-w.clockError()), one.decided) {
			w.countIn(counts, o, one)
		}
	}
	if w.reached(counts, most) {
		w.find("%s rang as the %dth in %s, and %d are allowed", w.nameOf(one.row.ID), len(counts)+1, per, most)
	}
}

// counted are the calls that a limit counts before it lets another one ring, and whether its ledger can know of each.
type counted map[string]bool

// countIn counts a call before another one. One that was first dialed in the time that a restore has forgotten is not known to what was decided since.
func (w *World) countIn(counts counted, earlier, one limited) {
	forgot := w.truth.restored && one.nth >= w.truth.decided && (w.forgets(earlier.begun, earlier.first) || w.forgets(earlier.nth, earlier.decided))
	counts[earlier.row.ID] = counts[earlier.row.ID] || !forgot
}

// reached reports whether as many were counted as there may be. Those that were forgotten are excused, when it is they who make the difference.
func (w *World) reached(counts counted, most int) bool {
	known := 0
	for _, knows := range counts {
		if knows {
			known++
		}
	}
	if len(counts) >= most && known < most {
		w.mark(ExcusedCount)
	}
	return known >= most
}

func (w *World) resumedBetween(from, to time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.truth.life.resumed, func(at time.Time) bool { return !at.Before(from) && !at.After(to) })
}

// lateRing is how much later than it was decided a dial may ring: its lease, and what a signature may be late.
const lateRing = call.LeaseTime + 15*time.Minute

func (w *World) limitedRing(rows []call.Call, r ring) (limited, bool) {
	c, known := hasRow(rows, r.callID)
	if !known {
		return limited{}, false
	}
	one := limited{ring: r, row: c, passes: c.Released != "" || (c.Urgent && w.Setting.After.Urgent), unclear: w.cornered(c)}
	if was, lost := w.truth.lost.rows[c.ID]; lost && w.forgotten(c.ID, r.at) { // the ledger that was lost let it ring
		one.passes = one.passes || was.Released != "" || (was.Urgent && w.Setting.After.Urgent)
	}
	w.mu.Lock()
	for _, a := range w.truth.life.asked[c.ID] {
		if !a.at.After(r.at) {
			one.decided, one.nth, one.dials = a.at, a.nth, one.dials+1
			if one.dials == 1 {
				one.first, one.begun = a.at, a.nth
			}
		}
	}
	w.mu.Unlock()
	one.slotUntil = one.decided.Add(w.Setting.After.lease())
	one.ended = w.phone.storyOf(r.contact).ended
	if one.ended.IsZero() {
		one.ended = time.Now().Add(time.Hour)
	}
	return one, !one.decided.IsZero()
}

// lease returns how long a slot is held at most; the longest call when nothing is configured, which no contact of a world reaches.
func (s AfterSwitch) lease() time.Duration {
	if d, err := time.ParseDuration(s.Lease); err == nil {
		return d
	}
	return 10 * time.Minute
}

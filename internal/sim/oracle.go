package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// judge compares the ledger with the rings and with what was promised. It may be asked at any time; what must have come to an end is asked by
// settle. "judge mirror" asks only whether the ledger has what it said it has, which is so at any time.
func judge(ctx context.Context, w *World, a Act) error {
	if what, err := a.word(0); err == nil && what == "mirror" {
		w.compareMirror(ctx)
		return nil
	}
	var rows []call.Call
	w.each(ctx, func(c call.Call, entries []call.Entry) error {
		rows = append(rows, c)
		w.judgeForgotten(ctx, c, entries)
		w.mark("state " + string(c.State))
		if !c.Tombstone {
			w.mark("cause " + string(c.Cause))
		}
		before := w.judged[c.ID]
		if before.head == c.Head { // its history is the one that was judged
			return nil
		}
		var early []string
		breaches, sound := call.CheckGrownHistory(before.sound, c, entries, func(row *call.Call, e *call.Event) { early = append(early, w.judgeDue(row, e)...) })
		if len(early) > 0 {
			sound = call.Checked{}
		}
		w.judged[c.ID] = judged{c.Head, sound}
		w.breaches(w.excusedRow(w.asItWas(c), breaches))
		for _, finding := range early {
			w.find("%s", finding)
		}
		return nil
	})
	w.judgeMirror(rows)
	rings := map[string][]string{}
	for _, r := range w.phone.rings() {
		rings[r.callID] = append(rings[r.callID], r.contact)
	}
	period := time.Duration(0) // while things go wrong, what is due may wait
	if w.truth.quiet {
		period = 2 * time.Minute
	}
	w.breaches(call.CheckLedger(rows, time.Now().UTC(), period))
	rows = w.asTheyWere(rows)
	w.breaches(w.excused(rows, call.CheckTruth(rows, rings)))
	for _, c := range rows {
		w.judgeRow(rows, c)
	}
	w.judgeNumbers(rows)
	w.judgePromised(rows)
	w.judgeLife()
	w.judgeKinds(rows)
	w.judgeWire(rows)
	w.judgeFacts(rows)
	w.judgeAudit(ctx, rows)
	for _, k := range w.workers {
		w.keepCounts(k)
	}
	w.judgeSpool(rows)
	return nil
}

// judged is a history as the oracle has read it.
type judged struct {
	head  string
	sound call.Checked // nothing when it had a finding
}

func (w *World) compareMirror(ctx context.Context) {
	var rows []call.Call
	w.each(ctx, func(c call.Call, _ []call.Entry) error {
		rows = append(rows, c)
		return nil
	})
	w.judgeMirror(rows)
}

// judgeMirror sees that the ledger has what it said it has, and nothing else.
func (w *World) judgeMirror(rows []call.Call) {
	for _, mine := range w.rows() {
		theirs, known := hasRow(rows, mine.ID)
		switch {
		case !known:
			w.find("%s was written and is not in the ledger", w.nameOf(mine.ID))
		case theirs.Head != mine.Head:
			w.find("%s is at version %d in the ledger, and version %d was written last", w.nameOf(mine.ID), theirs.Version, mine.Version)
		}
	}
	if len(rows) != len(w.rows()) {
		w.find("the ledger has %d rows, and %d were written", len(rows), len(w.rows()))
	}
}

func (w *World) breaches(found []call.Breach) {
	for _, b := range found {
		w.find("%s, %s", b, w.nameOf(b.RowID))
	}
}

// clockError is how far two workers' clocks may have been apart: the window runs from the last ring, on the clock of whoever placed it.
func (w *World) clockError() time.Duration { return 2*w.worst + time.Minute }

func (w *World) judgeRow(rows []call.Call, c call.Call) {
	name := w.nameOf(c.ID)
	if w.truth.quiet && !c.State.Final() {
		w.find("%s is %s for ever", name, c.State)
	}
	if len(c.Anomalies) > 0 && !w.mayHaveAnomaly(c) {
		w.find("%s has %s", name, count(len(c.Anomalies), "anomaly"))
	}
	w.judgeEnd(c)
	if c.Cause == call.CauseOperator && !w.truth.saw[call.Naming{}.Row(c.Key, c.Ring-1)] {
		w.find("%s was opened by an operator, and none has seen ring %d as the newest", name, c.Ring-1)
	}
	if c.Cause == call.CauseWindow && !c.Tombstone {
		w.judgeWindow(rows, c)
	}
}

// judgeWindow sees that a ring which a request opened is not inside the window of an earlier one (R7, R15, R18), that an undated one opens none
// (R5), and that one request opens one.
func (w *World) judgeWindow(rows []call.Call, c call.Call) {
	name := w.nameOf(c.ID)
	if !(call.Stamp{At: c.RequestedAt, Tier: c.Tier}).Trusted() {
		if w.Setting.Reopen != "any" {
			w.find("%s was opened by a request without a date", name)
		}
		return
	}
	window, err := time.ParseDuration(hours(w.Setting.Window))
	for _, other := range rows {
		if other.Key != c.Key || other.Ring >= c.Ring {
			continue
		}
		if other.State == call.Placed && (err != nil || !c.RequestedAt.After(other.PlacedAt.Add(window-w.clockError()))) {
			w.find("%s, requested %s, opened inside the window of ring %d, placed %s", name, short(c.RequestedAt), other.Ring, short(other.PlacedAt))
		}
		if other.Cause != call.CauseOperator && other.Tier == c.Tier && other.RequestedAt.Equal(c.RequestedAt) && other.State != call.Canceled {
			w.find("%s and ring %d answer one logical request of %s", name, other.Ring, short(c.RequestedAt))
		}
	}
}

// hours writes a window of days in the units of time.ParseDuration; "forever" stays what it is.
func hours(window string) string {
	switch window {
	case "3d":
		return "72h"
	case "30d":
		return "720h"
	}
	return window
}

// judgeDue sees in an event of a row's history that no attempt was opened before the row was due. A parked row waits for a person.
func (w *World) judgeDue(row *call.Call, e *call.Event) []string {
	if e.Kind != call.EventIntent || !e.At.Before(row.Due) || row.Parked() {
		return nil
	}
	return []string{fmt.Sprintf("%s is dialed at %s and was not due before %s (%s)", w.nameOf(row.ID), short(e.At), short(row.Due), row.DueReason)}
}

// judgeForgotten sees that nothing of the recipient is left of a forgotten row.
func (w *World) judgeForgotten(ctx context.Context, c call.Call, entries []call.Entry) {
	if !c.IsForgotten() {
		return
	}
	text, err := c.Encode()
	if err != nil {
		w.find("encode: %v", err)
	}
	said := append([]byte(nil), text...)
	for _, e := range entries {
		said = append(append(said, '\n'), e.Body...)
	}
	if len(Leaks(string(said))) > 0 || c.Key.RecipientID != "" {
		w.find("%s is forgotten and still names its recipient: %s", w.nameOf(c.ID), strings.Join(Leaks(string(said)), " "))
	}
	if w.truth.unscrubbed && w.options.Store != nil {
		return
	}
	notes, err := w.workers[0].app.Store.Journal.Notes(ctx, c.ID)
	if err != nil || len(notes.Kept) > 0 {
		w.find("a forgotten row has %d notes, error %v", len(notes.Kept), err)
	}
}

// judgeAcknowledged sees, before any late sweeper can repair it, that what was acknowledged came to an end.
func (w *World) judgeAcknowledged() {
	rows := w.asTheyWere(w.rows())
	ids := make([]string, 0, len(w.truth.accepted))
	for id := range w.truth.accepted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		first, known := hasRow(rows, id)
		if !known {
			w.find("an acknowledged request is lost: %s", w.nameOf(id))
			continue
		}
		top, known := hasRow(rows, call.Naming{}.Row(first.Key, w.truth.accepted[id]))
		if !w.Setting.Sweeper && !w.truth.recalled[first.Key] && (!known || !top.State.Final()) {
			w.find("acknowledged without a sweeper, and %s is %s (due %s, %s)", w.nameOf(id), top.State, short(top.Due), top.DueReason)
		}
	}
}

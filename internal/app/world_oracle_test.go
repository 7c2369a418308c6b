package app_test

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// judgeAcknowledged sees, before any late sweeper can repair it, that what was acknowledged came to an end.
func (w *world) judgeAcknowledged(ctx context.Context) {
	rows := w.asTheyWere(w.rows(ctx))
	for id := range w.truth.accepted {
		first, known := w.hasRow(rows, id)
		if !known {
			w.find("an acknowledged request is lost: %s", id)
			continue
		}
		top, known := w.hasRow(rows, call.Naming{}.Row(first.Key, first.LastRing))
		if !w.sweeper && !w.truth.recalled[first.Key] && (!known || !top.State.Final()) {
			w.find("acknowledged without a sweeper, and %s is %s (due %s, %s)", first.Key.NotificationID, top.State, top.Due, top.DueReason)
		}
	}
}

// judge compares the ledger with the rings and with what was promised.
func (w *world) judge(ctx context.Context) {
	var rows []call.Call
	w.each(ctx, func(c call.Call, entries []call.Entry) error {
		rows = append(rows, c)
		w.breaches(w.excusedRow(w.asItWas(c), call.CheckHistory(c, entries)))
		w.judgeForgotten(c, entries)
		w.judgeDues(c, entries)
		w.mark("state " + string(c.State))
		if c.State != call.Canceled || !c.Tombstone {
			w.mark("cause " + string(c.Cause))
		}
		return nil
	})
	rings := map[string][]string{}
	for _, ring := range w.started() {
		id := ring.Attributes["ringonceCallId"]
		rings[id] = append(rings[id], ring.ContactID)
	}
	w.breaches(call.CheckLedger(rows, time.Now().UTC(), 2*time.Minute))
	rows = w.asTheyWere(rows)
	w.breaches(w.excused(rows, rings, call.CheckTruth(rows, rings)))
	for _, c := range rows {
		w.judgeRow(rows, c)
	}
	w.judgeNumbers(rows)
	w.judgeKinds(rows)
	w.judgeWire(rows)
	w.judgeFacts(rows)
	w.judgeAudit(ctx, rows, rings)
	for _, k := range w.workers {
		w.countHints(k)
		for metric, n := range k.app.Observer.Counts() {
			if metric.What == "breach" {
				w.find("the engine stopped itself before a breach (%d times)", n)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "spool", "*.json")); len(left) > 0 && !w.truth.restored {
		w.find("%d facts stay in the spool", len(left))
	}
	if _, err := os.Stat(filepath.Join(w.dir, "spool")); err == nil {
		w.mark("spooled")
	}
}

func (w *world) breaches(found []call.Breach) {
	for _, b := range found {
		w.find("%s", b)
	}
}

// excused takes out what is promised to be possible: the second ring of a lost answer under A1' with the policy token, and rings
// of an operator's re-call that a restore has forgotten.
func (w *world) excused(rows []call.Call, rings map[string][]string, found []call.Breach) (left []call.Breach) {
	first := map[string]bool{}
	for _, s := range w.subjects {
		first[s.row()] = true
	}
	for _, b := range found {
		c, known := w.hasRow(rows, b.RowID)
		switch {
		case b.Invariant == "I1" && w.corner(c) && (c.AttemptCount > 1 || w.truth.restored):
			w.mark("promised corner of token under A1'")
		case known && w.provenNewer(c): // the forgotten request of the key rang, this one may have ended in any way
			w.mark("a forgotten key asked for anew after a restore")
		case (b.Invariant == "I1" || b.Invariant == "I3") && w.truth.closed && c.Ring > 0: // the new ring may end in any way, and the forgotten one rang
			w.mark("a forgotten ring number used again after its recovery was closed")
		case b.Invariant == "I2" && w.truth.restored && c.ContactFrom != "answer": // its intent was forgotten, and evidence came before the taint
		case b.Invariant == "I7" && !known && w.truth.restored && !first[b.RowID]:
		default:
			left = append(left, b)
		}
	}
	return left
}

// corner reports whether the row is resent on its token in a world where tokens die with their contacts. A row that a restore forgot has no
// kind any more.
func (w *world) corner(c call.Call) bool {
	return w.reading == connectemu.A1Prime && w.resend == "token" && c.Key.Kind.NeedsNumber()
}

// provenNewer reports whether the row belongs to a key that a restore may have forgotten and that a request made anew which is proven to
// be newer than the restore. Section 11 of the protocol lets it be dialed at once, although an earlier request of the same key may have
// rung in the forgotten time.
func (w *world) provenNewer(c call.Call) bool {
	if first, known := w.row(context.Background(), call.Naming{}.Row(c.Key, 0)); known {
		c = w.asItWas(first)
	}
	stamp := call.Stamp{At: c.RequestedAt, Tier: c.Tier}
	return w.truth.restored && stamp.Trusted() && c.RequestedAt.After(w.truth.restoredAt)
}

// excusedRow takes out the anomaly that the second ring of that corner leaves in its row.
func (w *world) excusedRow(c call.Call, found []call.Breach) (left []call.Breach) {
	for _, b := range found {
		corner := w.corner(c) && (c.AttemptCount > 1 || w.truth.restored)
		if b.Invariant != "I10" || (!corner && !w.provenNewer(c)) {
			left = append(left, b)
		}
	}
	return left
}

// clockError is how far two workers' clocks may be apart: the window runs from the last ring, on the clock of whoever placed it.
const clockError = 11 * time.Minute

func (w *world) judgeRow(rows []call.Call, c call.Call) {
	if !c.State.Final() {
		w.find("%s ring %d is %s for ever", c.Key.NotificationID, c.Ring, c.State)
	}
	if c.State == call.Expired && c.NotAfter.IsZero() {
		w.find("%s expired without a limit", c.ID)
	}
	if len(c.Anomalies) > 0 && !w.corner(c) && !w.provenNewer(c) {
		w.find("%s has %d anomalies", c.ID, len(c.Anomalies))
	}
	if c.Cause != call.CauseWindow || c.Tombstone {
		return
	}
	window := map[string]time.Duration{"10m": 10 * time.Minute, "1h": time.Hour, "3d": 3 * day, "30d": 30 * day}[w.window]
	for _, other := range rows {
		if other.Key != c.Key || other.Ring >= c.Ring {
			continue
		}
		dated := call.Stamp{At: c.RequestedAt, Tier: c.Tier}.Trusted()
		if other.State == call.Placed && dated && (w.window == "forever" || !c.RequestedAt.After(other.PlacedAt.Add(window-clockError))) && !w.truth.restored {
			w.find("%s: ring %d, requested %s, opened inside the window of ring %d, placed %s", c.Key.NotificationID, c.Ring, c.RequestedAt, other.Ring, other.PlacedAt)
		}
		if dated && other.Cause != call.CauseOperator && other.Tier == c.Tier && other.RequestedAt.Equal(c.RequestedAt) && other.State != call.Canceled && !w.truth.restored {
			w.find("%s: rings %d and %d answer one logical request of %s", c.Key.NotificationID, other.Ring, c.Ring, c.RequestedAt)
		}
	}
}

// judgeNumbers sees that one key rings one number: a conflict is never dialed.
func (w *world) judgeNumbers(rows []call.Call) {
	numbers := map[call.Key]string{}
	for _, ring := range w.emu.Rings() {
		c, known := w.hasRow(rows, ring.Attributes["ringonceCallId"])
		if !known {
			continue
		}
		if c.Destination != ring.Number && !w.truth.restored {
			w.find("%s rang another number than its row says", c.Key.NotificationID)
		}
		if earlier := numbers[c.Key]; earlier != "" && earlier != ring.Number && !w.truth.restored {
			w.find("%s rang two numbers", c.Key.NotificationID)
		}
		numbers[c.Key] = ring.Number
	}
}

// judgeWire sees that one token carries one body, inside the bounds of the send rule (I5, I6).
func (w *world) judgeWire(rows []call.Call) {
	bodies, firstDate := map[string]string{}, map[string]time.Time{}
	for _, c := range rows {
		firstDate[c.Token] = c.FirstSigned
	}
	for _, r := range w.emu.Requests() {
		if !starts(r.Operation) || w.truth.restored || (r.Outcome != connectemu.OutcomeRang && r.Outcome != connectemu.OutcomeStarted && r.Outcome != connectemu.OutcomeReplayed) {
			continue
		}
		if body := bodies[r.Token]; body != "" && body != r.BodyHash {
			w.find("one token carried two bodies")
		}
		bodies[r.Token] = r.BodyHash
		if first, known := firstDate[r.Token]; !known {
			w.find("a request carried a token that belongs to no call")
		} else if r.SignedAt.Before(first) || r.SignedAt.After(first.Add(call.TokenUse)) {
			w.find("a request was signed %s after firstSigned", r.SignedAt.Sub(first))
		}
	}
}

// judgeFacts sees that every contact id which a process was told, and lived to write, is in the ledger.
func (w *world) judgeFacts(rows []call.Call) {
	for _, facts := range w.truth.facts {
		for id, contact := range facts {
			c, known := w.hasRow(rows, id)
			if known && c.ContactID != contact && len(c.Anomalies) == 0 {
				w.find("a contact id was received, the ledger says %s", c.State)
			}
		}
	}
	for id, contact := range w.truth.safe {
		if c, _ := w.hasRow(rows, id); c.ContactID != contact {
			w.find("the contact id of %s changed", id)
		}
	}
}

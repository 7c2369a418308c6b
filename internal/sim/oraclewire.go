package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// judgeNumbers sees that one key rings one number: a conflict is never dialed. A ring of the time that a restore has forgotten is one of the row that
// was lost.
func (w *World) judgeNumbers(rows []call.Call) {
	earlier := map[call.Key]ring{}
	for _, r := range w.phone.rings() {
		c, known := hasRow(rows, r.callID)
		was, lost := w.truth.lost.rows[r.callID]
		if lost = lost && w.forgotten(r.callID, r.at); lost {
			c, known = was, true
		}
		if !known || !c.Key.Kind.NeedsNumber() {
			continue
		}
		if c.Destination != r.number {
			w.find("%s rang another number than its row says", w.nameOf(c.ID))
		}
		if before, rang := earlier[c.Key]; rang && before.number != r.number {
			if lost || !w.forgotten(before.callID, before.at) || !w.newNumber(c) {
				w.find("%s rang two numbers", keyName(c.Key))
			} else {
				w.mark(ExcusedNumber)
			}
		}
		earlier[c.Key] = r
	}
}

// judgeWire sees that one token carries one body, inside the bounds of the send rule (I5, I6). What was sent in the time that a restore has forgotten
// is compared with the ledger that was lost, which sent it.
func (w *World) judgeWire(rows []call.Call) {
	owners, earlier := map[string]call.Call{}, map[string]wired{}
	for _, c := range rows {
		owners[c.Token] = c
	}
	for _, s := range w.phone.wire() {
		if before, used := earlier[s.token]; used && before.body != s.body && !w.newBody(before, s) {
			w.find("one token carried two bodies")
		}
		earlier[s.token] = s
		c, known := owners[s.token]
		wrong := outOfBounds(w.truth.asSigned(c, s), known, s)
		if was, lost := w.ofLost(s); lost {
			then := outOfBounds(was, true, s)
			if wrong != "" && then == "" {
				w.mark(ExcusedSend)
			}
			wrong = then
		}
		if wrong != "" {
			w.find("%s", wrong)
		}
	}
}

// outOfBounds says what is wrong with a request on the wire, when the call of its token is that one.
func outOfBounds(c call.Call, known bool, s wired) string {
	switch {
	case !known:
		return "a request carried a token that belongs to no call"
	case s.signed.Before(c.FirstSigned) || s.signed.After(c.FirstSigned.Add(call.TokenUse)):
		return fmt.Sprintf("a request was signed %s after firstSigned", s.signed.Sub(c.FirstSigned))
	}
	return ""
}

// newBody reports whether a token carries another body because the first one is forgotten: it was sent in the forgotten time, and the copy has no bytes
// of the call.
func (w *World) newBody(before, now wired) bool {
	was, lost := w.ofLost(before)
	if _, again := w.ofLost(now); !lost || again || w.truth.lost.kept[was.ID].Pin != "" {
		return false
	}
	w.mark(ExcusedBody)
	return true
}

// judgeSpool sees, when everything has its end, that the spool is empty but for contact ids of calls that a restore has forgotten: nobody knows the call,
// and the ledger may get it again.
func (w *World) judgeSpool(rows []call.Call) {
	files, _ := filepath.Glob(w.path("spool", "*.json"))
	if !w.truth.quiet {
		return
	}
	left := 0
	for _, file := range files {
		var f call.Fact
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if _, known := hasRow(rows, f.RowID); err == nil && !known && w.rangForgotten(f.RowID) {
			w.mark(ExcusedSpool)
			continue
		}
		left++
	}
	if left > 0 {
		w.find("%d facts stay in the spool", left)
	}
}

// rememberedTruth takes out of a truth log, for the auditor who has the restored ledger alone, the requests of the forgotten time that this ledger
// cannot explain. judgeWire has compared them with the ledger that sent them.
func (w *World) rememberedTruth(truth connectemu.Truth, rows []call.Call) connectemu.Truth {
	owners, events := map[string]call.Call{}, truth.Events
	for _, c := range rows {
		owners[c.Token] = c
	}
	truth.Events = nil
	for _, e := range events {
		if e.Start != nil {
			s := wiredOfRequest(*e.Start)
			c, known := owners[s.token]
			if was, lost := w.ofLost(s); lost && (outOfBounds(c, known, s) != "" || w.truth.lost.kept[was.ID].Pin == "") {
				continue
			}
		}
		truth.Events = append(truth.Events, e)
	}
	return truth
}

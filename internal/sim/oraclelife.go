package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// judgeLife asks about what came after rings and about the limits of rings.
func (w *World) judgeLife() {
	s := w.Setting.After
	if !s.tracks() && s.Cap == "" && s.Slots == 0 && s.Speed == "" {
		return
	}
	rows, rings := w.lifeRows(), w.phone.rings()
	if s.tracks() {
		w.judgeAgain(rows, rings)
		w.judgeLists(rows, rings)
		w.judgeOutcomes(rows)
	}
	w.judgeLimits(rows, rings)
}

// of returns the rings of a row.
func of(rings []ring, row string) (found []ring) {
	for _, r := range rings {
		if r.callID == row {
			found = append(found, r)
		}
	}
	return found
}

// keyRows returns the rows of each key by their ring numbers, keys in the order of creation.
func keyRows(rows []call.Call) (all [][]call.Call) {
	at := map[call.Key]int{}
	for _, c := range rows {
		i, known := at[c.Key]
		if !known {
			i = len(all)
			at[c.Key], all = i, append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	for _, key := range all {
		slices.SortFunc(key, func(a, b call.Call) int { return a.Ring - b.Ring })
	}
	return all
}

// judgeAgain sees that one wish rings no oftener than its rule allows, and not before the wait of its rule is over.
func (w *World) judgeAgain(rows []call.Call, rings []ring) {
	for _, key := range keyRows(rows) {
		rang, all := 0, 0 // all: with those that were forgotten and rang again
		for i, c := range key {
			switch c.Cause {
			case call.CauseRequest, call.CauseWindow, call.CauseOperator, call.CauseEscalation:
				rang, all = 0, 0
			case call.CauseRule, call.CauseTokenAge, call.CauseRepin:
			}
			its := of(rings, c.ID)
			if len(its) > 0 && !w.cornered(c) {
				all += len(its)
				known := len(w.remembered(its))
				if c.State == call.Placed || c.State == call.InDoubt { // the ring is known to, or may be: its number was used again
					known = max(known, 1)
				}
				rang += known
			}
			if most := 1 + w.Setting.After.Recalls; rang <= most && all > most {
				w.mark(ExcusedBudget)
			}
			if rang > 1+w.Setting.After.Recalls {
				w.find("%s rang as the %dth of one wish, and %d re-calls are allowed", w.nameOf(c.ID), rang, w.Setting.After.Recalls)
			}
			if c.Cause == call.CauseRule && i > 0 && len(its) > 0 && !w.cornered(key[i-1]) {
				w.judgeRuled(key[i-1], c, its, rings)
			}
		}
	}
}

// judgeRuled asks of a re-call by rule what judgeWait does. One whose rings are all forgotten was opened by the ledger that was lost.
func (w *World) judgeRuled(before, c call.Call, its, rings []ring) {
	if kept := w.remembered(its); len(kept) > 0 {
		its = kept
	} else {
		before, c = w.truth.lost.rows[before.ID], w.truth.lost.rows[c.ID]
		if c.Cause != call.CauseRule { // it rang as something else, and the re-call has found that ring
			return
		}
		rings = w.untilRestore(rings) // the same row may have rung anew since
	}
	w.judgeWait(before, c, its[0], rings)
}

// judgeWait sees that a re-call by rule rang after its wait. A released one does not wait.
func (w *World) judgeWait(before, c call.Call, r ring, rings []ring) {
	word, ended := w.endedAs(before, rings)
	wait, listed := recallWaits[word]
	switch d, _ := time.ParseDuration(wait); {
	case !listed:
		w.find("%s rang after %s, which ended as %s", w.nameOf(c.ID), w.nameOf(before.ID), word)
	case c.Released == "" && r.at.Before(ended.Add(d-w.clockError())):
		w.find("%s rang at %s, less than %s after the end of the ring before, %s (%s)", w.nameOf(c.ID), short(r.at), d, short(ended), word)
	}
}

// endedAs says how a ring ended and when, by what the telephone knows; where nobody could ask it, by what was given up.
func (w *World) endedAs(c call.Call, rings []ring) (word string, ended time.Time) {
	if len(of(rings, c.ID)) == 0 {
		return "failed", c.FinalAt
	}
	story := w.phone.storyOf(c.ContactID)
	word = shownOutcome(story)
	if wait := recallWaits[word]; w.unasked(c) && wait != "5m" { // it was given up, whatever an event has told since; only a busy line waits for less
		word = string(call.OutcomeUnknown)
	}
	if w.truth.life.confirmed[c.ContactID] {
		word = string(call.OutcomeConfirmed)
	}
	return word, story.ended
}

// unasked reports whether DescribeContact could not be asked about a contact when it was given up.
func (w *World) unasked(c call.Call) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, failed := w.truth.life.undescribed[c.ContactID]
	return failed
}

// shownOutcome is what a person would read from a contact's story: the words of docs/outcomes.md.
func shownOutcome(s contactStory) string {
	switch {
	case !s.connected.IsZero():
		return "answered"
	case s.ended.IsZero():
		return ""
	}
	switch s.reason {
	case "TELECOM_BUSY":
		return "busy"
	case "TELECOM_NUMBER_INVALID":
		return "invalid_number"
	case "TELECOM_POTENTIAL_BLOCKING":
		return "blocked"
	case "TELECOM_UNANSWERED", "TELECOM_TIMEOUT", "TELECOM_ORIGINATOR_CANCEL":
		return "no_answer"
	}
	return "unknown"
}

// judgeOutcomes sees, when everything has its end, that the ledger says of each contact what really happened.
func (w *World) judgeOutcomes(rows []call.Call) {
	if !w.truth.quiet {
		return
	}
	for _, c := range rows {
		if c.State != call.Placed || !c.Tracked || w.cornered(c) || w.truth.was[c.ID].ID != "" {
			continue
		}
		story := w.phone.storyOf(c.ContactID)
		allowed := w.outcomesOf(c, story)
		if !slices.Contains(allowed, string(c.Outcome)) {
			w.find("the outcome of %s is %q, and it was %s", w.nameOf(c.ID), c.Outcome, strings.Join(allowed, " or "))
		}
		w.mark("outcome " + string(c.Outcome))
	}
}

// outcomesOf returns what the ledger may say of a contact.
func (w *World) outcomesOf(c call.Call, story contactStory) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	life := &w.truth.life
	if w.truth.lost.pressed[c.ContactID] && !life.confirmed[c.ContactID] { // what is left of it is that the key was pressed
		w.counts[ExcusedConfirmation]++
	}
	if life.confirmed[c.ContactID] {
		return []string{"confirmed"}
	}
	allowed := []string{shownOutcome(story)}
	if _, pressed := life.pressed[c.ContactID]; pressed {
		allowed = append(allowed, "confirmed")
	}
	_, failed := life.undescribed[c.ContactID]
	for _, at := range life.hungUp[c.ContactID] { // one that had ended before is known to, unless nobody could ask
		if failed || at.Before(story.ended.Add(5*time.Second+w.clockError())) {
			allowed = append(allowed, "ended_by_us")
			break
		}
	}
	if c.Sight != nil && !c.Sight.CheckedIn.IsZero() && !c.Sight.Unwanted.IsZero() { // whether its flow heard the answer in time is not known
		allowed = append(allowed, "ended_by_us")
	}
	if failed {
		allowed = append(allowed, "unknown")
	}
	return allowed
}

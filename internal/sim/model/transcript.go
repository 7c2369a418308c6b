package model

import (
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// mostRest is how much is told of a world that never comes to rest.
const mostRest = 16

// story tells the way to a state, one line for each transition and one for each row that changed.
func (e *exploration) story(index uint32) []string {
	m := e.m
	kept := m.bad
	s := m.initial()
	var lines []string
	for _, a := range e.path(index) {
		before := s
		if !m.apply(&s, a) {
			lines = append(lines, "(cannot be repeated)")
			break
		}
		m.tidy(&s)
		lines = append(lines, m.tell(&before, &s, a))
		lines = append(lines, m.changes(&before, &s)...)
	}
	if e.rested {
		lines = append(lines, "faults stop")
		longest := len(lines) + mostRest
		m.rested = newHashes()
		m.told = func(before, after *state, what string) {
			if len(lines) < longest {
				lines = append(lines, m.tellRest(before, after, what)...)
			}
		}
		m.settle(s)
		m.told = nil
	}
	m.bad = kept
	return append(lines, "=> "+string(kept.promise)+": "+kept.text)
}

// tellRest tells one act of a world that settles, if it changed anything.
func (m *machine) tellRest(before, after *state, what string) []string {
	var lines []string
	if after.now != before.now {
		lines = append(lines, "tick "+(time.Duration(after.now-before.now)*time.Second).String())
	}
	if what != "" && after.rows != before.rows {
		lines = append(lines, what)
	}
	return append(lines, m.changes(before, after)...)
}

// changes tells what is new in the ledger and at the telephone.
func (m *machine) changes(before, after *state) []string {
	var lines []string
	for ring := range after.rows {
		if after.rows[ring] != before.rows[ring] {
			lines = append(lines, fmt.Sprintf("    ledger ring %d: %s", ring, m.describe(after.rows[ring])))
		}
	}
	if had, has := contacts(before), contacts(after); len(has) != len(had) {
		lines = append(lines, fmt.Sprintf("    the phone rings for ring %d", has[len(has)-1].ring-1))
	}
	return lines
}

func contacts(s *state) []contact {
	n := 0
	for n < maxContacts && s.contacts[n].ring > 0 {
		n++
	}
	return s.contacts[:n]
}

func (m *machine) describe(id rowID) string {
	if id == 0 {
		return "gone"
	}
	c := m.row(id)
	text := fmt.Sprintf("version %d %s", c.Version, c.State)
	if c.Code != "" {
		text += " (" + string(c.Code) + ")"
	}
	if len(c.Open) > 0 {
		text += fmt.Sprintf(", %d open", len(c.Open))
	}
	if c.ContactID != "" {
		text += ", contact " + c.ContactID
	}
	if c.LastRing > 0 {
		text += fmt.Sprintf(", last ring %d", c.LastRing)
	}
	if c.Next != nil {
		text += ", next ring not confirmed"
	}
	if !c.CanceledBefore.IsZero() {
		text += ", canceled before +" + c.CanceledBefore.Sub(start).String()
	}
	return text
}

var wayWords = [...]string{
	wayPlain: "", wayLost: ", applied, lose-answer: asks again", wayGivenUp: ", applied, lose-answer: gives up", wayNotApplied: ", not applied, lose-answer: gives up",
	wayRefused: ", refused", wayThrottled: ", throttled", waySetup: ", setup refused", wayAnswerLost: ", accepted, lose-answer", wayDelayed: ", delayed",
	wayNotSent: ", not sent", wayLibrary: ", accepted, lose-answer, the library retries, refused", wayHit: ", found", wayRefusedLost: ", refused, lose-answer",
	wayThrottledLost: ", throttled, lose-answer", wayDials: ", and sweep its row at once",
}

var stepWords = [...]string{
	idle: "", atCreate: "create", atReadFirst: "read the first row", atReadTop: "read the highest ring", atWrite: "write", atMerge: "merge",
	atSend: "dial", atAwait: "time out", atSearch: "search", atAck: "answer the source",
}

func (m *machine) tell(before, after *state, a action) string {
	who := "worker " + string(rune('a'+a.a))
	switch a.kind {
	case doTick:
		return "tick " + (time.Duration(after.now-before.now) * time.Second).String()
	case doStep:
		w := &before.workers[a.a]
		text := who + ": " + stepWords[w.pc]
		if w.pc == atWrite || w.pc == atCreate {
			text += " " + string(m.kinds[w.next])
			if w.own {
				text += " again"
			}
		}
		if w.pc == atMerge && w.then == thenResult {
			text += " result " + string(classes[w.class])
		}
		return text + wayWords[a.b]
	case doDeliver:
		return m.tellDelivery(before, who, a.b)
	case doSweep:
		return fmt.Sprintf("%s: sweep ring %d", who, a.b)
	case doSpool:
		return who + ": merge a spooled answer"
	case doClick:
		return fmt.Sprintf("click: %s re-calls, having seen ring %d", who, after.workers[a.a].saw)
	case doRule:
		return fmt.Sprintf("rule: %s re-calls ring %d", who, after.workers[a.a].saw)
	case doEvent:
		return fmt.Sprintf("event: %s is told contact c%d", who, a.b+1)
	case doCrash:
		return "crash " + who
	case doLand:
		return "a delayed request lands" + wayWords[a.b]
	case doEnd:
		return fmt.Sprintf("contact c%d ends", a.a+1)
	case doClock:
		return "the clock of " + who + " is set right"
	case doDrift:
		return "the configuration changes"
	case doBackup:
		return "backup"
	case doRestore:
		return "restore"
	case doDie:
		return "the sweeper dies"
	case doTTL:
		return "the ledger deletes its rows"
	case kindsCount:
	}
	return "?"
}

func (m *machine) tellDelivery(before *state, who string, n uint8) string {
	x := &m.c.Messages[n&^holds]
	verb := "deliver"
	if before.messages[n&^holds].copies < x.Copies {
		verb = "redeliver"
	}
	what := "request"
	if x.Cancel {
		what = "cancel"
	}
	if x.Later {
		what += " over HTTP"
	}
	dated := "undated"
	if s := x.stamp(); s.Tier != call.TierNone {
		dated = "dated +" + s.At.Sub(start).String()
	}
	text := fmt.Sprintf("%s %s %d (%s) to %s", verb, what, n&^holds+1, dated, who)
	if n&holds != 0 {
		text += ", no pacing slot"
	}
	return text
}

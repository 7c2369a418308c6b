package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// fate names what becomes of the next contacts of a key's number: "fate n1 busy answers".
func fate(_ context.Context, w *World, a Act) error {
	name, err := a.word(0)
	if err != nil {
		return err
	}
	var next []connectemu.Fate
	for _, word := range a.Words[1:] {
		f, err := connectemu.ParseFate(word)
		if err != nil {
			return err
		}
		next = append(next, f)
	}
	number, n := w.subject(name).number, 0
	for _, r := range w.phone.rings() {
		if r.number == number {
			n++
		}
	}
	w.fates.tell(number, n, next)
	return nil
}

var errTimes = errors.New("times is how often the flow reports")

// flowPatience is how long after its contact a report of a flow may still come: the block tries for so long.
const flowPatience = 8 * time.Second

// checkIn lets the flow of the nth contact report to a worker that somebody picked up, or with key= that a key was pressed: 1 confirms, 9 opts
// out. times=2 reports it twice, as after an answer that was lost. A contact that was not answered, or ended long ago, has no flow.
func checkIn(ctx context.Context, w *World, a Act) error {
	text, err := a.word(0)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("which ring: %w", err)
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	times := 1
	if v := a.value("times"); v != "" {
		if times, err = strconv.Atoi(v); err != nil {
			return errTimes
		}
	}
	rings := w.phone.rings()
	if n < 1 || n > len(rings) {
		return nil
	}
	contact := rings[n-1]
	story := w.phone.storyOf(contact.contact)
	if story.connected.IsZero() || (!story.ended.IsZero() && time.Since(story.ended) > flowPatience) {
		return nil
	}
	for range times {
		w.report(ctx, k, contact, a.value("key"))
		k = w.workers[len(w.workers)-1]
	}
	return nil
}

// report is one invocation by a flow.
func (w *World) report(ctx context.Context, k *worker, contact ring, key string) {
	if key == "1" {
		w.mu.Lock()
		if _, known := w.truth.life.pressed[contact.contact]; !known {
			w.truth.life.pressed[contact.contact] = time.Now()
		}
		w.mu.Unlock()
	}
	began := time.Now()
	lived := w.survive(k, func() {
		if k.dead.Load() {
			return
		}
		report, err := k.app.Handler.Process(ctx, flowReport(contact, key))
		switch {
		case k.dead.Load():
			return
		case err != nil || report.CheckIn == nil:
			w.find("a flow has no answer: %v", err)
			return
		}
		answer := *report.CheckIn
		w.trace.add(k.name, fmt.Sprintf("check-in wanted=%t %s", answer.Wanted, answer.Why), w.nameOf(contact.callID))
		w.mark("check-in")
		if answer.Why != "" {
			w.mark("check-in " + answer.Why)
		}
		w.heardFlow(contact, key, answer, began)
	})
	if !lived { // it may be written down that the flow was told to hang up
		w.hangingUp(contact.contact, began)
	}
}

// heardFlow notes what a flow was told, which then does so. What is written down is as old as the report, and the flow may not have waited for it.
func (w *World) heardFlow(contact ring, key string, answer call.CheckInAnswer, began time.Time) {
	if !answer.Wanted {
		w.hangingUp(contact.contact, began)
		w.phone.flowEnds(contact.contact)
	}
	c, known := w.row(contact.callID)
	if key != "1" || !answer.Confirmed || !known {
		return
	}
	w.mark("confirmed")
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.truth
	t.life.confirmed[contact.contact] = true
	first := call.Naming{}.Row(c.Key, 0)
	if firstRow, _ := t.row(first); firstRow.Acknowledged.IsZero() || c.IsForgotten() { // a spool or the log keeps it, and nobody knows yet
		return
	}
	at := time.Now().Add(-w.clockError())
	if c.RequestedAt.After(at) {
		at = c.RequestedAt
	}
	t.seq++
	if at.After(t.life.acked[first].at) {
		t.life.acked[first] = known1{at, t.seq}
	}
	if at.After(t.kept[first]) {
		t.kept[first], t.keptSeq[first] = at, t.seq
	}
}

// flowReport is what the block of a flow sends (docs/flow.md).
func flowReport(contact ring, key string) []byte {
	parameters := map[string]string{"ringonce": "check-in"}
	if key != "" {
		parameters = map[string]string{"ringonce": "pressed", "key": key}
		switch key {
		case "1":
			parameters["confirms"] = "yes"
		case "9":
			parameters["opts_out"] = "yes"
		}
	}
	document, err := json.Marshal(map[string]any{"Name": "ContactFlowEvent", "Details": map[string]any{
		"ContactData": map[string]any{
			"Attributes": map[string]string{"ringonceCallId": contact.callID}, "Channel": "VOICE", "ContactId": contact.contact, "InitialContactId": contact.contact,
			"InitiationMethod": "API", "InstanceARN": "arn:aws:connect:" + region + ":" + account + ":instance/" + connectemu.DefaultInstance,
		},
		"Parameters": parameters,
	}})
	if err != nil {
		panic(err) // maps of texts encode
	}
	return document
}

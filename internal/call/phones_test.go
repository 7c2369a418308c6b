package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// phones is the far end: it counts rings by call and token under reading A1 or A1' and answers as it is told.
type phones struct {
	clock    *clock
	faults   *faults
	ends     bool          // A1': the token dies with the contact
	talk     time.Duration // how long a contact lasts
	prepare  func(call.Order) error
	script   []func(call.Send) call.Answer // the next answers; afterwards every dial is accepted
	always   func(call.Send) call.Answer   // every answer, when set
	onDial   func(call.Send)               // runs before a dial is answered
	onSearch func()                        // runs at every search
	blind    bool                          // searches fail
	hidden   bool                          // searches work and show nothing
	tokens   map[string]call.Contact
	bodies   map[string]string
	contacts []call.Contact
	rings    map[string][]string
	stopped  []string
	dials    []call.Send
	searches int
	breaches []call.Breach
}

func newPhones(c *clock) *phones {
	return &phones{clock: c, talk: time.Minute, tokens: map[string]call.Contact{}, bodies: map[string]string{}, rings: map[string][]string{}}
}

func (p *phones) total() int {
	n := 0
	for _, contacts := range p.rings {
		n += len(contacts)
	}
	return n
}

// Prepare implements call.Dialer: the body holds what Amazon Connect would be told.
func (p *phones) Prepare(o call.Order) ([]byte, error) {
	if p.prepare != nil {
		if err := p.prepare(o); err != nil {
			return nil, err
		}
	}
	return json.Marshal(map[string]any{
		"id": o.CallID, "token": o.Token, "to": o.Destination.Wire(), "flow": o.Profile.ContactFlowID, "attributes": o.Attributes,
	})
}

// Dial implements call.Dialer. The send guard stands before the wire, as in the signer.
func (p *phones) Dial(_ context.Context, s call.Send) call.Answer {
	if p.onDial != nil {
		p.onDial(s)
	}
	if now := p.clock.Now(); now.Before(s.NotBefore) || now.After(s.NotAfter) {
		return call.Answer{Class: call.ClassNotSent, Code: "send_guard"}
	}
	answer := call.Answer{Class: call.ClassAmbiguous, Code: "reset"}
	p.faults.effect("dial", func() { answer = p.accept(s) }, func() { answer = call.Answer{Class: call.ClassAmbiguous, Code: "reset"} })
	return answer
}

func (p *phones) accept(s call.Send) call.Answer {
	p.dials = append(p.dials, s)
	if body, sent := p.bodies[s.Token]; sent && body != string(s.Body) {
		p.breaches = append(p.breaches, call.Breach{Invariant: "I5", RowID: s.CallID, Detail: "one token came with two bodies"})
	}
	p.bodies[s.Token] = string(s.Body)
	if p.always != nil {
		return p.always(s)
	}
	if len(p.script) > 0 {
		next := p.script[0]
		p.script = p.script[1:]
		return next(s)
	}
	return p.ring(s)
}

// ring places the call, or returns the contact that the token already made.
func (p *phones) ring(s call.Send) call.Answer {
	now := p.clock.Now()
	if c, made := p.tokens[s.Token]; made && now.Sub(c.Initiated) < call.TokenValidity && (!p.ends || now.Before(c.Disconnected)) {
		return call.Answer{Class: call.ClassOK, ContactID: c.ID}
	}
	c := call.Contact{ID: fmt.Sprintf("contact-%d", len(p.contacts)+1), CallID: s.CallID, Name: s.CallID, Initiated: now, Disconnected: now.Add(p.talk)}
	p.tokens[s.Token] = c
	p.contacts = append(p.contacts, c)
	p.rings[s.CallID] = append(p.rings[s.CallID], c.ID)
	return call.Answer{Class: call.ClassOK, ContactID: c.ID}
}

// lost places the call and loses the answer; says answers without placing.
func (p *phones) lost(s call.Send) call.Answer {
	p.ring(s)
	return call.Answer{Class: call.ClassAmbiguous, Code: "internal_service"}
}

func says(class call.Class, code call.Code) func(call.Send) call.Answer {
	return func(call.Send) call.Answer { return call.Answer{Class: class, Code: code, Message: "Said so."} }
}

// Describe implements call.Dialer.
func (p *phones) Describe(_ context.Context, _ call.Target, contactID string) (call.Contact, error) {
	for _, c := range p.contacts {
		if c.ID == contactID {
			return c, nil
		}
	}
	return call.Contact{}, call.ErrNotFound
}

// Search implements call.Dialer. Nobody can be asked for the contacts of no instance.
func (p *phones) Search(_ context.Context, t call.Target, callID string, from, to time.Time) ([]call.Contact, error) {
	p.searches++
	if p.onSearch != nil {
		p.onSearch()
	}
	if p.blind || t.InstanceID == "" {
		return nil, fmt.Errorf("SearchContacts: throttled")
	}
	var found []call.Contact
	for _, c := range p.contacts {
		if c.Name == callID && !p.hidden && !c.Initiated.Before(from) && !c.Initiated.After(to) {
			found = append(found, c)
		}
	}
	return found, nil
}

// Stop implements call.Dialer.
func (p *phones) Stop(_ context.Context, _ call.Target, contactID string) error {
	p.stopped = append(p.stopped, contactID)
	return nil
}

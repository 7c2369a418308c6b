package transport

import "fmt"

// Statuses returns every copy of every message, in the order in which they were published and made.
func (n *Network) Statuses() []Status {
	var all []Status
	for _, m := range n.order {
		for _, p := range m.parcels {
			all = append(all, p.status())
		}
	}
	return all
}

// Alive returns the copies to which something can still happen: all but those that are done, expired or swallowed.
func (n *Network) Alive() []Status {
	var alive []Status
	for _, m := range n.order {
		for _, p := range m.parcels {
			if s := p.status(); !s.State.Final() {
				alive = append(alive, s)
			}
		}
	}
	return alive
}

// Of returns the copies of one message, and none for a message that was never published.
func (n *Network) Of(messageID string) []Status {
	m := n.messages[messageID]
	if m == nil {
		return nil
	}
	copies := make([]Status, len(m.parcels))
	for i, p := range m.parcels {
		copies[i] = p.status()
	}
	return copies
}

// String returns one line for a transcript.
func (s Status) String() string {
	return fmt.Sprintf("%s/%d %s by %s: %s, %s, delivered %d", s.MessageID, s.Copy, s.Form, s.Way, s.Cause, s.State, s.Delivered)
}

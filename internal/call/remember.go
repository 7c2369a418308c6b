package call

import "sync"

// memory keeps the rows of keys whose first ring was placed, so that their duplicates are answered without asking the ledger. It is
// bounded: the oldest is forgotten.
//
// An old copy of such a row answers as safely as the ledger. What it suppresses, the ledger would suppress too: the copy can only lack later
// rings and cancels, and a request that lies inside the window of the first ring opens nothing after those either ([ReplyTo]: a later ring
// that was placed moves the window on, one that was not falls back to the window of the rings before it, and a cancel opens nothing).
// Every other answer, a conflict or a further ring, is made from the ledger. What may differ is the ring that the answer names.
type memory struct {
	most int

	mu   sync.Mutex
	rows map[string]Call
	ring []string // ids in the order in which they came
	next int
}

// lasting reports whether what an old copy of the row suppresses stays suppressed.
func (c Call) lasting() bool {
	return c.State == Placed && c.Ring == 0 && c.LastRing == 0 && c.CanceledBefore.IsZero() && len(c.Anomalies) == 0
}

// keep remembers a row if its answers to duplicates cannot change any more.
func (m *memory) keep(c Call) {
	if m.most <= 0 || !c.lasting() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = make(map[string]Call, m.most)
	}
	if _, known := m.rows[c.ID]; !known {
		if len(m.ring) < m.most {
			m.ring = append(m.ring, c.ID)
		} else {
			delete(m.rows, m.ring[m.next])
			m.ring[m.next] = c.ID
			m.next = (m.next + 1) % m.most
		}
	}
	m.rows[c.ID] = c
}

// forget replaces the copy of a row that was forgotten, if there is one.
func (m *memory) forget(c Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.rows[c.ID]; known {
		m.rows[c.ID] = c
	}
}

func (m *memory) get(id string) (Call, bool) {
	if m.most <= 0 {
		return Call{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.rows[id]
	return c, ok
}

// remembered returns the placed call that answers the delivery, and why, when this process knows it and would suppress the delivery.
func (e *Engine) remembered(a ask) (Call, string, bool) {
	c, ok := e.placed.get(a.id)
	if !ok {
		return Call{}, "", false
	}
	reply := e.replyTo(a, c)
	return c, reply.Reason, reply.Kind == ReplySuppress
}

// replyTo answers from a copy of the only ring of a key.
func (*Engine) replyTo(a ask, c Call) Reply {
	return ReplyTo(c, c, Asked{Fingerprint: a.fingerprint, Stamp: a.stamp, ReceivedAt: a.d.ReceivedAt}, a.profile)
}

package connectemu

import (
	"maps"
	"time"
)

// Ring is a contact that dialed, at the moment it did. Busy and invalid numbers count; refused requests and replayed tokens do not.
type Ring struct {
	// Seq counts the rings since the last reset, from 1.
	Seq        int               `json:"seq"`
	At         time.Time         `json:"at"`
	ContactID  string            `json:"contactId"`
	InstanceID string            `json:"instanceId"`
	Number     string            `json:"number"`
	Token      string            `json:"token,omitzero"`
	Name       string            `json:"name,omitzero"`
	Attributes map[string]string `json:"attributes,omitzero"`
}

func (c *contact) ring() Ring {
	return Ring{
		Seq: c.seq, At: c.initiated, ContactID: c.id, InstanceID: c.request.InstanceID, Number: c.request.DestinationPhoneNumber,
		Token: c.request.ClientToken, Name: c.request.Name, Attributes: maps.Clone(c.request.Attributes),
	}
}

func ringsOf(contacts []*contact) []Ring {
	rings := make([]Ring, len(contacts))
	for i, c := range contacts {
		rings[i] = c.ring()
	}
	return rings
}

// RingCount returns how many rings there were.
func (s *Server) RingCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rings)
}

// Rings returns every ring, in order.
func (s *Server) Rings() []Ring {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ringsOf(s.rings)
}

// RingsFor returns the rings of one number, in order.
func (s *Server) RingsFor(number string) []Ring {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ringsOf(s.byNumber[number])
}

// RingsByToken returns the rings of requests that carried this client token, in order.
func (s *Server) RingsByToken(token string) []Ring {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ringsOf(s.byToken[token])
}

// RingsByAttribute returns the rings of contacts whose attribute name has this value, in order.
func (s *Server) RingsByAttribute(name, value string) []Ring {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rings []Ring
	for _, c := range s.rings {
		if got, ok := c.request.Attributes[name]; ok && got == value {
			rings = append(rings, c.ring())
		}
	}
	return rings
}

// Contacts returns every contact as it is now, in the order they were started.
func (s *Server) Contacts() []Contact {
	now := s.cfg.Load().Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	views := make([]Contact, len(s.order))
	for i, c := range s.order {
		views[i] = c.view(now)
	}
	return views
}

// Contact returns one contact as it is now; ok is false when there is none with this id.
func (s *Server) Contact(id string) (view Contact, ok bool) {
	now := s.cfg.Load().Clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.byID[id]
	if !ok {
		return Contact{}, false
	}
	return c.view(now), true
}

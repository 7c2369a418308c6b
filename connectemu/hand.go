package connectemu

import (
	"errors"
	"fmt"
	"time"
)

// ErrContact is wrapped by the errors of [Server.Answer] and [Server.HangUp].
var ErrContact = errors.New("connectemu: the contact cannot do that")

// Answer picks a ringing phone up by hand: the call connects now and lasts for the talk time, whatever its fate was. An error wraps
// [ErrContact].
func (s *Server) Answer(contactID string) error {
	return s.byHand(contactID, func(cfg *Config, c *contact, now time.Time) error {
		if c.answered(now) {
			return fmt.Errorf("%w: it has been answered already", ErrContact)
		}
		if t := traits[c.fate]; !t.answered {
			c.reason = reasonCustomer
		} else {
			c.reason = t.reason
		}
		c.connect(now, now.Add(cfg.TalkTime))
		return nil
	})
}

// HangUp ends a call on the phone's side: an answered one by its customer (CUSTOMER_DISCONNECT), a ringing one by declining it, which
// the caller hears as busy (TELECOM_BUSY). An error wraps [ErrContact].
func (s *Server) HangUp(contactID string) error {
	return s.byHand(contactID, func(_ *Config, c *contact, now time.Time) error {
		c.reason = reasonCustomer
		if !c.answered(now) {
			c.connected, c.reason = time.Time{}, reasonBusy
		}
		c.disconnected = now
		return nil
	})
}

// byHand changes the life of a call that is alive.
func (s *Server) byHand(contactID string, change func(*Config, *contact, time.Time) error) error {
	cfg := s.cfg.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := cfg.Clock.Now()
	c := s.byID[contactID]
	switch {
	case c == nil || c.channel != ChannelVoice:
		return fmt.Errorf("%w: there is no call with this id", ErrContact)
	case c.ended(now):
		return fmt.Errorf("%w: the call has ended", ErrContact)
	}
	s.happenLocked(cfg, now)
	if err := change(cfg, c, now); err != nil {
		return err
	}
	if calls := s.calls[c.request.InstanceID]; calls != nil && c.ended(now) {
		calls.release(c)
	}
	s.planEventsLocked(c)
	s.flows.wakeLocked()
	return nil
}

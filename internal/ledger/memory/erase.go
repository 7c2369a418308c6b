package memory

import (
	"context"
	"crypto/sha256"

	"github.com/ringonce/ringonce/internal/call"
)

// tokenHash stands for a client token.
type tokenHash [sha256.Size]byte

func hashToken(token string) tokenHash { return sha256.Sum256([]byte(token)) }

// Erase implements [call.Eraser].
func (l *Ledger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.usable(ctx); err != nil {
		return call.Written{}, err
	}
	if err := wellFormed(w); err != nil {
		return call.Written{}, err
	}
	return l.store.erase(w)
}

// Scrub implements [call.Eraser]. Nothing is left to it here.
func (l *Ledger) Scrub(ctx context.Context, _ string, _ []string) error { return l.usable(ctx) }

// erase replaces a row with its history, and drops its notes and its place among the recipient's.
func (s *store) erase(w call.Write) (call.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	written, err := s.replace(w)
	if err != nil || !written.Applied || written.Row.Version != w.Row.Version {
		return written, err
	}
	r := s.rows[w.Row.ID]
	for _, e := range r.entries {
		if e.Op != w.Entry.Op {
			delete(s.ops, e.Op)
		}
	}
	r.entries = []call.Entry{w.Entry}
	r.recipient = ""
	delete(s.notes, w.Row.ID)
	return written, nil
}

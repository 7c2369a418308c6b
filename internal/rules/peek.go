package rules

import (
	"bytes"
	"context"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// peeks shares the reads of one bucket's cell among those who only look at it: each new call does, and the bucket changes as often as one is dialed.
// Nobody is answered by a read that was begun before it asked.
type peeks struct {
	turn chan struct{} // held while the cell is read

	mu   sync.Mutex
	next *peek // whom the next read answers; nil when nobody waits
	data []byte
	last call.Bucket // what data holds; it is never changed
}

// peek is one read, and whoever waits for it.
type peek struct {
	done   chan struct{} // closed when there is an answer
	asked  int           // how many wait for it
	bucket call.Bucket
	err    error
}

func newPeeks() *peeks { return &peeks{turn: make(chan struct{}, 1)} }

// look returns a bucket as it is now, to be read and not to be changed.
func (s *peeks) look(ctx context.Context, cells call.Cells, name string) (call.Bucket, error) {
	own := s.waits()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
		s.answer(ctx, own, cells, name)
	case <-own.done:
	case <-ctx.Done():
		return call.Bucket{}, ctx.Err() //nolint:wrapcheck // the caller's own
	}
	<-own.done // whoever gave the turn on has answered before
	return own.bucket, own.err
}

// waits returns the read that answers whoever asks now.
func (s *peeks) waits() *peek {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &peek{done: make(chan struct{})}
	}
	s.next.asked++
	return s.next
}

// answer reads for all who wait for p, unless somebody did already. The caller has the turn.
func (s *peeks) answer(ctx context.Context, p *peek, cells call.Cells, name string) {
	s.mu.Lock()
	begun := s.next != p
	if !begun {
		s.next = nil
	}
	s.mu.Unlock()
	if begun {
		return
	}
	defer close(p.done)
	p.err = errContended // of one that panics
	p.bucket, p.err = s.read(ctx, cells, name)
}

// read reads the cell, and decodes what it has not decoded before. A store that answers an error is asked again, as when a cell is changed.
func (s *peeks) read(ctx context.Context, cells call.Cells, name string) (b call.Bucket, err error) {
	for range errorTries {
		var cell call.Cell
		if cell, err = cells.Cell(ctx, name); err == nil && s.data != nil && bytes.Equal(cell.Data, s.data) {
			return s.last, nil
		}
		if err == nil {
			if b, err = decodeCell[call.Bucket](cell); err == nil {
				s.data, s.last = bytes.Clone(cell.Data), b
				return b, nil
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return call.Bucket{}, err
}

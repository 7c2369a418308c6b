package broken

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func parkingDefects() []Defect {
	return []Defect{
		{Name: "a record is parked again at every delivery", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &parksAgain{l} }},
		{Name: "parking is answered before it is durable", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &parksInMemory{Ledger: l, parked: map[string]call.Parked{}}
		}},
		{Name: "a parked document is cut", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &cutsDocuments{l} }},
		{Name: "a closed record keeps its document", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &keepsDocuments{Ledger: l, documents: map[string][]byte{}}
		}},
		{Name: "the last end of a record counts", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger {
			return &endsAgain{Ledger: l, ends: map[string]call.ParkedEnd{}}
		}},
		{Name: "the list holds documents", Suite: "Parking", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &listsDocuments{l} }},
	}
}

// parksAgain calls every record fresh.
type parksAgain struct{ ledgertest.Ledger }

func (l *parksAgain) Park(ctx context.Context, p call.Parked) (bool, error) {
	_, err := l.Ledger.Park(ctx, p)
	return true, err
}

// parksInMemory keeps records until its process dies.
type parksInMemory struct {
	ledgertest.Ledger

	mu     sync.Mutex
	parked map[string]call.Parked
}

func (l *parksInMemory) Park(_ context.Context, p call.Parked) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.parked[p.ID]
	if !known {
		l.parked[p.ID] = p
	}
	return !known, nil
}

func (l *parksInMemory) Parked(_ context.Context, id string) (call.Parked, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, known := l.parked[id]
	if !known {
		return p, call.ErrNotFound
	}
	return p, nil
}

// cutsDocuments keeps text only, up to a NUL.
type cutsDocuments struct{ ledgertest.Ledger }

func (l *cutsDocuments) Park(ctx context.Context, p call.Parked) (bool, error) {
	for i, b := range p.Document {
		if b == 0 {
			p.Document = p.Document[:i]
			break
		}
	}
	return l.Ledger.Park(ctx, p)
}

// keepsDocuments shows the document of a closed record.
type keepsDocuments struct {
	ledgertest.Ledger

	mu        sync.Mutex
	documents map[string][]byte
}

func (l *keepsDocuments) Park(ctx context.Context, p call.Parked) (bool, error) {
	l.mu.Lock()
	l.documents[p.ID] = p.Document
	l.mu.Unlock()
	return l.Ledger.Park(ctx, p)
}

func (l *keepsDocuments) Parked(ctx context.Context, id string) (call.Parked, error) {
	p, err := l.Ledger.Parked(ctx, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	p.Document = l.documents[id]
	return p, err
}

// endsAgain lets a later end replace an earlier one.
type endsAgain struct {
	ledgertest.Ledger

	mu   sync.Mutex
	ends map[string]call.ParkedEnd
}

func (l *endsAgain) CloseParked(ctx context.Context, id string, end call.ParkedEnd, at time.Time) error {
	err := l.Ledger.CloseParked(ctx, id, end, at)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends[id] = end
	return err
}

func (l *endsAgain) Parked(ctx context.Context, id string) (call.Parked, error) {
	p, err := l.Ledger.Parked(ctx, id)
	l.mu.Lock()
	defer l.mu.Unlock()
	p.Closed = l.ends[id]
	return p, err
}

// listsDocuments answers a list with whole records.
type listsDocuments struct{ ledgertest.Ledger }

func (l *listsDocuments) ListParked(ctx context.Context, limit int) ([]call.Parked, error) {
	list, err := l.Ledger.ListParked(ctx, limit)
	for i := range list {
		if list[i], err = l.Ledger.Parked(ctx, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, err
}

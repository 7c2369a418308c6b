package broken

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func readDefects() []Defect {
	wrap := func(fn func(ledgertest.Ledger) ledgertest.Ledger) func(ledgertest.Ledger, *memo) ledgertest.Ledger {
		return func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return fn(l) }
	}
	stale := wrap(func(l ledgertest.Ledger) ledgertest.Ledger {
		return &staleReads{Ledger: l, cache: map[string]call.Call{}}
	})
	counting := func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &miscounts{l, m} }
	return []Defect{
		{Name: "reads come from a cache that writes do not touch", Suite: "Contract", wrap: stale},
		{Name: "reads come from a cache that writes do not touch", Suite: "Concurrency", wrap: stale},
		{Name: "due rows come latest first", Suite: "Contract", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &reversed{l} })},
		{Name: "due looks at the row's own due time only", Suite: "Contract", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &ownDue{l} })},
		{Name: "a due time of now is not due yet", Suite: "Contract", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &lateDue{l} })},
		{Name: "lists come oldest first", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &reversed{l} })},
		{Name: "lists know no key spaces", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &anySpace{l} })},
		{Name: "lists know one key space", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &oneSpace{l} })},
		{Name: "a page begins where the page before ended", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &pageGap{l} })},
		{Name: "a page of due rows goes on behind all that are due with its last one", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &dueGap{l} })},
		{Name: "a page of due rows goes on at a count", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &dueCount{l} })},
		{Name: "contacts are not indexed", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &noContacts{l} })},
		{Name: "each forgets the histories", Suite: "Index", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &bareRows{l} })},
		{Name: "suppressions at once are lost", Suite: "Journal", wrap: counting},
		{Name: "a conflict is kept again and again", Suite: "Journal", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &everyConflict{l, m} }},
		{Name: "the latest beat wins, not the newest", Suite: "Journal", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &anyBeat{Ledger: l} })},
		{Name: "a beat of the future stays", Suite: "Journal", wrap: wrap(func(l ledgertest.Ledger) ledgertest.Ledger { return &latestBeat{Ledger: l} })},
	}
}

// staleReads keeps the first version it read.
type staleReads struct {
	ledgertest.Ledger

	mu    sync.Mutex
	cache map[string]call.Call
}

func (l *staleReads) Get(ctx context.Context, id string) (call.Call, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.cache[id]; ok {
		return c, nil
	}
	c, err := l.Ledger.Get(ctx, id)
	if err == nil {
		l.cache[id] = c
	}
	return c, err
}

// reversed sorts every list the wrong way.
type reversed struct{ ledgertest.Ledger }

func (l *reversed) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := l.Ledger.Due(ctx, now, limit)
	slices.Reverse(ids)
	return ids, err
}

func (l *reversed) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	page, cursor, err := l.Ledger.List(ctx, f)
	slices.Reverse(page)
	return page, cursor, err
}

func (l *reversed) Unfinished(ctx context.Context, cursor string, limit int) ([]string, string, error) {
	ids, next, err := l.Ledger.Unfinished(ctx, cursor, limit)
	slices.Reverse(ids)
	return ids, next, err
}

// ownDue forgets the next ring that is not confirmed (protocol.md section 16, R20).
type ownDue struct{ ledgertest.Ledger }

func (l *ownDue) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := l.Ledger.Due(ctx, now, limit)
	return slices.DeleteFunc(ids, func(id string) bool {
		c, err := l.Get(ctx, id)
		return err == nil && c.Due.IsZero()
	}), err
}

// lateDue compares with < where the promise says "not after".
type lateDue struct{ ledgertest.Ledger }

func (l *lateDue) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	return l.Ledger.Due(ctx, now.Add(-time.Nanosecond), limit)
}

// pageGap loses the row between two pages.
type pageGap struct{ ledgertest.Ledger }

func (l *pageGap) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	page, cursor, err := l.Ledger.List(ctx, f)
	if f.Cursor != "" && len(page) > 0 {
		page = page[1:]
	}
	return page, cursor, err
}

// dueGap takes a due time for a place.
type dueGap struct{ ledgertest.Ledger }

func (l *dueGap) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	page, err := l.Ledger.DueFrom(ctx, place, limit)
	for err == nil && len(page) > 0 {
		rest, failed := l.Ledger.DueFrom(ctx, page[len(page)-1].Place, 1)
		if failed != nil || len(rest) == 0 || !l.alike(ctx, rest[0].ID, page[len(page)-1].ID) {
			return page, failed
		}
		page[len(page)-1].Place = rest[0].Place
	}
	return page, err
}

func (l *dueGap) alike(ctx context.Context, one, other string) bool {
	a, failed := l.Get(ctx, one)
	b, err := l.Get(ctx, other)
	return failed == nil && err == nil && a.DueAt().Equal(b.DueAt())
}

// dueCount takes the number of rows before it for a place.
type dueCount struct{ ledgertest.Ledger }

func (l *dueCount) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	before, err := strconv.Atoi(cmp.Or(place, "0"))
	if err != nil {
		return l.Ledger.DueFrom(ctx, place, limit)
	}
	page, err := l.Ledger.DueFrom(ctx, "", before+limit)
	page = page[min(before, len(page)):]
	for i := range page {
		page[i].Place = strconv.Itoa(before + i + 1)
	}
	return page, err
}

// anySpace lists all key spaces, whichever was asked for.
type anySpace struct{ ledgertest.Ledger }

func (l *anySpace) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	f.KeySpaces = nil
	return l.Ledger.List(ctx, f)
}

// oneSpace lists the first of the key spaces that were asked for.
type oneSpace struct{ ledgertest.Ledger }

func (l *oneSpace) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	if len(f.KeySpaces) > 1 {
		f.KeySpaces = f.KeySpaces[:1]
	}
	return l.Ledger.List(ctx, f)
}

// noContacts knows no contact.
type noContacts struct{ ledgertest.Ledger }

func (*noContacts) ByContact(context.Context, string) (string, error) { return "", call.ErrNotFound }

// bareRows gives rows without their entries.
type bareRows struct{ ledgertest.Ledger }

func (l *bareRows) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	return l.Ledger.Each(ctx, func(c call.Call, _ []call.Entry) error { return fn(c, nil) })
}

// miscounts drops every seventh suppression.
type miscounts struct {
	ledgertest.Ledger

	memo *memo
}

func (l *miscounts) Note(ctx context.Context, n call.Note) error {
	if n.Kind == call.NoteSuppressed && l.memo.count("suppressed")%7 == 6 {
		return nil
	}
	return l.Ledger.Note(ctx, n)
}

// everyConflict gives each conflict a fingerprint of its own.
type everyConflict struct {
	ledgertest.Ledger

	memo *memo
}

func (l *everyConflict) Note(ctx context.Context, n call.Note) error {
	if n.Kind == call.NoteConflict && l.memo.count(n.RowID+n.Fingerprint) > 0 {
		n.Kind = call.NoteRefused
	}
	return l.Ledger.Note(ctx, n)
}

// anyBeat keeps the beat that came last.
type anyBeat struct {
	ledgertest.Ledger

	mu   sync.Mutex
	last time.Time
}

func (l *anyBeat) Beat(ctx context.Context, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = at
	return l.Ledger.Beat(ctx, at)
}

func (l *anyBeat) LastBeat(context.Context) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, nil
}

// latestBeat keeps the beat that is latest, however far it is ahead of all others.
type latestBeat struct {
	ledgertest.Ledger

	mu   sync.Mutex
	last time.Time
}

func (l *latestBeat) Beat(ctx context.Context, at time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at.After(l.last) {
		l.last = at
	}
	return l.Ledger.Beat(ctx, at)
}

func (l *latestBeat) LastBeat(context.Context) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, nil
}

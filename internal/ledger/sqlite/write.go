package sqlite

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// queued is how many writes may wait for the writer before their callers do.
const queued = 1024

type jobKind int

const (
	jobCreate jobKind = iota
	jobUpdate
	jobAct  // a change of the ledger's own record
	jobNote // nothing of its own: notes wait, or a Flush waits for them
	jobIndex
	jobErase
	jobScrub // nothing of its own: the WAL is emptied behind its group
	jobStop
)

// job is one write on its way to the writer. What can be computed by its caller is in it already: the writer is the one part that
// cannot run in parallel.
type job struct {
	kind      jobKind
	write     call.Write
	doc       []byte
	recipient string
	act       func(prepare, *record) error
	after     func() // of an act, once it is committed
	erased    *erased
	fresh     bool        // it was carried out by the transaction of its group, and not before
	answer    chan answer // buffered: the writer never waits; nil when nobody listens
}

type answer struct {
	written call.Written
	err     error
}

// Create implements [call.Ledger].
func (l *Ledger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Seq != 1 {
		return call.Written{}, fmt.Errorf("create row %s: the first write must have seq 1, not %d", w.Row.ID, w.Entry.Seq)
	}
	recipient := l.options.Recipient(w.Row.Key.KeySpace, w.Row.Key.RecipientID)
	return l.send(ctx, &job{kind: jobCreate, write: w, recipient: recipient})
}

// Update implements [call.Ledger].
func (l *Ledger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.send(ctx, &job{kind: jobUpdate, write: w})
}

func (l *Ledger) send(ctx context.Context, j *job) (call.Written, error) {
	if err := l.writable(ctx); err != nil {
		return call.Written{}, err
	}
	w := &j.write
	if w.Row.ID == "" || w.Row.ID != w.Entry.RowID || w.Row.Version != w.Entry.Seq || w.Entry.Op == "" {
		return call.Written{}, fmt.Errorf("the write of row %q does not fit its entry %q: id, version and op must agree", w.Row.ID, w.Entry.Op)
	}
	doc, err := w.Row.Encode()
	if err != nil {
		return call.Written{}, fmt.Errorf("encode row %s: %w", w.Row.ID, err)
	}
	j.doc = doc
	return l.wait(ctx, j)
}

// wait gives the job to the writer and waits for its answer. When the context ends first, the write may still be applied.
func (l *Ledger) wait(ctx context.Context, j *job) (call.Written, error) {
	j.answer = make(chan answer, 1)
	select {
	case l.queue <- j:
	case <-l.done:
		return call.Written{}, l.ended()
	case <-ctx.Done():
		return call.Written{}, ctx.Err()
	}
	select {
	case a := <-j.answer:
		return a.written, a.err
	case <-ctx.Done():
		return call.Written{}, ctx.Err()
	case <-l.done:
	}
	select {
	case a := <-j.answer: // the writer's last act
		return a.written, a.err
	default:
		return call.Written{}, l.ended()
	}
}

func (l *Ledger) ended() error {
	if reason := l.dead.Load(); reason != nil {
		return reason.err
	}
	return errClosed
}

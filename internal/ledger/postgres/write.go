package postgres

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
	jobErase
	jobNote // nothing of its own: notes wait, or a Flush waits for them
	jobStop
)

// waits reports whether the job's row, once it is written, has a hint coming.
func (j *job) waits() bool {
	return (j.kind == jobCreate || j.kind == jobUpdate) && !j.write.Hint.IsZero()
}

// calls reports whether the job is the write of a call.
func (k jobKind) calls() bool { return k == jobCreate || k == jobUpdate || k == jobErase }

// job is one write on its way to the writer, with what its caller could compute for it.
type job struct {
	kind      jobKind
	write     call.Write
	doc       []byte
	recipient string
	tokenHash string
	answer    chan answer // buffered: the writer never waits; nil when nobody listens
}

type answer struct {
	written call.Written
	fresh   bool // it was applied by this transaction, not by an earlier one
	err     error
}

// Create implements [call.Ledger].
func (l *Ledger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Seq != 1 {
		return call.Written{}, fmt.Errorf("create row %s: the first write must have seq 1, not %d", w.Row.ID, w.Entry.Seq)
	}
	if err := l.writable(ctx); err != nil {
		return call.Written{}, err
	}
	return l.send(ctx, &job{kind: jobCreate, write: w, recipient: l.options.Recipient(w.Row.Key.KeySpace, w.Row.Key.RecipientID)})
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
	j.doc, j.tokenHash = doc, hashToken(w.Row.Token)
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

package call_test

import (
	"context"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// mode is how one effect fails.
type mode string

const (
	lostBefore  mode = "lost before"           // not done, one error
	lostAfter   mode = "done, answer lost"     // done, one error
	outBefore   mode = "not done, and retries" // not done, and the tries of the same write fail too
	outAfter    mode = "done, retries lost"    // done, and the tries of the same write fail too
	crashBefore mode = "crash before"
	crashAfter  mode = "crash after"
)

var modes = []mode{lostBefore, lostAfter, outBefore, outAfter, crashBefore, crashAfter}

// faults counts the effects of a story, names them, and lets one of them fail.
type faults struct {
	call.Ledger
	names []string
	fail  int // number of the effect that fails, from 1; 0 for none
	mode  mode
	fired int
	op    string // the write whose retries fail
	tries int
	at    map[int]func() // what another process does before an effect
	quiet bool
}

// pause runs a part of a story whose effects neither count nor fail.
func (f *faults) pause(part func()) {
	f.quiet = true
	part()
	f.quiet = false
}

// effect does one effect, or fails it. undo is called when the caller must not learn the answer.
func (f *faults) effect(name string, do, lose func()) {
	if f.quiet {
		do()
		return
	}
	f.names = append(f.names, name)
	if other := f.at[len(f.names)]; other != nil {
		f.pause(other)
	}
	if len(f.names) != f.fail {
		do()
		return
	}
	f.fired++
	switch f.mode {
	case lostBefore, outBefore:
		lose()
	case lostAfter, outAfter:
		do()
		lose()
	case crashBefore:
		panic(crash{})
	case crashAfter:
		do()
		panic(crash{})
	}
}

func (f *faults) write(ctx context.Context, name string, w call.Write, send func(context.Context, call.Write) (call.Written, error)) (written call.Written, err error) {
	if f.op == w.Entry.Op && f.tries > 0 {
		f.tries--
		if f.mode == outAfter {
			_, _ = send(ctx, w)
		}
		return call.Written{}, fmt.Errorf("%s %s: connection reset", name, w.Entry.Kind)
	}
	f.effect(name+" "+string(w.Entry.Kind), func() { written, err = send(ctx, w) }, func() {
		written, err = call.Written{}, fmt.Errorf("%s %s: connection reset", name, w.Entry.Kind)
		if f.mode == outBefore || f.mode == outAfter {
			f.op, f.tries = w.Entry.Op, 2
		}
	})
	return written, err
}

// Create implements call.Ledger.
func (f *faults) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return f.write(ctx, "create", w, f.Ledger.Create)
}

// Update implements call.Ledger.
func (f *faults) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return f.write(ctx, "update", w, f.Ledger.Update)
}

// Erase implements call.Eraser.
func (f *faults) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return f.write(ctx, "erase", w, f.eraser().Erase)
}

// Scrub implements call.Eraser.
func (f *faults) Scrub(ctx context.Context, recipient string, ids []string) (err error) {
	f.effect("scrub", func() { err = f.eraser().Scrub(ctx, recipient, ids) }, func() { err = fmt.Errorf("scrub: connection reset") })
	return err
}

func (f *faults) eraser() call.Eraser {
	eraser, ok := f.Ledger.(call.Eraser)
	if !ok {
		panic("the ledger below is no eraser")
	}
	return eraser
}

// Get implements call.Ledger.
func (f *faults) Get(ctx context.Context, id string) (c call.Call, err error) {
	f.effect("get", func() { c, err = f.Ledger.Get(ctx, id) }, func() { c, err = call.Call{}, fmt.Errorf("get: connection reset") })
	return c, err
}

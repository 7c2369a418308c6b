package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"testing"
)

// host lets a program start the servers that tests start: what they ask of a testing.TB, and nothing else. Its other methods are those of a nil
// interface.
type host struct {
	testing.TB

	ctx      context.Context // testing.TB returns it
	cleanups []func()
	failed   bool
}

// stopped is the panic by which Fatalf leaves.
type stopped struct{ error }

// with runs f and ends what it started, the newest first.
func with(ctx context.Context, f func(tb testing.TB) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	h := &host{ctx: ctx}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			err = p.error
		default:
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		h.failed = err != nil
		cancel() // servers end with the context, before the cleanups wait for them
		for _, end := range slices.Backward(h.cleanups) {
			end()
		}
	}()
	return f(h)
}

// Helper implements testing.TB.
func (*host) Helper() {}

// Context implements testing.TB.
func (h *host) Context() context.Context { return h.ctx }

// Cleanup implements testing.TB.
func (h *host) Cleanup(f func()) { h.cleanups = append(h.cleanups, f) }

// Failed implements testing.TB.
func (h *host) Failed() bool { return h.failed }

// Logf implements testing.TB.
func (*host) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// Fatalf implements testing.TB.
func (*host) Fatalf(format string, args ...any) { panic(stopped{fmt.Errorf(format, args...)}) }

// TempDir implements testing.TB.
func (h *host) TempDir() string {
	dir, err := os.MkdirTemp("", "ringonce-peers-")
	if err != nil {
		h.Fatalf("make a directory: %v", err)
	}
	h.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

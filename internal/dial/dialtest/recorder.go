package dialtest

import (
	"context"
	"runtime"
	"slices"
	"testing"
)

// recorder is a testing.TB that notes a failure instead of failing the test.
type recorder struct {
	testing.TB

	ctx      context.Context // a test's context lives as long as the test
	failed   bool
	cleanups []func()
}

// passes runs one check in a goroutine of its own, which a fatal failure can end.
func passes(tb testing.TB, check Check, open Opener) bool {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	r := &recorder{TB: tb, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, v := range slices.Backward(r.cleanups) {
				v()
			}
		}()
		defer cancel()
		check.Run(r, open)
	}()
	<-done
	return !r.failed
}

// Context implements testing.TB.
func (r *recorder) Context() context.Context { return r.ctx }

// Cleanup implements testing.TB.
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// Helper implements testing.TB.
func (r *recorder) Helper() {}

// Log implements testing.TB: what a failing check says is not of interest.
func (r *recorder) Log(...any) {}

// Logf implements testing.TB.
func (r *recorder) Logf(string, ...any) {}

// Error implements testing.TB.
func (r *recorder) Error(...any) { r.failed = true }

// Errorf implements testing.TB.
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// Fail implements testing.TB.
func (r *recorder) Fail() { r.failed = true }

// Failed implements testing.TB.
func (r *recorder) Failed() bool { return r.failed }

// FailNow implements testing.TB.
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// Fatal implements testing.TB.
func (r *recorder) Fatal(...any) { r.FailNow() }

// Fatalf implements testing.TB.
func (r *recorder) Fatalf(string, ...any) { r.FailNow() }

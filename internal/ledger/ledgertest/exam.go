package ledgertest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// Ledger is what a driver offers: the ports of the core, and the acts of recovery and of closing.
type Ledger interface {
	call.Ledger
	call.Index
	call.Journal
	call.Eraser
	call.Parking
	call.Cells
	Recoverer
	// SetReading records which reading of the client token was measured; empty forgets it.
	SetReading(ctx context.Context, reading string) error
	// Each calls fn with every row and its history, of one instant, in the order of creation.
	Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error
	// Flush waits until every note given so far can be read.
	Flush(ctx context.Context) error
	// Close ends the ledger in order. Closing twice is no error.
	Close() error
}

// Recoverer is the part of a ledger that `ringonce ledger recover` uses.
type Recoverer interface {
	// BeginRecovery makes the epoch grow and stores the forgotten stretch of time.
	BeginRecovery(ctx context.Context, r call.Recovery) error
	// CloseRecovery ends it; call.CodeRecoveryNotOpen when none is open.
	CloseRecovery(ctx context.Context) error
	// Unfinished returns ids of rows that are not final, in the order of creation, and a cursor, empty at the end.
	Unfinished(ctx context.Context, cursor string, limit int) (ids []string, next string, err error)
}

// Store is where the data of ledgers lies. It outlives the ledgers that are opened on it, one after the other.
type Store interface {
	// Open opens a ledger on the data.
	Open(ctx context.Context) (Ledger, error)
	// Kill ends a ledger as the death of its process would: nothing is flushed, awaited or tidied.
	Kill(l Ledger)
}

// Opener makes a fresh, empty store. Its ledgers run with the default settings and the plain identity mode.
type Opener func() Store

// Lacks names what a driver does not do. The zero value lacks nothing.
type Lacks struct {
	Suppressions bool // the default setting neither counts nor keeps suppressed deliveries (DynamoDB: one write less)
	Recovery     bool // the store detects and records restores by itself
	Counts       bool // the identity counts no writes and does not know the newest (DynamoDB: a counter is a second write for each)
	ForeignOps   bool // an op id that belongs to another row is not noticed (DynamoDB: noticing it is a second write for each)
	Due          bool // an index says what is due, and it is written behind the rows (DynamoDB: a global secondary index)
	NoteOrder    bool // notes are listed by their rows, the newest row first, not in the order in which they were kept (DynamoDB: an index is a second write for each)
	Speed        bool // a call takes milliseconds, so that fewer histories must do (servers that answer like AWS)
}

// Suite is a part of the exam.
type Suite struct {
	Name  string
	cases []exercise
	skip  func(Lacks) bool
}

type exercise struct {
	name string
	run  func(*exam)
	skip func(Lacks) bool
}

// Suites returns the whole exam.
func Suites() []Suite {
	return []Suite{contract(), concurrency(), linearizable(), crash(), lostAnswer(), index(), journal(), noteList(), parking(), cells(), erasure(), recovery(), waiting()}
}

// Run sits the whole exam: one subtest for each suite, one in it for each promise.
func Run(t *testing.T, open Opener, lacks Lacks) {
	t.Helper()
	for _, suite := range Suites() {
		if suite.skip != nil && suite.skip(lacks) {
			continue
		}
		t.Run(suite.Name, func(t *testing.T) {
			for _, c := range suite.cases {
				if c.skip == nil || !c.skip(lacks) {
					t.Run(c.name, func(t *testing.T) { sit(t.Context(), t, c, open(), lacks) })
				}
			}
		})
	}
}

// Examine sits one suite and returns the names of the exercises that failed. It is how a broken driver is seen to fail without
// failing the test that expects it.
func Examine(ctx context.Context, suite Suite, open Opener) []string {
	var failed []string
	for _, c := range suite.cases {
		r := &recorder{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			sit(ctx, r, c, open(), Lacks{})
		}()
		<-done
		if r.failed() {
			failed = append(failed, c.name)
		}
	}
	return failed
}

// reporter is the part of *testing.T that the exercises use.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// recorder remembers that an exercise failed.
type recorder struct {
	mu  sync.Mutex
	bad bool
}

// Helper implements reporter.
func (*recorder) Helper() {}

// Errorf implements reporter.
func (r *recorder) Errorf(string, ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bad = true
}

// Fatalf implements reporter. It ends the goroutine, as testing does.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bad
}

// exam is one exercise being sat.
type exam struct {
	reporter
	Ledger

	ctx    context.Context //nolint:containedctx // an exercise is one function; its context is that of the test
	store  Store
	lacks  Lacks
	opened []Ledger
}

func sit(ctx context.Context, t reporter, c exercise, store Store, lacks Lacks) {
	t.Helper()
	x := &exam{reporter: t, ctx: ctx, store: store, lacks: lacks}
	defer x.leave()
	x.open()
	c.run(x)
}

func (x *exam) open() {
	x.Helper()
	l, err := x.store.Open(x.ctx)
	if err != nil {
		x.Fatalf("open the ledger: %v", err)
	}
	x.Ledger = l
	x.opened = append(x.opened, l)
}

// restart kills the ledger and opens the next one on the same data.
func (x *exam) restart() {
	x.Helper()
	x.store.Kill(x.Ledger)
	x.open()
}

func (x *exam) leave() {
	x.Helper()
	for _, l := range slices.Backward(x.opened) {
		if err := l.Close(); err != nil {
			x.Errorf("close the ledger: %v", err)
		}
	}
}

package dynamodb

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// TestOperationsOfDataKeys counts what encryption costs: the first process of a day makes the key, every further one opens it, and then
// nothing is asked any more. Only the first of a ledger's life marks it.
func TestOperationsOfDataKeys(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	clock := &handClock{now: noon}
	tune := func(o *Options) { encrypted(o); o.Clock = clock }
	type cost struct{ table, kms map[string]int }
	spend := func(name string, act func() error, want cost) {
		t.Helper()
		f.Taken()
		f.kms.Taken()
		if err := act(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := (cost{f.Taken(), f.kms.Taken()}); !maps.Equal(got.table, want.table) || !maps.Equal(got.kms, want.kms) {
			t.Errorf("%s cost %v, want %v", name, got, want)
		}
	}
	create := func(l *Ledger, id string) func() error {
		return func() error { return second(send(t.Context(), l, accepted(t, id, nil))) }
	}
	get := func(l *Ledger, id string) func() error { return func() error { return second(l.Get(t.Context(), id)) } }
	none := map[string]int{}
	first := f.open(tune)
	spend("the first write of a ledger", create(first, "a"), cost{map[string]int{"GetItem": 1, "UpdateItem": 1, "PutItem": 2}, map[string]int{"GenerateDataKey": 1}})
	spend("the next write", create(first, "b"), cost{map[string]int{"PutItem": 1}, none})
	spend("a read", get(first, "b"), cost{map[string]int{"GetItem": 1}, none})
	other := f.open(tune)
	spend("the first write of another process", create(other, "c"), cost{map[string]int{"GetItem": 1, "PutItem": 1}, map[string]int{"Decrypt": 1}})
	spend("a duplicate there", create(other, "a"), cost{map[string]int{"PutItem": 1}, none})
	reader := f.open(func(o *Options) { o.ReadOnly = true })
	spend("the first read of another process", get(reader, "a"), cost{map[string]int{"GetItem": 2}, map[string]int{"Decrypt": 1}})
	spend("its next read", get(reader, "b"), cost{map[string]int{"GetItem": 1}, none})
	clock.now = noon.Add(24 * time.Hour)
	spend("the first write of the next day", create(first, "d"), cost{map[string]int{"GetItem": 1, "PutItem": 2}, map[string]int{"GenerateDataKey": 1}})
	spend("a read of yesterday's call", get(first, "a"), cost{map[string]int{"GetItem": 1}, none})
}

// handClock is moved by hand.
type handClock struct {
	stillClock

	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

// keyItems returns the keys of the data keys in the table.
func (f *fake) keyItems() (names []string) {
	for pk := range f.Backup() {
		if strings.HasPrefix(pk, "#k#") {
			names = append(names, pk)
		}
	}
	return names
}

func TestAKeyIsReplacedAfterItsUses(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(encrypted)
	l.keyring.most = 10
	writes := chain(t, "a", nil, 25)
	for _, w := range writes {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(f.keyItems()); n != 3 {
		t.Errorf("25 blobs of at most 10 for each key used %d keys", n)
	}
	held(t, f.open(encrypted), writes)
}

// gate is a KMS that answers the first requests of this many processes when all of them have asked.
type gate struct {
	*kmstest.Service

	mu      sync.Mutex
	missing int
	open    chan struct{}
}

func (g *gate) Do(r *http.Request) (*http.Response, error) {
	g.mu.Lock()
	if g.missing--; g.missing == 0 {
		close(g.open)
	}
	g.mu.Unlock()
	<-g.open
	return g.Service.Do(r)
}

// TestProcessesAtOnceAgreeOnOneKey lets 20 processes find no key and make one each, with and without lost answers to the write of the key.
func TestProcessesAtOnceAgreeOnOneKey(t *testing.T) {
	t.Parallel()
	for _, fate := range []tabletest.Fate{tabletest.Answered, tabletest.LostAfter, tabletest.LostFirst, tabletest.Silence} {
		f := newFake(t)
		ledgers := make([]*Ledger, 20)
		kms := &gate{Service: f.kms, missing: len(ledgers), open: make(chan struct{})}
		for i := range ledgers {
			ledgers[i] = f.open(func(o *Options) {
				encrypted(o)
				o.Keys = kmskey.New(kmskey.Options{HTTPClient: kms, Credentials: testCredentials, Clock: stillClock{}, Timeout: time.Minute})
			})
		}
		broken := 0
		f.Faults = func(op, pk string) tabletest.Fate {
			if op == "PutItem" && strings.HasPrefix(pk, "#k#") && broken < 2 {
				broken++
				return fate
			}
			return tabletest.Answered
		}
		var wait sync.WaitGroup
		for i, l := range ledgers {
			wait.Go(func() {
				if written, err := send(t.Context(), l, accepted(t, string(rune('a'+i)), nil)); err != nil || !written.Applied {
					t.Errorf("process %d: applied %t, error %v", i, written.Applied, err)
				}
			})
		}
		wait.Wait()
		if n := len(f.keyItems()); n != 1 {
			t.Errorf("fault %d: %d keys", fate, n)
		}
		for i := range ledgers {
			if err := whole(t, f, string(rune('a'+i))); err != nil {
				t.Errorf("fault %d: row %d: %v", fate, i, err)
			}
		}
	}
}

// TestReadersOfOneKeyAskOnce lets many goroutines meet an unknown key together.
func TestReadersOfOneKeyAskOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if _, err := send(t.Context(), f.open(encrypted), accepted(t, "a", nil)); err != nil {
		t.Fatal(err)
	}
	l := f.open(encrypted)
	f.kms.Taken()
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			if _, err := l.Get(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := f.kms.Taken(); !maps.Equal(got, map[string]int{"Decrypt": 1}) {
		t.Errorf("50 readers asked for %v", got)
	}
}

// TestEveryRequestForAKeyMayFail breaks each request on the way to the first write of a ledger, of the table and of KMS, in every way. The
// failure is an error; the write sent again succeeds, and everything can be read.
func TestEveryRequestForAKeyMayFail(t *testing.T) {
	t.Parallel()
	for _, fate := range []tabletest.Fate{tabletest.LostFirst, tabletest.LostAfter, tabletest.Broken, tabletest.BrokenLie, tabletest.Silence} {
		for site := range 4 { // read the key, mark the ledger, store the key, create the call
			f := newFake(t)
			l := f.open(encrypted)
			n := -1
			f.Faults = func(string, string) tabletest.Fate {
				if n++; n == site {
					return fate
				}
				return tabletest.Answered
			}
			w := accepted(t, "a", nil)
			if written, err := l.Create(t.Context(), w); err == nil || written.Applied || errors.Is(err, call.ErrNotFound) {
				t.Fatalf("fault %d at request %d: applied %t, error %v", fate, site, written.Applied, err)
			}
			if written, err := l.Create(t.Context(), w); err != nil || !written.Applied {
				t.Fatalf("fault %d at request %d, again: applied %t, error %v", fate, site, written.Applied, err)
			}
			held(t, f.open(encrypted), []call.Write{w})
		}
	}
}

// TestKMSDownIsAnUnavailableLedger breaks KMS at each use: a key that is made, one that is opened to write and one that is opened to read.
func TestKMSDownIsAnUnavailableLedger(t *testing.T) {
	t.Parallel()
	for _, refusal := range []kmstest.Refusal{kmstest.Lost, kmstest.Internal, "ThrottlingException", "AccessDeniedException", "DisabledException", "KMSInvalidStateException", "NotFoundException"} {
		f := newFake(t)
		down := func(string) kmstest.Refusal { return refusal }
		unavailable := func(what string, err error) {
			t.Helper()
			shown, ok := errors.AsType[*call.Error](err)
			if !ok || shown.Code != call.CodeLedgerUnavailable || shown.Field != "ledger.kms_key" || shown.Fix == "" || errors.Is(err, call.ErrNotFound) {
				t.Errorf("%s, KMS answers %s: %v", what, refusal, err)
			}
		}
		l := f.open(encrypted)
		w := accepted(t, "a", nil)
		f.kms.Break(down)
		unavailable("make", second(l.Create(t.Context(), w)))
		if len(f.Items) != 1 {
			t.Errorf("KMS answers %s: something was written", refusal)
		}
		f.kms.Break(nil)
		if _, err := l.Create(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		f.kms.Break(down)
		if _, err := l.Create(t.Context(), accepted(t, "b", nil)); err != nil {
			t.Errorf("KMS answers %s: a process that has a key stops: %v", refusal, err)
		}
		unavailable("open to write", second(f.open(encrypted).Create(t.Context(), accepted(t, "c", nil))))
		for what, err := range map[string]error{
			"get": second(f.open(encrypted).Get(t.Context(), "a")), "peek": second(f.open(encrypted).Peek(t.Context(), "a")),
			"history": second(f.open(encrypted).History(t.Context(), "a")),
			"each":    f.open(encrypted).Each(t.Context(), func(call.Call, []call.Entry) error { return nil }),
		} {
			unavailable(what, err)
		}
	}
}

// countingTelephone counts the calls that it places.
type countingTelephone struct {
	telephone

	dials *int
}

func (c countingTelephone) Dial(ctx context.Context, s call.Send) call.Answer {
	*c.dials++
	return c.telephone.Dial(ctx, s)
}

// TestACallThatCannotBeDecryptedNeverRingsAgain takes away what decrypts a placed call, in each way, and delivers its request again to fresh
// processes: it goes back to its source, and the telephone is silent.
func TestACallThatCannotBeDecryptedNeverRingsAgain(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(*fake){
		"the item of the key is lost":          func(f *fake) { delete(f.Items, f.keyItems()[0]) },
		"the item of the key was changed":      func(f *fake) { f.change(f.keyItems()[0], keySealed, tabletest.Value{B: []byte("other")}) },
		"the key was sealed for another table": func(f *fake) { f.change(f.keyItems()[0], keyTable, tabletest.Value{S: new("other")}) },
		"the key names another master key":     func(f *fake) { f.change(f.keyItems()[0], keyMaster, tabletest.Value{S: new(kmstest.Other)}) },
		"the master key is gone":               func(f *fake) { f.kms.Break(func(string) kmstest.Refusal { return "KMSInvalidStateException" }) },
		"the blob was changed": func(f *fake) {
			for pk := range f.Backup() {
				if isRow(pk) {
					bad := append([]byte(nil), f.Items[pk][attrData].B...)
					bad[len(bad)-1] ^= 1
					f.change(pk, attrData, tabletest.Value{B: bad})
				}
			}
		},
	} {
		for _, readFirst := range []bool{false, true} {
			f := newFake(t)
			dials := 0
			place := func() call.Outcome {
				l := f.open(encrypted)
				return engineOn(t, l, func(core *call.Config) {
					inner, ok := core.Dialer.(telephone)
					if !ok {
						t.Fatal("the engine has another telephone")
					}
					core.Dialer, core.ReadFirst, core.Peek = countingTelephone{inner, &dials}, readFirst, l.Peek
				}).Place(t.Context(), delivery(t, 0))
			}
			if out := place(); out.Met != call.MetPlaced || dials != 1 {
				t.Fatalf("the first delivery is %s with %d dials: %s", out.Met, dials, out.Message)
			}
			take(f)
			if out := place(); out.Met != call.MetUnavailable || out.Ack != call.AckRetry || dials != 1 {
				t.Errorf("%s, read first %t: the delivery is %s (%v) with %d dials: %s", name, readFirst, out.Met, out.Ack, dials, out.Message)
			}
		}
	}
}

func (f *fake) change(pk, name string, v tabletest.Value) { f.Items[pk] = with(f.Items[pk], name, v) }

func TestALostKeyIsNamed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if _, err := send(t.Context(), f.open(encrypted), accepted(t, "a", nil)); err != nil {
		t.Fatal(err)
	}
	name := f.keyItems()[0]
	delete(f.Items, name)
	_, err := f.open(encrypted).Get(t.Context(), "a")
	if !errors.Is(err, errKeyLost) || errors.Is(err, call.ErrNotFound) || !strings.Contains(err.Error(), name) || call.CodeOf(err) != call.CodeLedgerUnavailable {
		t.Errorf("%v, want an error that names %s", err, name)
	}
}

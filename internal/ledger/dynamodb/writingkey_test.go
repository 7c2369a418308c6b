package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
)

// midnight is when the data key changes.
var midnight = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// reports are what a ledger told its observer.
type reports struct {
	mu   sync.Mutex
	told []call.Decided
}

// Decided implements call.Observer.
func (r *reports) Decided(_ context.Context, d call.Decided) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, d)
}

// atMidnight opens an encrypted ledger a second before midnight, and has it write a row.
func atMidnight(t *testing.T, f *fake) (*Ledger, *handClock, *reports, call.Write) {
	t.Helper()
	clock, told := &handClock{now: midnight.Add(-time.Second)}, &reports{}
	l := f.open(func(o *Options) { encrypted(o); o.Clock, o.Observer = clock, told })
	w := accepted(t, "a", nil)
	if _, err := send(t.Context(), l, w); err != nil {
		t.Fatal(err)
	}
	f.kms.Taken()
	return l, clock, told, w
}

// keyOfBlob returns the item of the data key that a call is encrypted with.
func (f *fake) keyOfBlob(id string) string {
	return keyItem(string(f.Items[id][attrData].B[1 : 1+keyIDSize]))
}

// TestADayThatBeginsWithoutKMSIsWrittenWithTheKeyOfYesterday: a process that has a key goes on with it, whatever KMS answers, asks again once a
// minute, says so each time, and changes to the new key when it can be had.
func TestADayThatBeginsWithoutKMSIsWrittenWithTheKeyOfYesterday(t *testing.T) {
	t.Parallel()
	for _, refusal := range []kmstest.Refusal{kmstest.Lost, kmstest.Internal, "ThrottlingException", "AccessDeniedException", "DisabledException"} {
		f := newFake(t)
		l, clock, told, w := atMidnight(t, f)
		yesterday := f.keyOfBlob("a")
		f.kms.Break(func(string) kmstest.Refusal { return refusal })
		writes := []call.Write{w}
		for second := range 150 {
			clock.now = midnight.Add(time.Duration(second) * time.Second)
			writes = append(writes, later(t, writes[len(writes)-1]))
			if written, err := l.Update(t.Context(), writes[len(writes)-1]); err != nil || !written.Applied {
				t.Fatalf("%s, %d s after midnight: applied %t, error %v", refusal, second, written.Applied, err)
			}
		}
		if len(told.told) != 3 {
			t.Errorf("%s: %d reports in 2.5 minutes, want one a minute", refusal, len(told.told))
		}
		for _, d := range told.told {
			if d.What != "key-failed" || !d.Alarm || d.Code != call.CodeLedgerUnavailable || !strings.Contains(d.Reason, "2026-11-29") {
				t.Errorf("%s: reported %+v", refusal, d)
			}
		}
		if got := f.kms.Taken()["GenerateDataKey"]; got > 9 {
			t.Errorf("%s: KMS was asked %d times in 2.5 minutes", refusal, got)
		}
		if got := f.keyOfBlob("a"); got != yesterday {
			t.Errorf("%s: encrypted with %s, want the key of yesterday, %s", refusal, got, yesterday)
		}
		f.kms.Break(nil)
		clock.now = clock.now.Add(renewPause)
		writes = append(writes, later(t, writes[len(writes)-1]))
		if _, err := l.Update(t.Context(), writes[len(writes)-1]); err != nil {
			t.Fatal(err)
		}
		if f.keyOfBlob("a") == yesterday || len(told.told) != 3 {
			t.Errorf("%s: the new key is not used although it can be had", refusal)
		}
		held(t, f.open(encrypted), writes)
	}
}

// midnightTelephone lets midnight pass and KMS fail while the phone is dialed.
type midnightTelephone struct {
	telephone

	pass func()
}

func (m midnightTelephone) Dial(ctx context.Context, s call.Send) call.Answer {
	m.pass()
	return m.telephone.Dial(ctx, s)
}

// TestADialOverMidnightWithoutKMSIsRecorded is the call whose intent is encrypted on one day and whose contact on the next.
func TestADialOverMidnightWithoutKMSIsRecorded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	clock := &handClock{now: midnight.Add(-time.Second)}
	l := f.open(func(o *Options) { encrypted(o); o.Clock = clock })
	e := engineOn(t, l, func(core *call.Config) {
		inner, ok := core.Dialer.(telephone)
		if !ok {
			t.Fatal("the engine has another telephone")
		}
		core.Dialer = midnightTelephone{inner, func() {
			clock.now = midnight.Add(time.Second)
			f.kms.Break(func(string) kmstest.Refusal { return kmstest.Lost })
		}}
	})
	out := e.Place(t.Context(), delivery(t, 0))
	if out.Met != call.MetPlaced || out.ContactID == "" {
		t.Fatalf("the delivery is %s: %s", out.Met, out.Message)
	}
	f.kms.Break(nil)
	row, err := f.open(encrypted).Get(t.Context(), out.Call.ID)
	if err != nil || row.State != call.Placed || row.ContactID != out.ContactID {
		t.Errorf("the ledger says %s with the contact %q, error %v", row.State, row.ContactID, err)
	}
}

// TestAReaderOfYesterdayWritesWithItsKey: a process that only read has a key as well.
func TestAReaderOfYesterdayWritesWithItsKey(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	_, _, _, w := atMidnight(t, f)
	reader := f.open(func(o *Options) { encrypted(o); o.Clock = &handClock{now: midnight.Add(time.Second)} })
	if _, err := reader.Get(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	yesterday := f.keyOfBlob("a")
	f.kms.Break(func(string) kmstest.Refusal { return kmstest.Lost })
	next := later(t, w)
	if written, err := reader.Update(t.Context(), next); err != nil || !written.Applied || f.keyOfBlob("a") != yesterday {
		t.Errorf("applied %t, error %v", written.Applied, err)
	}
	f.kms.Break(nil)
	held(t, f.open(encrypted), []call.Write{w, next})
}

// TestAKeyIsNeverUsedBeyondItsBound: without a further key the one that is open goes on to its bound, of a day that is over or of this one, and
// then the ledger is unavailable.
func TestAKeyIsNeverUsedBeyondItsBound(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]bool{"after midnight": true, "on the day": false} {
		f := newFake(t)
		l, clock, told, _ := atMidnight(t, f)
		l.keyring.most = 64
		if over {
			clock.now = midnight
		}
		f.kms.Break(func(string) kmstest.Refusal { return kmstest.Lost })
		sealed := 1
		for ; sealed < 200; sealed++ {
			if _, err := l.Create(t.Context(), accepted(t, fmt.Sprint(sealed), nil)); err != nil {
				if call.CodeOf(err) != call.CodeLedgerUnavailable {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
		}
		if sealed != 64 || len(told.told) != 1 {
			t.Errorf("%s: %d blobs were sealed with one key of at most 64, %d reports", name, sealed, len(told.told))
		}
		f.kms.Break(nil)
		if _, err := l.Create(t.Context(), accepted(t, "last", nil)); err != nil || len(f.keyItems()) != 2 {
			t.Errorf("%s: %d keys, error %v", name, len(f.keyItems()), err)
		}
	}
}

// silentKMS takes requests and never answers when it is told to.
type silentKMS struct {
	*kmstest.Service

	mu     sync.Mutex
	silent bool
}

func (s *silentKMS) Do(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	silent := s.silent
	s.mu.Unlock()
	if silent {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return s.Service.Do(r)
}

// bubbleClock is the clock of a synctest bubble.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }

func (bubbleClock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestAWriteWaitsForASilentKMSForABoundedTime holds the time of the record of a dial: one write waits a second, those beside it and after it not
// at all. Without an open key all wait for the same few seconds, and not for one another.
func TestAWriteWaitsForASilentKMSForABoundedTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		kms := &silentKMS{Service: f.kms}
		tune := func(o *Options) {
			encrypted(o)
			o.Clock, o.Keys = bubbleClock{}, kmskey.New(kmskey.Options{HTTPClient: kms, Credentials: testCredentials, Clock: bubbleClock{}})
		}
		time.Sleep(24*time.Hour - time.Second) // a bubble begins at midnight
		l := f.open(tune)
		w := accepted(t, "a", nil)
		if _, err := l.Create(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		kms.silent = true
		time.Sleep(2 * time.Second)
		took := together(10, func(i int) error {
			return second(l.Create(t.Context(), accepted(t, fmt.Sprint("beside", i), nil)))
		})
		if len(took.failed) > 0 || took.longest > renewPatience || took.sum > renewPatience {
			t.Errorf("with an open key ten writes waited %s, the longest %s, and failed with %v", took.sum, took.longest, took.failed)
		}
		took = together(1, func(int) error { return second(l.Update(t.Context(), later(t, w))) })
		if len(took.failed) > 0 || took.longest > 0 {
			t.Errorf("the next write waited %s and failed with %v", took.longest, took.failed)
		}
		cold := f.open(tune)
		took = together(10, func(i int) error {
			return second(cold.Create(t.Context(), accepted(t, fmt.Sprint("cold", i), nil)))
		})
		if len(took.failed) != 10 || took.longest > keyPatience || call.CodeOf(took.failed[0]) != call.CodeLedgerUnavailable || errors.Is(took.failed[0], context.DeadlineExceeded) {
			t.Errorf("without a key the longest write waited %s and failed with %v", took.longest, took.failed)
		}
		took = together(10, func(int) error { return second(cold.Get(t.Context(), "a")) })
		if len(took.failed) != 10 || took.longest > keyPatience || call.CodeOf(took.failed[0]) != call.CodeLedgerUnavailable {
			t.Errorf("the longest read waited %s and failed with %v", took.longest, took.failed)
		}
	})
}

type waited struct {
	sum, longest time.Duration
	failed       []error
}

// together runs n calls at once and says how long they took.
func together(n int, act func(i int) error) (w waited) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			start := time.Now()
			err := act(i)
			mu.Lock()
			defer mu.Unlock()
			took := time.Since(start)
			w.sum, w.longest = w.sum+took, max(w.longest, took)
			if err != nil {
				w.failed = append(w.failed, err)
			}
		})
	}
	all.Wait()
	return w
}

// TestAnEndedWriteBlamesNoKey: a caller that gives up is no failure of KMS, and the next write asks again.
func TestAnEndedWriteBlamesNoKey(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l, clock, told, w := atMidnight(t, f)
	clock.now = midnight
	ctx, cancel := context.WithCancel(t.Context())
	f.kms.Break(func(string) kmstest.Refusal { cancel(); return kmstest.Lost })
	if _, err := l.Update(ctx, later(t, w)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the end of the caller", err)
	}
	f.kms.Break(nil)
	f.kms.Taken()
	if _, err := l.Update(t.Context(), later(t, w)); err != nil || len(told.told) != 0 || !maps.Equal(f.kms.Taken(), map[string]int{"GenerateDataKey": 1}) {
		t.Errorf("error %v, %d reports", err, len(told.told))
	}
}

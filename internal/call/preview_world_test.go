package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// slots counts the pacing slots that were taken.
type slots struct{ taken int }

// Reserve implements call.Pacer.
func (s *slots) Reserve(_ string, _ time.Time, patience time.Duration) (time.Duration, bool) {
	if patience < 0 {
		return 0, false
	}
	s.taken++
	return 0, true
}

// Return implements call.Pacer.
func (s *slots) Return(string, call.PaceSlot, time.Time) { s.taken-- }

// theater is a world whose engine previews: a ledger of any kind, a telephone that does anything, and time.
type theater struct {
	*world
	ledger ledgertest.Ledger
	slots  *slots
	dates  map[string][]time.Time
}

func inMemory(testing.TB) ledgertest.Ledger { return memory.New(memory.Options{}) }

func onDisk(t testing.TB) ledgertest.Ledger {
	t.Helper()
	l, err := sqlite.Open(context.Background(), sqlite.Options{
		Path: filepath.Join(t.TempDir(), "ledger.db"), WitnessPath: filepath.Join(t.TempDir(), "witness"), Suppressions: "all",
		RandomID: func() string { return "ledger" }, Clock: &clock{now: start},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newTheater(t testing.TB, rt *rapid.T, open func(testing.TB) ledgertest.Ledger) *theater {
	ledger := open(t)
	pacing := &slots{}
	readFirst := rapid.Bool().Draw(rt, "read first")
	if rapid.IntRange(0, 4).Draw(rt, "restored") == 0 {
		err := ledger.BeginRecovery(context.Background(), call.Recovery{Backup: start.Add(-3 * day), Restored: start.Add(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, func(c *call.Config) {
		c.Ledger, c.Journal, c.Pacer, c.ReadFirst = ledger, ledger, pacing, readFirst
	})
	w.wakes.ledger = ledger
	x := &theater{world: w, ledger: ledger, slots: pacing, dates: map[string][]time.Time{}}
	w.profile(func(p *call.Profile) {
		p.Resend = rapid.SampledFrom([]call.Resend{call.ResendToken, call.ResendEvidence, call.ResendNever}).Draw(rt, "resend")
		p.Window = rapid.SampledFrom([]call.Window{{For: day}, {For: 10 * day}, {Forever: true}}).Draw(rt, "window")
		p.WindowReopenAny = rapid.Bool().Draw(rt, "reopen")
		p.MaxAttempts = rapid.SampledFrom([]int{0, 2}).Draw(rt, "attempts")
		p.RequireDated = rapid.IntRange(0, 5).Draw(rt, "dated only") == 0
	})
	w.phones.hidden = rapid.Bool().Draw(rt, "hidden")
	return x
}

// bytes returns everything the ledger holds.
func (x *theater) bytes() string {
	x.t.Helper()
	ctx := context.Background()
	var b strings.Builder
	if err := x.ledger.Flush(ctx); err != nil {
		x.t.Fatal(err)
	}
	identity, err := x.ledger.Identity(ctx)
	if err != nil {
		x.t.Fatal(err)
	}
	fmt.Fprintln(&b, identity.Epoch, identity.HighWater, identity.LastWrite)
	err = x.ledger.Each(ctx, func(c call.Call, entries []call.Entry) error {
		row, err := c.Encode()
		if err != nil {
			return err
		}
		kept, err := x.ledger.Notes(ctx, c.ID)
		if err != nil {
			return err
		}
		notes, err := json.Marshal(kept)
		fmt.Fprintln(&b, string(row), len(entries), string(notes))
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return b.String()
}

// outside returns everything that a preview could have done outside of the ledger.
func (x *theater) outside() string {
	return fmt.Sprint(x.phones.total(), len(x.phones.dials), x.phones.searches, len(x.phones.stopped), x.slots.taken, len(x.told), len(x.spool.facts), x.wakes.tries, x.clock.Now())
}

// delivery draws a delivery of one of two keys: new, repeated, undated, limited, of another fingerprint, or a cancel.
func (x *theater) delivery(rt *rapid.T) call.Delivery {
	key, now := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "key"), x.clock.Now()
	d := undated(key)
	switch kind := rapid.IntRange(0, 5).Draw(rt, "dated"); {
	case kind <= 1 || len(x.dates[key]) == 0:
		d = request(key, now)
		x.dates[key] = append(x.dates[key], now)
	case kind <= 3:
		d = request(key, rapid.SampledFrom(x.dates[key]).Draw(rt, "repeat"))
	}
	switch rapid.IntRange(0, 19).Draw(rt, "special") {
	case 0:
		d.Request.NotAfter = now.Add(time.Duration(rapid.IntRange(-1, 200).Draw(rt, "seconds")) * time.Second)
	case 1:
		d.Request.Attributes = map[string]string{"language": "ja-JP"} // another fingerprint
	case 2:
		d = cancel(key, d.Request.RequestedAt)
	case 3:
		d.Request.RequestedAt = now.Add(time.Hour) // refused
	}
	d.ReceivedAt = now
	return d
}

// meanwhile is what happens between two deliveries.
func (x *theater) meanwhile(rt *rapid.T) {
	switch rapid.IntRange(0, 7).Draw(rt, "meanwhile") {
	case 0, 1:
		x.clock.advance(time.Duration(rapid.SampledFrom([]int{1, 70, 2500, 40_000, 600_000}).Draw(rt, "seconds")) * time.Second)
	case 2:
		x.sweepQuietly()
	case 6: // two lost answers leave the call to the next delivery
		x.phones.script = append(x.phones.script, x.phones.lost, says(call.ClassAmbiguous, "reset"))
	case 3:
		x.phones.script = append(x.phones.script, rapid.SampledFrom([]func(call.Send) call.Answer{
			x.phones.lost, says(call.ClassAmbiguous, "reset"), says(call.ClassThrottled, "throttled"), says(call.ClassNotSent, "dns"),
			says(call.ClassRefusedRequest, "invalid_parameter"), says(call.ClassRefusedSetup, "access_denied"),
		}).Draw(rt, "answer"))
	case 4:
		refusal := rapid.SampledFrom([]error{nil, nil, &call.Error{Code: call.CodeFieldValue, Message: "No."}, &call.Error{Code: call.CodeConfiguration, Message: "No."}}).Draw(rt, "body")
		x.phones.prepare = func(call.Order) error { return refusal }
	case 5:
		paused := rapid.Bool().Draw(rt, "paused")
		x.profile(func(p *call.Profile) { p.Paused = paused })
	}
}

package sim_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// afterRestore is a defect and acts that show it, played on a ledger that was restored before.
type afterRestore struct {
	name    string
	setting string
	plant   func() sim.Plant
	acts    []string
	sees    string
}

// restored is what happens before the acts: n0 rang before the backup, n8 and n9 after it, which is forgotten. No number exists, so no rule rings again.
func restored() []string {
	return []string{
		"fate n0 invalid", "fate n8 invalid", "fate n9 invalid",
		"publish m0 r0 key=n0 at=now", "deliver m0", "tick 1m", "backup", "tick 1m",
		"publish m8 r8 key=n8 at=now", "publish m9 r9 key=n9 at=now", "deliver m8 m9", "tick 1m", "restore later=1m", "run 3h",
	}
}

// plantsRestored are defects of keys that the restore has not touched, and of what it excuses nobody from.
func plantsRestored() []afterRestore {
	dialer := func(wrap func(call.Dialer) call.Dialer) func() sim.Plant {
		return func() sim.Plant {
			return sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return lateDialer{d, wrap(d)} }}
		}
	}
	profiles := func(change func(*app.Profile)) func() sim.Plant {
		return func() sim.Plant {
			return sim.Plant{Config: func(c *app.Config) {
				for name, p := range c.Profiles {
					change(&p)
					c.Profiles[name] = p
				}
			}}
		}
	}
	ring := []string{"publish m1 r1 key=n1 at=now", "deliver m1"}
	lost := []string{"publish m1 r1 key=n1 at=now", "deliver m1; phone place-then-reset", "run 3m"}
	busy := []string{"fate n1 busy busy busy busy", "publish m1 r1 key=n1 at=now", "deliver m1", "run 3h"}
	twice := dialer(func(d call.Dialer) call.Dialer { return twiceDialer{d} })
	return []afterRestore{
		{
			"a second ring without a re-call (G1)", "", profiles(func(p *app.Profile) { p.WindowReopen, p.Window = "any", "1m" }),
			[]string{"publish m1 r1 key=n1", "deliver m1", "tick 1h", "redeliver m1"},
			"opened by a request without a date",
		},
		{"two rings of one attempt (G1)", "", twice, ring, "I1 of"},
		{"two rings of an attempt of a forgotten key (G1)", "", twice, []string{"publish m7 r7 key=n9 at=now", "deliver m7"}, "I1 of"},
		{
			"a window of a minute (G1)", "", profiles(func(p *app.Profile) { p.Window = "1m" }),
			append(ring[:2:2], "tick 1h", "publish m2 r2 key=n1 at=now", "deliver m2"), "opened inside the window",
		},
		{
			"a window that never ends (G2)", "window=10m", profiles(func(p *app.Profile) { p.Window = "forever" }),
			append(ring[:2:2], "tick 10h", "publish m2 r2 key=n1 at=now", "deliver m2"), "asks for a ring of its own",
		},
		{"another body under a token (I5)", "", dialer(func(d call.Dialer) call.Dialer { return bodyDialer{d, map[string]int{}} }), lost, "one token carried two bodies"},
		{"another number than asked for (G4)", "", dialer(func(d call.Dialer) call.Dialer { return misdialer{d} }), ring, "rang another number"},
		{"a token that belongs to no call", "", dialer(func(d call.Dialer) call.Dialer { return &freshToken{Dialer: d} }), ring, "belongs to no call"},
		{"a signature before its bounds (I6)", "", dialer(func(d call.Dialer) call.Dialer { return guardlessDialer{d} }), []string{
			"publish m1 r1 key=n1 at=now", "down phone 1s", "deliver m1", "tick 10s", "skew A 4m", "sweep; meanwhile before dial (skew A 0s)",
		}, "was signed -4m0s after firstSigned"},
		{"an automaton follows a doubt (G3)", "outcome=track recalls=1 resend=never search-delay=60d", func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return changingLedger{l, call.EventDoubted, followedDoubt} }}
		}, append(lost[:2:2], "run 3d"), "which is in doubt"},
		{"no quiet hours", "hours=09:00-13:00", profiles(func(p *app.Profile) { p.Hours, p.TimeZone = nil, "" }), append([]string{"tick 5h"}, ring...), "in quiet hours"},
		{"no caps", "cap=2_per_1h", func() sim.Plant { return sim.Plant{Config: func(c *app.Config) { c.Limits.PerNumber = nil }} }, []string{
			"publish m1 r1 key=n1 at=now", "publish m2 r2 key=n2 at=now number=1", "publish m3 r3 key=n3 at=now number=1", "deliver m1 m2 m3",
		}, "rang the number as the 3th"},
		{"no speed limit", "speed=2_per_6h outcome=track", func() sim.Plant { return sim.Plant{Config: func(c *app.Config) { c.Limits.Velocity = nil }} }, []string{
			"tick 6h", "publish m1 r1 key=n1 at=now", "publish m2 r2 key=n2 at=now", "publish m3 r3 key=n3 at=now", "deliver m1", "tick 10s", "deliver m2", "tick 10s", "deliver m3",
		}, "rang as the 3th"},
		{"a switch that is read once", "", func() sim.Plant {
			return sim.Plant{Cells: func(c call.Cells) call.Cells { return staleCells{c, map[string]call.Cell{}} }}
		}, []string{"publish m1 r1 key=n1 at=now", "deliver m1", "pause all", "tick 10s", "publish m2 r2 key=n2 at=now", "deliver m2"}, "is paused since"},
		{"an acknowledgment that is not kept", "outcome=track recalls=2", func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return droppingLedger{l, call.EventCancelRequested} }}
		}, append(busy[:3:3], "run 2m", "acknowledge m2 a1 key=n1 at=now", "deliver m2", "run 3h"), "acknowledged"},
		{"a budget of one more", "outcome=track recalls=1", profiles(func(p *app.Profile) { p.Recall.Budget++ }), busy, "of one wish, and"},
		{
			"a wait that is cut short", "outcome=track recalls=1", profiles(func(p *app.Profile) { p.Recall.Wait = map[string]string{"no_answer": "5m"} }),
			[]string{"fate n1 no-answer", "publish m1 r1 key=n1 at=now", "deliver m1", "run 3h"},
			"after the end of the ring before",
		},
	}
}

func TestEachPlantedDefectIsSeenAfterARestore(t *testing.T) {
	for _, d := range plantsRestored() {
		t.Run(d.name, func(t *testing.T) {
			for _, world := range []string{sim.Light, sim.Full} {
				if found := playRestored(t, world, d, sim.Plant{}); len(found) > 0 {
					t.Errorf("%s: without the defect there is a finding: %s", world, found[0])
				}
				found := strings.Join(playRestored(t, world, d, d.plant()), "\n")
				if !strings.Contains(found, d.sees) {
					t.Errorf("%s: it is not seen, but %q", world, found)
				}
			}
		})
	}
}

func playRestored(t *testing.T, world string, d afterRestore, plant sim.Plant) (findings []string) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := sim.ParseSetting(strings.TrimSpace("world " + world + " " + d.setting))
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(s, sim.Options{Seed: 1, Dir: filepath.Join(dir, "life"), Plant: plant})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		play(t, w, append(restored(), "judge")...)
		if found := w.Findings(); len(found) > 0 {
			t.Errorf("%s: there is a finding already: %s", world, found[0])
		}
		play(t, w, d.acts...)
		play(t, w, "calm", "settle close=yes", "judge")
		findings = w.Findings()
	})
	return findings
}

// followedDoubt makes a doubt look like a ring that nobody answered.
func followedDoubt(c *call.Call, e call.Event) {
	c.Due, c.DueReason, c.Open = e.At, "follow", nil
	c.State, c.ContactID, c.Outcome = call.Placed, "00000000-0000-4000-8000-000000000000", call.OutcomeNoAnswer
}

// lateDialer is broken from the third hour on, when the ledger was restored.
type lateDialer struct {
	call.Dialer
	broken call.Dialer
}

// Dial implements call.Dialer.
func (d lateDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if time.Now().After(time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC)) { // a bubble begins at midnight of 2000-01-01
		return d.broken.Dial(ctx, s)
	}
	return d.Dialer.Dial(ctx, s)
}

// twiceDialer sends what rang once more under another token.
type twiceDialer struct{ call.Dialer }

// Dial implements call.Dialer.
func (d twiceDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	a := d.Dialer.Dial(ctx, s)
	if a.Class == call.ClassOK {
		token := s.Token[:len(s.Token)-4] + hex.EncodeToString([]byte{0xab, 0xcd})
		s.Body, s.Token = bytes.Replace(s.Body, []byte(s.Token), []byte(token), 1), token
		d.Dialer.Dial(ctx, s)
	}
	return a
}

// bodyDialer sends what it sends again with another flow.
type bodyDialer struct {
	call.Dialer
	sent map[string]int
}

// Dial implements call.Dialer.
func (d bodyDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if d.sent[s.Token]++; d.sent[s.Token] > 1 {
		s.Body = bytes.Replace(s.Body, []byte("222222222222\""), []byte("222222222223\""), 1)
	}
	return d.Dialer.Dial(ctx, s)
}

// misdialer takes one digit for another.
type misdialer struct{ call.Dialer }

// Dial implements call.Dialer.
func (d misdialer) Dial(ctx context.Context, s call.Send) call.Answer {
	s.Body = bytes.Replace(s.Body, []byte("+819000000001"), []byte("+819000000002"), 1)
	return d.Dialer.Dial(ctx, s)
}

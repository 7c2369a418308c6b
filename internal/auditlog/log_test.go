package auditlog_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// desk is a log, its directory and its head.
type desk struct {
	*auditlog.Log

	dir, head string
	clock     *clock
	random    *rand.ChaCha8
}

var seeds = struct {
	sync.Mutex
	n byte
}{}

func newLog(t *testing.T) *desk {
	t.Helper()
	seeds.Lock()
	seeds.n++
	seed := seeds.n
	seeds.Unlock()
	d := &desk{
		dir: filepath.Join(t.TempDir(), "log"), head: filepath.Join(t.TempDir(), "elsewhere", "head"), random: rand.NewChaCha8([32]byte{seed}),
		clock: &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)},
	}
	d.open(t)
	return d
}

func (d *desk) options() auditlog.Options {
	return auditlog.Options{Dir: d.dir, Head: d.head, Clock: d.clock, Random: d.random}
}

func (d *desk) open(t *testing.T) {
	t.Helper()
	l, err := auditlog.Open(d.options())
	if err != nil {
		t.Fatal(err)
	}
	d.Log = l
	t.Cleanup(func() { _ = l.Close() })
}

func (d *desk) close(t *testing.T) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) append(t *testing.T, a auditlog.Act) {
	t.Helper()
	if err := d.Append(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

// report verifies against the remembered head.
func (d *desk) report(t *testing.T) auditlog.Report {
	t.Helper()
	head, err := auditlog.ReadHead(d.head)
	if err != nil {
		t.Fatal(err)
	}
	r, err := auditlog.Verify(os.DirFS(d.dir), auditlog.Against{Head: head})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (d *desk) newest(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(d.dir, "audit-*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names[len(names)-1]
}

func TestTheChainGoesOverDaysAndRestarts(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	for n := range 12 {
		d.append(t, auditlog.Act{Actor: "ann", Kind: "operator", Action: "call.recall", CallID: fmt.Sprint(n), Reason: "because"})
		d.clock.move(7 * time.Hour)
		if n%4 == 3 {
			d.close(t)
			d.open(t)
		}
	}
	r := d.report(t)
	if !r.Sound() || r.Records != 13 || r.Files != 4 || r.Head.Seq != 13 || !r.Compared {
		t.Errorf("%+v", r)
	}
	newest, err := auditlog.Tail(os.DirFS(d.dir), 5)
	if err != nil || len(newest) != 5 || newest[4].Seq != 13 || newest[4].CallID != "11" || newest[0].Seq != 9 {
		t.Errorf("%+v %v", newest, err)
	}
}

func TestAClockThatGoesBackOpensNoFileOfThePastAndIsTold(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.clock.move(24 * time.Hour)
	d.append(t, auditlog.Act{Action: "a"})
	d.clock.move(-48 * time.Hour)
	d.append(t, auditlog.Act{Action: "b"})
	if r := d.report(t); !r.Sound() || r.ClockBack != 1 || r.Files != 2 {
		t.Errorf("%+v", r)
	}
}

func TestAnEndThatACrashLeftTornIsPutAsideAndTold(t *testing.T) {
	t.Parallel()
	for name, torn := range map[string]string{"half a line": `{"hash":"00`, "zeros": strings.Repeat("\x00", 300), "zeros and a line": "\x00\x00\n" + `{"hash":"`} {
		d := newLog(t)
		d.append(t, auditlog.Act{Action: "a"})
		d.close(t)
		f, err := os.OpenFile(d.newest(t), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(torn); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		if r := d.report(t); r.Sound() {
			t.Errorf("%s: a torn end is not told", name)
		}
		d.open(t)
		d.append(t, auditlog.Act{Action: "b"})
		last, err := auditlog.Tail(os.DirFS(d.dir), 2)
		if err != nil || last[0].Action != auditlog.ActionRecovered || last[1].Action != "b" {
			t.Errorf("%s: %+v %v", name, last, err)
		}
		if r := d.report(t); !r.Sound() || r.Records != 4 {
			t.Errorf("%s: %+v", name, r)
		}
		kept, err := filepath.Glob(filepath.Join(d.dir, "*.torn-*"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%s: %v %v", name, kept, err)
		}
		if text, err := os.ReadFile(kept[0]); err != nil || string(text) != torn {
			t.Errorf("%s: the torn bytes are gone: %q %v", name, text, err)
		}
	}
}

// A crash at every byte of an append: the log opens again, is sound, and has every record whose append was answered.
func TestACrashAtAnyByteLosesNoAnsweredRecord(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.append(t, auditlog.Act{Action: "answered"})
	d.close(t)
	path := d.newest(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(d.head)
	if err != nil {
		t.Fatal(err)
	}
	d.open(t)
	d.append(t, auditlog.Act{Action: "in flight"})
	d.close(t)
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(before); cut <= len(after); cut += 7 {
		if err := errors.Join(os.WriteFile(path, after[:cut], 0o600), os.WriteFile(d.head, head, 0o600)); err != nil {
			t.Fatal(err)
		}
		d.open(t)
		d.append(t, auditlog.Act{Action: "next"})
		d.close(t)
		if r := d.report(t); !r.Sound() || r.Records < 3 {
			t.Fatalf("cut at %d: %+v", cut, r)
		}
	}
}

func TestALogThatWasCutOffIsNotContinued(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.append(t, auditlog.Act{Action: "a"})
	d.append(t, auditlog.Act{Action: "b"})
	d.close(t)
	text, err := os.ReadFile(d.newest(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for name, cut := range map[string][]byte{"a whole record": bytes.Join(lines[:2], nil), "half a record": text[:len(text)-9], "everything": nil} {
		if err := os.WriteFile(d.newest(t), cut, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := auditlog.Open(d.options()); !errors.Is(err, auditlog.ErrCutOff) {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(d.newest(t)); err != nil || !bytes.Equal(kept, cut) {
			t.Errorf("%s: the evidence was changed", name)
		}
	}
	if err := errors.Join(os.WriteFile(d.newest(t), bytes.Join(lines[:2], nil), 0o600), os.Remove(d.head)); err != nil {
		t.Fatal(err)
	}
	d.open(t)
	if last, err := auditlog.Tail(os.DirFS(d.dir), 1); err != nil || last[0].Action != auditlog.ActionHeadless {
		t.Errorf("nobody is told that the head was missing: %+v %v", last, err)
	}
}

func TestASecondWriterIsRefused(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	if _, err := auditlog.Open(d.options()); !errors.Is(err, auditlog.ErrInUse) {
		t.Errorf("%v", err)
	}
	waiting := d.options()
	waiting.Wait = true
	opened := make(chan error, 1)
	go func() {
		l, err := auditlog.Open(waiting)
		if err == nil {
			err = errors.Join(l.Append(context.Background(), auditlog.Act{Action: "second"}), l.Close())
		}
		opened <- err
	}()
	d.append(t, auditlog.Act{Action: "first"})
	d.close(t)
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if r := d.report(t); !r.Sound() || r.Records != 3 {
		t.Errorf("%+v", r)
	}
}

func TestAppendsAtTheSameTimeAreAllThere(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for n := range 50 {
				if err := d.Append(context.Background(), auditlog.Act{Action: "x", CallID: fmt.Sprint(g, n)}); err != nil {
					t.Error(err)
				}
				if n%10 == 9 {
					d.clock.move(time.Hour)
				}
			}
		})
	}
	all.Wait()
	if r := d.report(t); !r.Sound() || r.Records != 401 || r.Head.Seq != 401 {
		t.Errorf("%+v", r)
	}
}

func TestNothingPersonalIsInTheLogAndWithTheSaltItIsErased(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.append(t, auditlog.Act{
		Actor: "ann", Action: "call.recall", Reason: "he said +1 (202) 555-0100, or 447700900000, room 12", Personal: map[string]string{"number": "+12025550100"},
	})
	text, err := os.ReadFile(d.newest(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"2025550100", "555-0100", "447700900000"} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s is in the log", secret)
		}
	}
	last, err := auditlog.Tail(os.DirFS(d.dir), 1)
	if err != nil || !strings.HasSuffix(last[0].Reason, "room 12") || !strings.Contains(last[0].Reason, "0100") {
		t.Fatalf("%+v %v", last, err)
	}
	same, err := auditlog.Matches(d.dir, last[0], "number", "+12025550100")
	other, err2 := auditlog.Matches(d.dir, last[0], "number", "+12025550101")
	if err != nil || err2 != nil || !same || other {
		t.Errorf("%v %v %v %v", same, other, err, err2)
	}
	if err := os.Remove(filepath.Join(d.dir, "salt-2026-11-30")); err != nil {
		t.Fatal(err)
	}
	if _, err := auditlog.Matches(d.dir, last[0], "number", "+12025550100"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if r := d.report(t); !r.Sound() {
		t.Errorf("%+v", r)
	}
}

func TestAnExportForSpreadsheetsRunsNoFormula(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	evil := []string{"=1+1", "+1+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u3000=1", "＝1", "|cmd", "\n=1", "%0A"}
	for _, text := range evil {
		d.append(t, auditlog.Act{Actor: text, Action: text, Reason: text, Answer: text, CallID: text})
	}
	var out bytes.Buffer
	if err := auditlog.Export(&out, os.DirFS(d.dir), auditlog.CSV, time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2+len(evil) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, text := range evil {
		for _, column := range []int{2, 4, 5, 6, 7} {
			if cell := rows[i+2][column]; !strings.HasPrefix(cell, "'") {
				t.Errorf("%q comes out as %q", text, cell)
			}
		}
	}
	out.Reset()
	if err := auditlog.Export(&out, os.DirFS(d.dir), auditlog.JSON, d.clock.Now().Add(time.Second), time.Time{}); err != nil || out.Len() > 0 {
		t.Errorf("%s %v", out.String(), err)
	}
}

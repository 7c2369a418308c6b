package auditlog_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

func (d *desk) names(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestALogWithoutItsOldestDaysVerifiesAndGoesOn(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	for n := range 5 {
		d.append(t, auditlog.Act{Actor: "ann", Kind: "operator", Action: "addDoNotCall", Personal: map[string]string{"number": "+12025550101"}})
		d.append(t, auditlog.Act{Actor: "ann", Kind: "operator", Action: "pause"})
		if d.clock.move(24 * time.Hour); n == 2 {
			d.close(t)
			d.open(t)
		}
	}
	removed, err := d.Trim(auditlog.Keep{Days: 2}, "kept for two days, ask +12025550102")
	if err != nil || !slices.Equal(removed.Days, []string{"2026-11-30", "2026-12-01", "2026-12-02"}) || removed.Records != 7 || removed.Seq != 7 {
		t.Fatalf("%+v %v", removed, err)
	}
	if names := d.names(t); !slices.Equal(names, []string{"audit-2026-12-03.jsonl", "audit-2026-12-04.jsonl", "audit-2026-12-05.jsonl", "lock", "salt-2026-12-03", "salt-2026-12-04"}) {
		t.Errorf("%q", names)
	}
	for range 2 {
		r := d.report(t)
		if !r.Sound() || r.Trimmed != 7 || r.Records != r.Head.Seq-7 || !r.Compared || r.Log != removed.Log {
			t.Errorf("%+v", r)
		}
		d.close(t)
		d.open(t)
		d.append(t, auditlog.Act{Actor: "ann", Kind: "operator", Action: "resume"})
	}
	told, err := auditlog.Tail(os.DirFS(d.dir), 100)
	if err != nil || len(told) != 7 || told[0].Seq != 8 || told[4].Action != auditlog.ActionTrimmed || strings.Contains(told[4].Reason, "5550102") {
		t.Errorf("%+v %v", told, err)
	}
}

func TestTheNewestDayStaysAndAgainIsNothingToDo(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.fill(t, 100)
	days := len(d.names(t)) - 1
	for _, keep := range []auditlog.Keep{{}, {Days: days}, {Days: 100}, {Before: "2026-11-30"}, {Before: "2026-11-30", Days: 50}} {
		if r, err := d.Trim(keep, ""); err != nil || len(r.Days) != 0 || d.report(t).Trimmed != 0 {
			t.Errorf("%+v: %+v %v", keep, r, err)
		}
	}
	before, err := auditlog.Plan(os.DirFS(d.dir), auditlog.Keep{Before: "9999-01-01"})
	if err != nil || len(before.Days) != days-1 {
		t.Fatalf("%+v %v", before, err)
	}
	if r, err := d.Trim(auditlog.Keep{Before: "9999-01-01"}, "all"); err != nil || !slices.Equal(r.Days, before.Days) || r.Seq != before.Seq {
		t.Errorf("%+v %v", r, err)
	}
	size := d.report(t).Head.Seq
	if r, err := d.Trim(auditlog.Keep{Days: 1}, "again"); err != nil || len(r.Days) != 0 || d.report(t).Head.Seq != size {
		t.Errorf("%+v %v", r, err)
	}
	d.fill(t, 60)
	if r, err := d.Trim(auditlog.Keep{Days: 1}, "the record of the removal before goes too"); err != nil || len(r.Days) == 0 || r.Records != r.Seq-before.Seq {
		t.Errorf("%+v %v", r, err)
	}
	if r := d.report(t); !r.Sound() || r.Files != 1 {
		t.Errorf("%+v", r)
	}
	d.close(t)
	d.open(t)
}

func TestAHeadFromBeforeARemovalIsToldThatItsRecordIsGone(t *testing.T) {
	t.Parallel()
	d := newLog(t)
	d.fill(t, 10)
	old, err := auditlog.ReadHead(d.head)
	if err != nil {
		t.Fatal(err)
	}
	d.fill(t, 60)
	removed, err := d.Trim(auditlog.Keep{Days: 1}, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := auditlog.Verify(os.DirFS(d.dir), auditlog.Against{Head: old})
	if err != nil || r.Sound() || !strings.Contains(r.Findings[0].What, "was removed with older days") {
		t.Errorf("%+v %v", r, err)
	}
	joint := auditlog.Head{Log: removed.Log, Seq: removed.Seq, Hash: removed.Hash}
	if r, err := auditlog.Verify(os.DirFS(d.dir), auditlog.Against{Head: &joint, Running: true}); err != nil || !r.Sound() {
		t.Errorf("the last record that went is known by its hash: %+v %v", r, err)
	}
	joint.Hash = strings.Repeat("a", len(joint.Hash))
	if r, err := auditlog.Verify(os.DirFS(d.dir), auditlog.Against{Head: &joint, Running: true}); err != nil || r.Sound() {
		t.Errorf("another record passes for it: %+v %v", r, err)
	}
}

func TestDaysThatDoNotVerifyAreNotRemoved(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(lines []string) []string{
		"a byte": func(lines []string) []string {
			lines[3] = strings.Replace(lines[3], "accepted", "Accepted", 1)
			return lines
		},
		"a record is gone": func(lines []string) []string { return slices.Delete(lines, 4, 5) },
		"the last record is gone, which only what stays knows": func(lines []string) []string { return lines[:len(lines)-1] },
	} {
		d := newLog(t)
		d.fill(t, 20)
		path := filepath.Join(d.dir, "audit-2026-11-30.jsonl")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(change(slices.Collect(strings.Lines(string(text)))), "")), 0o600); err != nil {
			t.Fatal(err)
		}
		size := d.report(t).Head.Seq
		if r, err := d.Trim(auditlog.Keep{Days: 1}, ""); !errors.Is(err, auditlog.ErrTampered) || len(r.Days) != 0 || d.report(t).Head.Seq != size {
			t.Errorf("%s: %+v %v", name, r, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the evidence is gone: %v", name, err)
		}
	}
}

// TestARemovalThatNoRecordOfTheLogTellsOfIsSeen: files that somebody removed, also where a producer or an operator is the one who says so.
func TestARemovalThatNoRecordOfTheLogTellsOfIsSeen(t *testing.T) {
	t.Parallel()
	honest := newLog(t)
	honest.fill(t, 60)
	told, err := honest.Trim(auditlog.Keep{Days: 2}, "")
	if err != nil {
		t.Fatal(err)
	}
	records, err := auditlog.Tail(os.DirFS(honest.dir), 1)
	if err != nil || records[0].Action != auditlog.ActionTrimmed {
		t.Fatal(records, err)
	}
	for name, c := range map[string]struct {
		kind      string
		seq, hash string
		days      int // that are removed; 0 means those that were told
	}{
		"nobody says so":              {},
		"an operator says so":         {kind: "operator"},
		"another hash is told":        {kind: "system", hash: strings.Repeat("0", len(told.Hash))},
		"another hash, a day removed": {kind: "system", hash: strings.Repeat("0", len(told.Hash)), days: 1},
		"what is still to come":       {kind: "system", seq: "seq:4000"},
	} {
		d := newLog(t)
		d.fill(t, 60)
		plan, err := auditlog.Plan(os.DirFS(d.dir), auditlog.Keep{Days: 2})
		if err != nil || !slices.Equal(plan.Days, told.Days) {
			t.Fatal(plan, err)
		}
		hash, seq := cmp.Or(c.hash, plan.Hash), cmp.Or(c.seq, fmt.Sprint("seq:", plan.Seq))
		if c.kind != "" {
			target := strings.NewReplacer(told.Hash, hash, told.Log, plan.Log, fmt.Sprint("seq:", told.Seq), seq).Replace(records[0].Target)
			d.append(t, auditlog.Act{Actor: "auditlog", Kind: c.kind, Action: auditlog.ActionTrimmed, Target: target})
		}
		gone := told.Days
		if c.days > 0 {
			gone = gone[:c.days]
		}
		d.close(t)
		for _, day := range gone {
			if err := os.Remove(filepath.Join(d.dir, "audit-"+day+".jsonl")); err != nil {
				t.Fatal(err)
			}
		}
		if r := d.report(t); r.Sound() {
			t.Errorf("%s: it is not seen: %+v", name, r)
		}
		if c.days > 0 { // Open reads both ends of a log only
			continue
		}
		if _, err := auditlog.Open(d.options()); !errors.Is(err, auditlog.ErrTampered) {
			t.Errorf("%s: the log is continued: %v", name, err)
		}
	}
	honest.close(t)
	if err := os.Remove(filepath.Join(honest.dir, "audit-2026-12-02.jsonl")); err != nil { // one more than the record says
		t.Fatal(err, honest.names(t))
	}
	if r := honest.report(t); r.Sound() {
		t.Errorf("a day more than was told is not seen: %+v", r)
	}
}

// disturbed lets something happen when a file of a log is opened for the nth time.
type disturbed struct {
	fs.FS

	opens int
	at    int
	do    func()
}

func (d *disturbed) Open(name string) (fs.File, error) {
	if d.opens++; d.opens == d.at {
		d.do()
	}
	return d.FS.Open(name)
}

func (d *disturbed) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.FS, name) }

// TestWhoReadsALogWhileItsOldDaysAreRemovedSeesNoChangeOfIt: a service removes them at work, and reading a long log takes a while.
func TestWhoReadsALogWhileItsOldDaysAreRemovedSeesNoChangeOfIt(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 8; at++ {
		for name, read := range map[string]func(log fs.FS) error{
			"verify": func(log fs.FS) error {
				r, err := auditlog.Verify(log, auditlog.Against{})
				if err == nil && !r.Sound() {
					err = fmt.Errorf("not sound: %+v", r.Findings)
				}
				return err
			},
			"plan": func(log fs.FS) error { _, err := auditlog.Plan(log, auditlog.Keep{Days: 1}); return err },
			"tail": func(log fs.FS) error { _, err := auditlog.Tail(log, 10_000); return err },
			"export": func(log fs.FS) error {
				return auditlog.Export(io.Discard, log, auditlog.JSON, time.Time{}, time.Time{})
			},
		} {
			d := newLog(t)
			d.fill(t, 100) // six days, of which four go
			log := &disturbed{FS: os.DirFS(d.dir), at: at, do: func() {
				if r, err := d.Trim(auditlog.Keep{Days: 2}, ""); err != nil || len(r.Days) != 4 {
					t.Errorf("%+v %v", r, err)
				}
			}}
			if err := read(log); err != nil {
				t.Errorf("%s, opening %d: %v", name, at, err)
			}
			d.close(t)
		}
	}
}

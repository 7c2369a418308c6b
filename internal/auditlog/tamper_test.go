package auditlog_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// book is a log as an attacker has it: files of lines, and the head, which is elsewhere.
type book struct {
	days  []string // names of files
	lines map[string][]string
	head  *auditlog.Head
}

func newBook(t *testing.T, records int) book {
	t.Helper()
	l := newLog(t)
	l.fill(t, records)
	return l.book(t)
}

// newTrimmedBook returns a book whose oldest days were removed.
func newTrimmedBook(t *testing.T, records int) book {
	t.Helper()
	l := newLog(t)
	l.fill(t, records)
	if r, err := l.Trim(auditlog.Keep{Days: 3}, "a test"); err != nil || len(r.Days) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	l.fill(t, 5)
	return l.book(t)
}

func (d *desk) fill(t *testing.T, records int) {
	t.Helper()
	for n := range records {
		d.append(t, auditlog.Act{Actor: "api:crm/crm", Kind: "producer", Action: "call.place", CallID: fmt.Sprint("row", n), Answer: "accepted"})
		d.clock.move(70 * time.Minute)
	}
}

func (d *desk) book(t *testing.T) book {
	t.Helper()
	l := d
	l.close(t)
	b := book{lines: map[string][]string{}}
	names, err := filepath.Glob(filepath.Join(l.dir, "audit-*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range names {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.days = append(b.days, filepath.Base(path))
		b.lines[filepath.Base(path)] = slices.Collect(strings.Lines(string(text)))
	}
	if b.head, err = auditlog.ReadHead(l.head); err != nil || b.head == nil || len(b.days) < 3 {
		t.Fatalf("%v %v, %d days", b.head, err, len(b.days))
	}
	return b
}

func (b book) files() fstest.MapFS {
	all := fstest.MapFS{}
	for name, lines := range b.lines {
		all[name] = &fstest.MapFile{Data: []byte(strings.Join(lines, ""))}
	}
	return all
}

func (b book) clone() book {
	c := book{days: b.days, head: b.head, lines: maps.Clone(b.lines)}
	for name, lines := range c.lines {
		c.lines[name] = slices.Clone(lines)
	}
	return c
}

// all returns the lines of the whole book, and puts them back.
func (b book) all() (lines []string, back func([]string)) {
	where := []string{}
	for _, day := range b.days {
		for range b.lines[day] {
			where = append(where, day)
		}
		lines = append(lines, b.lines[day]...)
	}
	return lines, func(changed []string) {
		for _, day := range b.days {
			b.lines[day] = nil
		}
		for i, line := range changed {
			day := where[min(i, len(where)-1)]
			b.lines[day] = append(b.lines[day], line)
		}
	}
}

// reseal makes a line of a record again, as somebody would who has read this code.
func reseal(line string, change func(map[string]any)) string {
	var outer struct {
		Hash   string         `json:"hash"`
		Record map[string]any `json:"record"`
	}
	if err := json.Unmarshal([]byte(line), &outer); err != nil {
		panic(err)
	}
	change(outer.Record)
	raw, err := json.Marshal(outer.Record, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return `{"hash":"` + auditlog.HashForTest(raw) + `","record":` + string(raw) + "}\n"
}

func hashIn(line string) string { return line[9:73] }

// tamper changes a book in one of the ways there are, and says how.
func (b book) tamper(r *rand.Rand) string {
	lines, back := b.all()
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	forged := func(record map[string]any) { record["actor"] = "somebody else" }
	switch kind := r.IntN(14); kind {
	case 0: // one byte
		text := []byte(lines[i])
		k := r.IntN(len(text))
		text[k] ^= byte(1 + r.IntN(255))
		lines[i] = string(text)
	case 1: // a member, with a hash of its own that fits
		lines[i] = reseal(lines[i], forged)
	case 2:
		lines = slices.Delete(lines, i, i+1)
	case 3:
		end := min(len(lines), i+1+r.IntN(9))
		lines = slices.Delete(lines, i, end)
	case 4: // the same again
		lines = slices.Insert(lines, j, lines[i])
	case 5: // a new one between, chained to the one before
		lines = slices.Insert(lines, i+1, reseal(lines[i], func(m map[string]any) { forged(m); m["prev"] = hashIn(lines[i]); m["seq"] = m["seq"].(float64) + 1 })) //nolint:errcheck // of the log
	case 6: // exchanged
		if i == j {
			j = (i + 1) % len(lines)
		}
		lines[i], lines[j] = lines[j], lines[i]
	case 7: // moved
		line := lines[i]
		k := r.IntN(len(lines))
		if k == i {
			k = (i + 1) % len(lines)
		}
		lines = slices.Insert(slices.Delete(lines, i, i+1), k, line)
	case 8: // the end cut off
		lines = lines[:r.IntN(len(lines))]
	case 9: // bytes of the end
		last := len(lines) - 1
		lines[last] = lines[last][:r.IntN(len(lines[last]))]
	case 10: // from here on written anew as a whole
		prev := ""
		for k := i; k < len(lines); k++ {
			lines[k] = reseal(lines[k], func(m map[string]any) {
				if forged(m); prev != "" {
					m["prev"] = prev
				}
			})
			prev = hashIn(lines[k])
		}
	case 11: // a whole day gone
		day := b.days[r.IntN(len(b.days))]
		delete(b.lines, day)
		return "day " + day
	case 12: // over the boundary of two files
		k := r.IntN(len(b.days) - 1)
		from, to := b.days[k], b.days[k+1]
		n := len(b.lines[from]) - 1
		b.lines[to] = append([]string{b.lines[from][n]}, b.lines[to]...)
		b.lines[from] = b.lines[from][:n]
		return "moved from " + from
	case 13: // something between the lines
		lines[i] += []string{"\n", " \n", "{}\n", "\r\n", "null\n", "\x00\n"}[r.IntN(6)]
	}
	back(lines)
	return "as above"
}

func (b book) bytes() []byte {
	var all bytes.Buffer
	for _, day := range b.days {
		fmt.Fprintf(&all, "%s %q\n", day, b.lines[day])
	}
	return all.Bytes()
}

func TestTenThousandTamperingsAreAllSeen(t *testing.T) {
	t.Parallel()
	whole := newBook(t, 40)
	if r, err := auditlog.Verify(whole.files(), auditlog.Against{Head: whole.head}); err != nil || !r.Sound() || !r.Compared || r.Records != 41 {
		t.Fatalf("%+v %v", r, err)
	}
	allTamperingsAreSeen(t, whole)
}

func TestTenThousandTamperingsOfALogWithoutItsOldestDaysAreAllSeen(t *testing.T) {
	t.Parallel()
	whole := newTrimmedBook(t, 120)
	if r, err := auditlog.Verify(whole.files(), auditlog.Against{Head: whole.head}); err != nil || !r.Sound() || !r.Compared || r.Trimmed == 0 || r.Trimmed+r.Records != 127 {
		t.Fatalf("%+v %v", r, err)
	}
	allTamperingsAreSeen(t, whole)
}

func allTamperingsAreSeen(t *testing.T, whole book) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 2026))
	tampered, before := 0, whole.bytes()
	for tampered < 10_000 {
		b := whole.clone()
		how := b.tamper(r)
		if bytes.Equal(b.bytes(), before) {
			continue // it changed nothing
		}
		tampered++
		if report, err := auditlog.Verify(b.files(), auditlog.Against{Head: b.head}); err != nil || report.Sound() {
			t.Fatalf("tampering %d (%s) is not seen: %+v %v", tampered, how, report, err)
		}
	}
}

// The control: what only the head sees is not seen without it, so the head is held against something.
func TestAnEndThatWasCutOffIsSeenByTheHeadAlone(t *testing.T) {
	t.Parallel()
	b := newBook(t, 40)
	lines, back := b.all()
	back(lines[:len(lines)-1])
	if r, err := auditlog.Verify(b.files(), auditlog.Against{}); err != nil || !r.Sound() || r.Compared {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := auditlog.Verify(b.files(), auditlog.Against{Head: b.head}); err != nil || r.Sound() || !strings.Contains(r.Findings[0].What, "cut off") {
		t.Errorf("%+v %v", r, err)
	}
	other := newBook(t, 45)
	if r, err := auditlog.Verify(other.files(), auditlog.Against{Head: b.head}); err != nil || r.Sound() {
		t.Errorf("another log passes for this one: %+v %v", r, err)
	}
}

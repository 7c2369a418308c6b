package audit_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // the driver by which a ledger is tampered with

	"github.com/ringonce/ringonce/connectemu"
)

// tampering is one act on the history of a ledger's file. It returns what it did, and false when there was nothing to do it to.
type tampering struct {
	name string
	act  func(f *file) (what string, done bool)
}

// file is a copy of a ledger, opened behind the program's back.
type file struct {
	t   *testing.T
	db  *sql.DB
	rng *rand.Rand
}

// exec changes the file; false when a constraint of the schema forbids it, or nothing was changed.
func (f *file) exec(text string, args ...any) bool {
	result, err := f.db.ExecContext(f.t.Context(), text, args...)
	if err != nil {
		return false
	}
	n, err := result.RowsAffected()
	return err == nil && n > 0
}

// entry is a row of history.
type entry struct {
	number, call, seq, at int64
	op, kind, hash        string
	body                  []byte
}

func (f *file) entries(where string, args ...any) []entry {
	f.t.Helper()
	rows, err := f.db.QueryContext(f.t.Context(), "SELECT number, call, seq, op, kind, at, body, hash FROM history "+where+" ORDER BY number", args...)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var all []entry
	for rows.Next() {
		var e entry
		if err := rows.Scan(&e.number, &e.call, &e.seq, &e.op, &e.kind, &e.at, &e.body, &e.hash); err != nil {
			f.t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return all
}

func (f *file) pick() entry {
	all := f.entries("")
	return all[f.rng.IntN(len(all))]
}

// set overwrites what an entry says, at the place of a number.
func (f *file) set(number int64, e entry) bool {
	return f.exec("UPDATE history SET call = ?, seq = ?, op = ?, kind = ?, at = ?, body = ?, hash = ? WHERE number = ?", e.call, e.seq, e.op, e.kind, e.at, e.body, e.hash, number)
}

// tamperings are every kind of act on history rows: edit, delete, insert, reorder, truncate.
func tamperings() []tampering {
	return append(edits(), structural()...)
}

func edits() []tampering {
	return []tampering{
		{"edit a byte of the event", func(f *file) (string, bool) {
			e := f.pick()
			at := f.rng.IntN(len(e.body))
			e.body[at] ^= byte(1 + f.rng.IntN(255))
			return fmt.Sprintf("entry %d, byte %d", e.number, at), f.exec("UPDATE history SET body = ? WHERE number = ?", e.body, e.number)
		}},
		{"edit the event so that it reads well", func(f *file) (string, bool) {
			e := f.pick()
			was := bytes.Clone(e.body)
			for _, words := range [][2]string{{`"class":"ok"`, `"class":"refused-request"`}, {"+8190", "+8180"}, {`"due":"2026`, `"due":"2027`}, {`"2026-11-29T03`, `"2026-11-29T02`}} {
				e.body = bytes.Replace(e.body, []byte(words[0]), []byte(words[1]), 1)
			}
			return fmt.Sprintf("entry %d", e.number), !bytes.Equal(was, e.body) && f.exec("UPDATE history SET body = ? WHERE number = ?", e.body, e.number)
		}},
		{"add a space to the event", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET body = ? WHERE number = ?", append(e.body, ' '), e.number)
		}},
		{"edit the op id", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET op = op || 'x' WHERE number = ?", e.number)
		}},
		{"edit the kind", func(f *file) (string, bool) {
			e := f.pick()
			kinds := []string{"accepted", "intent", "result", "contact", "noted", "doubted", "forgotten", "failed", ""}
			kind := kinds[f.rng.IntN(len(kinds))]
			return fmt.Sprintf("entry %d to %s", e.number, kind), kind != e.kind && f.exec("UPDATE history SET kind = ? WHERE number = ?", kind, e.number)
		}},
		{"edit the time", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET at = at + ? WHERE number = ?", 1+f.rng.Int64N(1e15), e.number)
		}},
		{"edit the hash", func(f *file) (string, bool) {
			e := f.pick()
			hash := []byte(e.hash)
			hash[f.rng.IntN(64)] ^= 1
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET hash = ? WHERE number = ?", string(hash), e.number)
		}},
		{"edit the sequence", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET seq = ? WHERE number = ?", e.seq+[]int64{-2, -1, 1, 2, 40}[f.rng.IntN(5)], e.number)
		}},
		{"edit the number of the write, beyond the count", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("UPDATE history SET number = ? WHERE number = ?", []int64{-1, 0, 100_000}[f.rng.IntN(3)], e.number)
		}},
		{"move the entry to another call", func(f *file) (string, bool) {
			e := f.pick()
			to := 1 + f.rng.Int64N(40) // some exist
			return fmt.Sprintf("entry %d to call %d", e.number, to), to != e.call && f.exec("UPDATE history SET call = ? WHERE number = ?", to, e.number)
		}},
	}
}

func structural() []tampering {
	return []tampering{
		{"delete one entry", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("DELETE FROM history WHERE number = ?", e.number)
		}},
		{"delete the history of a call", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("call %d", e.call), f.exec("DELETE FROM history WHERE call = ?", e.call)
		}},
		{"delete a call with its history and every trace in the indexes", func(f *file) (string, bool) {
			e := f.pick()
			done := f.exec("DELETE FROM history WHERE call = ?", e.call) && f.exec("DELETE FROM calls WHERE number = ?", e.call)
			for _, table := range []string{"ids", "tokens", "contacts", "recipients", "erased_tokens"} {
				f.exec("DELETE FROM "+table+" WHERE call = ?", e.call)
			}
			return fmt.Sprintf("call %d", e.call), done
		}},
		{"truncate the history of a call", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("call %d from entry %d", e.call, e.seq), f.exec("DELETE FROM history WHERE call = ? AND seq >= ?", e.call, e.seq)
		}},
		{"truncate the history of all calls", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("from write %d", e.number), f.exec("DELETE FROM history WHERE number >= ?", e.number)
		}},
		{"insert a copy of an entry behind its call", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec(`INSERT INTO history (call, seq, op, kind, at, body, hash)
				SELECT ?, (SELECT max(seq) + 1 FROM history WHERE call = ?), ?, ?, ?, ?, ?`, e.call, e.call, fmt.Sprintf("op-%d", f.rng.Uint64()), e.kind, e.at, e.body, e.hash)
		}},
		{"insert an entry for a call that does not exist", func(f *file) (string, bool) {
			e := f.pick()
			return fmt.Sprintf("entry %d", e.number), f.exec("INSERT INTO history (call, seq, op, kind, at, body, hash) VALUES (?, 1, ?, ?, ?, ?, ?)",
				1000+f.rng.IntN(9), fmt.Sprintf("op-%d", f.rng.Uint64()), e.kind, e.at, e.body, e.hash)
		}},
		{"swap two entries of a call", func(f *file) (string, bool) {
			a := f.pick()
			all := f.entries("WHERE call = ?", a.call)
			b, spare := all[f.rng.IntN(len(all))], a
			spare.op, spare.call, spare.seq = "spare", 99_999, 1
			done := a.number != b.number && f.set(b.number, spare) && f.set(a.number, b) && f.set(b.number, a)
			return fmt.Sprintf("entries %d and %d", a.number, b.number), done
		}},
		{"swap what two entries say", func(f *file) (string, bool) {
			a, b := f.pick(), f.pick()
			a.kind, b.kind, a.at, b.at, a.body, b.body = b.kind, a.kind, b.at, a.at, b.body, a.body
			return fmt.Sprintf("entries %d and %d", a.number, b.number), !bytes.Equal(a.body, b.body) && f.set(a.number, a) && f.set(b.number, b)
		}},
		{"swap the sequence of two entries of a call", func(f *file) (string, bool) {
			a := f.pick()
			all := f.entries("WHERE call = ?", a.call)
			b := all[f.rng.IntN(len(all))]
			done := a.number != b.number && f.exec("UPDATE history SET seq = 0 WHERE number = ?", a.number) &&
				f.exec("UPDATE history SET seq = ? WHERE number = ?", a.seq, b.number) && f.exec("UPDATE history SET seq = ? WHERE number = ?", b.seq, a.number)
			return fmt.Sprintf("entries %d and %d", a.number, b.number), done
		}},
	}
}

// TestEveryTamperingWithTheHistoryIsNoticed does one act on a fresh copy of a ledger, a thousand times.
func TestEveryTamperingWithTheHistoryIsNoticed(t *testing.T) {
	t.Parallel()
	const rounds = 55 // of 20 kinds
	run := newRun(t)
	var mu sync.Mutex
	total := 0
	t.Run("acts", func(t *testing.T) {
		for k, x := range tamperings() {
			t.Run(x.name, func(t *testing.T) {
				t.Parallel()
				done := 0
				for seed := uint64(0); done < rounds && seed < 20*rounds; seed++ {
					what, acted, noticed := tamperOnce(t, run, x, rand.New(rand.NewPCG(seed, uint64(k))))
					if !acted {
						continue
					}
					done++
					if !noticed {
						t.Errorf("seed %d: not noticed: %s", seed, what)
					}
				}
				if done < rounds {
					t.Errorf("done %d times only", done)
				}
				mu.Lock()
				total += done
				mu.Unlock()
			})
		}
	})
	if total < 1000 {
		t.Errorf("%d acts", total)
	}
}

func tamperOnce(t *testing.T, run finished, x tampering, rng *rand.Rand) (what string, acted, noticed bool) {
	t.Helper()
	path := written(t, run.ledger)
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	what, acted = x.act(&file{t: t, db: db, rng: rng})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if !acted {
		return what, false, false
	}
	report, err := judge(t, path, run.truth)
	return what, true, err != nil || !report.Sound()
}

// TestEveryTamperingWithTheTruthLogIsNoticed edits, deletes, inserts, reorders and truncates lines, a thousand times.
func TestEveryTamperingWithTheTruthLogIsNoticed(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	lines := strings.SplitAfter(strings.TrimSuffix(string(run.truth), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	acts := map[string]func(l []string, rng *rand.Rand) string{
		"edit": func(l []string, rng *rand.Rand) string {
			n := rng.IntN(len(l))
			line := []byte(l[n])
			line[rng.IntN(len(line))] ^= byte(1 + rng.IntN(255))
			l[n] = string(line)
			return strings.Join(l, "")
		},
		"delete": func(l []string, rng *rand.Rand) string {
			n := rng.IntN(len(l))
			return strings.Join(append(l[:n:n], l[n+1:]...), "")
		},
		"insert": func(l []string, rng *rand.Rand) string {
			n, from := rng.IntN(len(l)+1), rng.IntN(len(l))
			return strings.Join(l[:n], "") + l[from] + strings.Join(l[n:], "")
		},
		"reorder": func(l []string, rng *rand.Rand) string {
			n := rng.IntN(len(l))
			m := (n + 1 + rng.IntN(len(l)-1)) % len(l)
			l[n], l[m] = l[m], l[n]
			return strings.Join(l, "")
		},
		"truncate": func(l []string, rng *rand.Rand) string {
			text := strings.Join(l, "")
			return text[:rng.IntN(len(text))]
		},
		"add": func(l []string, rng *rand.Rand) string {
			return strings.Join(l, "") + []string{"\n", " ", "{}\n", "x"}[rng.IntN(4)]
		},
	}
	for name, act := range acts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(250) {
				text := act(append([]string{}, lines...), rand.New(rand.NewPCG(seed, 7)))
				truth, err := connectemu.ReadTruth(strings.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				if text != string(run.truth) && len(truth.Problems) == 0 && truth.Closed {
					t.Errorf("seed %d: not noticed", seed)
				}
			}
		})
	}
}

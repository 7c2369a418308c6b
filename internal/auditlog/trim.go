package auditlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ActionTrimmed is the record of a removal of the oldest days, written before it. Its target is a [Trimmed].
const ActionTrimmed = "log.trimmed"

// Trimmed is what a log keeps of the oldest records, whose files were removed: as much as the chain needs that goes on behind them.
type Trimmed struct {
	Log  string `json:"log"`  // id of the log, which the genesis held
	Day  string `json:"day"`  // of the newest file that was removed
	Seq  int64  `json:"seq"`  // of its last record: so many are gone in all
	Hash string `json:"hash"` // of that record
}

// trimmedForm is how the target of a record says it.
const trimmedForm = "through:%s seq:%d hash:%s log:%s"

func (t Trimmed) text() string { return fmt.Sprintf(trimmedForm, t.Day, t.Seq, t.Hash, t.Log) }

// parseTrimmed reads what a record says of a removal; nil when it is none. Nobody can tell of what is still to come.
func parseTrimmed(r Record) *Trimmed {
	if r.Action != ActionTrimmed || r.Kind != kindSystem {
		return nil
	}
	var t Trimmed
	_, err := fmt.Sscanf(r.Target, trimmedForm, &t.Day, &t.Seq, &t.Hash, &t.Log)
	if err != nil || t.Seq < 1 || t.Seq >= r.Seq || t.text() != r.Target {
		return nil
	}
	return &t
}

// trimmedOf returns the newest removal that a log tells of; nil when there is none. It reads the newest files first.
func trimmedOf(log fs.FS, days []string) (found *Trimmed, err error) {
	for _, day := range slices.Backward(days) {
		if _, err := eachOf(log, day, func(r Record) bool {
			if t := parseTrimmed(r); t != nil {
				found = t
			}
			return true
		}); err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil //nolint:nilnil // none is an answer
}

// Keep says which days of a log go, by either member; a zero one removes nothing. The newest day always stays.
type Keep struct {
	Before string // a day as 2006-01-02: those before it go
	Days   int    // those before the newest so many go: of files and not of the calendar, so that a clock that is ahead for a while removes no more than one
}

// doomed returns the oldest days, those that go.
func (k Keep) doomed(days []string) []string {
	n := 0
	for n < len(days)-1 && (k.Days > 0 && n < len(days)-k.Days || days[n] < k.Before) {
		n++
	}
	return days[:n]
}

// Removal is what would be removed of a log, or was.
type Removal struct {
	Trimmed

	Days    []string `json:"days"` // whose files go, oldest first
	Records int64    `json:"records"`

	upTo []int64 // records of the first day, of the first two, and so on
}

// Plan says what [Log.Trim] would remove, and changes nothing; also beside a process that writes the log. It returns [ErrTampered] when what would go,
// or its joint with what stays, does not verify: the evidence of a change is not removed.
func Plan(log fs.FS, keep Keep) (r Removal, err error) {
	err = steadily(log, func(days []string) error {
		r, err = plan(log, days, keep.doomed(days))
		return err
	})
	return r, err
}

func plan(log fs.FS, days, gone []string) (Removal, error) {
	r := Removal{Days: gone}
	if len(gone) == 0 {
		return Removal{Days: []string{}}, nil
	}
	v, err := newVerifier(log, days, Against{})
	if err != nil {
		return Removal{}, err
	}
	for _, day := range gone {
		if err := v.file(log, day); err != nil {
			return Removal{}, err
		}
		r.upTo = append(r.upTo, v.records())
	}
	r.Trimmed, r.Records = Trimmed{Log: v.report.Log, Day: gone[len(gone)-1], Seq: v.seq, Hash: v.prev}, v.records()
	joint := days[len(gone)]
	if _, err := eachOf(log, joint, func(first Record) bool {
		if first.Prev != v.prev || first.Seq != v.seq+1 {
			v.find(fileName(joint), 1, "the record does not follow the days before")
		}
		return false
	}); err != nil {
		return Removal{}, err
	}
	if f := v.report.Findings; len(f) > 0 {
		return Removal{}, fmt.Errorf("%w: %s, line %d: %s", ErrTampered, f[0].File, f[0].Line, f[0].What)
	}
	return r, nil
}

// Trim removes the oldest days of the log, with their salts and what crashes left torn in them. What they held is first told in a record, so that the rest still
// verifies; a crash between the record and the last file leaves days that the next Trim removes. The reason goes into that record. No days is nothing to do.
func (l *Log) Trim(keep Keep, reason string) (Removal, error) {
	l.trims.Lock()
	defer l.trims.Unlock()
	r, err := Plan(os.DirFS(l.o.Dir), keep)
	if err != nil || len(r.Days) == 0 {
		return r, err
	}
	err = l.write(Act{At: l.now(), Actor: "auditlog", Kind: kindSystem, Action: ActionTrimmed, Target: r.text(), Reason: masked(reason)})
	if err != nil {
		return Removal{Days: []string{}}, err
	}
	for i, day := range r.Days {
		if err := l.removeDay(day); err != nil {
			r.Days, r.Records = r.Days[:i], 0
			if i > 0 {
				r.Records = r.upTo[i-1]
			}
			return r, fmt.Errorf("auditlog: the file of a day cannot be removed: %w", err)
		}
	}
	return r, nil
}

// removeDay removes what there is of a day. The records go last: while they are there, the day is one of those that the next [Log.Trim] sees. The directory is
// synced before the next day goes: a power cut that left an older day and not a newer one would look like a change.
func (l *Log) removeDay(day string) error {
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil {
		return err
	}
	doomed := []string{saltPath(l.o.Dir, day)}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), fileName(day)+".torn-") {
			doomed = append(doomed, filepath.Join(l.o.Dir, e.Name()))
		}
	}
	for _, path := range append(doomed, filepath.Join(l.o.Dir, fileName(day))) {
		if err := l.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.sealed(l.o.Dir)
}

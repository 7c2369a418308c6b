package simrun

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/ringonce/ringonce/internal/sim"
)

// Record is a file of ranges that were lived, one a line. A run that was interrupted goes on with the first range that is not in it.
type Record struct {
	path string
	plan sim.Plan
	done map[span]*sim.Tally
	each int
}

// span is a range of seeds.
type span struct {
	first uint64
	count int
}

// Line is one line of a record: a range of seeds and what they came to.
type Line struct {
	Plan    sim.Plan      `json:"plan"`
	First   uint64        `json:"first"`
	Count   int           `json:"count"`
	Twice   bool          `json:"twice"`
	Program string        `json:"program"` // commit of the program, if it was built from one
	At      time.Time     `json:"at"`
	Took    time.Duration `json:"took"`
	Tally   *sim.Tally    `json:"tally"`
}

// errOther is a record of other options.
var errOther = errors.New("it was made with other options")

// Stretch is how many seeds of a world are lived between two lines of a record.
func Stretch(world string) int {
	if world == sim.Full {
		return 500
	}
	return 10_000
}

// OpenRecord reads a record; without a path nothing is kept.
func OpenRecord(path string, plan sim.Plan, twice bool) (*Record, error) {
	r := &Record{path: path, plan: plan, done: map[span]*sim.Tally{}, each: Stretch(plan.World)}
	if path == "" {
		r.each = 1 << 62
		return r, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		var s Line
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if !reflect.DeepEqual(s.Plan, plan) || s.Twice != twice {
			return nil, fmt.Errorf("line %d: %w", n, errOther)
		}
		r.done[span{s.First, s.Count}] = s.Tally
	}
	return r, lines.Err()
}

// Run lives what is not in the record yet and returns the tally of all of the job.
func (r *Record) Run(ctx context.Context, p Pool, j Job) (*sim.Tally, error) {
	total := sim.NewTally()
	for from := 0; from < j.Count; from += r.each {
		part := j
		part.First, part.Count = j.First+uint64(from), min(r.each, j.Count-from)
		if t, known := r.done[span{part.First, part.Count}]; known {
			total.Add(t)
			if p.Progress != nil {
				p.Progress(t)
			}
			continue
		}
		began := time.Now()
		t, err := p.Run(ctx, part)
		if err != nil {
			return total, err
		}
		total.Add(t)
		if err := r.keep(part, t, time.Since(began)); err != nil {
			return total, err
		}
	}
	return total, nil
}

func (r *Record) keep(j Job, t *sim.Tally, took time.Duration) error {
	if r.path == "" {
		return nil
	}
	line, err := json.Marshal(Line{
		Plan: j.Plan, First: j.First, Count: j.Count, Twice: j.Twice, Program: program(), At: time.Now().UTC().Truncate(time.Second), Took: took, Tally: t,
	})
	if err != nil {
		return fmt.Errorf("write the record: %w", err)
	}
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// program returns the commit of this program.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	return commit + changed
}

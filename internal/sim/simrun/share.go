package simrun

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/sim"
)

// Share is what one process lives: every Step-th seed of a range.
type Share struct {
	Plan  sim.Plan `json:"plan"`
	First uint64   `json:"first"` // its first seed
	Step  uint64   `json:"step"`
	Count int      `json:"count"`
	Dir   string   `json:"dir"`   // of its ledgers: made and removed by whoever made the share, whatever becomes of the process
	Twice bool     `json:"twice"` // each seed twice, with the same trace
	Tell  bool     `json:"tell"`  // the acts and the story of each seed
	// Shorten makes a transcript of the first life with a finding.
	Shorten bool `json:"shorten"`
	// FailFast ends with the first life that has a finding, and says before each which one it is, for the case that it ends the process.
	FailFast bool `json:"failFast"`
}

// Report is a line that a process writes: what it lived since the last one.
type Report struct {
	Tally *sim.Tally `json:"tally,omitempty"`
	Lives []Told     `json:"lives,omitempty"`
	Done  bool       `json:"done,omitempty"`
	Seed  uint64     `json:"seed,omitempty"` // is lived now
	Error string     `json:"error,omitempty"`
}

// Told is a life that is to be read.
type Told struct {
	Seed    uint64   `json:"seed"`
	Setting string   `json:"setting"`
	Acts    []string `json:"acts"`
	Story   string   `json:"story"`
	Trace   string   `json:"trace"`

	Transcript string `json:"transcript,omitempty"` // of a life with a finding, shortened; then the rest is empty
}

// marker begins each line of a process, to tell them from what the testing package prints.
const marker = "simrun "

// reportEvery is how often a process says how far it is, in real time.
const reportEvery = 500 * time.Millisecond

// Serve lives the share that is read from r and reports to w; it is the main function of a process, and ends it with its result as exit code. The
// plant is a defect for all lives, which only a test of who watches over them has.
func Serve(r io.Reader, w io.Writer, plant sim.Plant) {
	var s Share
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		say(w, Report{Error: "read the share: " + err.Error()})
		os.Exit(2)
	}
	s.Plan.Plant = plant
	runtime.GOMAXPROCS(1) // a life is one goroutine at a time
	collectBetweenLives()
	deepStacks()
	testing.Init()
	if err := flag.CommandLine.Parse([]string{"-test.timeout=0"}); err != nil {
		say(w, Report{Error: err.Error()})
		os.Exit(2)
	}
	out := bufio.NewWriter(w)
	live := testing.InternalTest{Name: "Simulate", F: func(t *testing.T) {
		if err := s.live(t, out); err != nil {
			say(out, Report{Error: err.Error()})
			t.Fail()
		}
	}}
	code := testing.MainStart(deps{}, []testing.InternalTest{live}, nil, nil, nil).Run()
	_ = out.Flush() // the reader sees a report that is missing
	os.Exit(code)
}

func say(w io.Writer, r Report) {
	line, err := json.Marshal(r)
	if err != nil {
		line = fmt.Appendf(nil, `{"error":%q}`, err.Error())
	}
	_, _ = fmt.Fprintf(w, "%s%s\n", marker, line) // nobody is left to be told
	if b, buffered := w.(*bufio.Writer); buffered {
		_ = b.Flush()
	}
}

func (s Share) live(t *testing.T, w io.Writer) error {
	dir := s.Dir
	tally, said := sim.NewTally(), time.Now()
	var left leftovers
	for i := range s.Count {
		seed := s.First + uint64(i)*s.Step
		if s.FailFast {
			say(w, Report{Seed: seed})
		}
		l, err := s.seed(t, seed, dir)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		tally.AddLife(l)
		left.collect()
		if s.Shorten && len(l.Findings) > 0 {
			s.Shorten = false
			say(w, Report{Lives: []Told{{Seed: seed, Transcript: s.shorten(t, l, dir)}}})
		}
		if s.FailFast && len(l.Findings) > 0 {
			break
		}
		if s.Tell {
			told := Told{Seed: seed, Setting: l.Setting.String(), Story: l.Story, Trace: l.Trace}
			for _, a := range l.Acts {
				told.Acts = append(told.Acts, a.String())
			}
			say(w, Report{Lives: []Told{told}})
		}
		if time.Since(said) > reportEvery {
			say(w, Report{Tally: tally})
			tally, said = sim.NewTally(), time.Now()
		}
	}
	say(w, Report{Tally: tally, Done: true})
	return nil
}

// seed lives one seed, or lives it twice and compares.
func (s Share) seed(t *testing.T, seed uint64, dir string) (sim.Life, error) {
	l, err := s.once(t, seed, dir)
	if err != nil || !s.Twice {
		return l, err
	}
	again, err := s.once(t, seed, dir)
	if err == nil && again.Trace != l.Trace {
		l.Findings = append(l.Findings, fmt.Sprintf("two lives of one seed differ: %s and %s", l.Trace, again.Trace))
	}
	return l, err
}

func (s Share) once(t *testing.T, seed uint64, dir string) (l sim.Life, err error) {
	own := filepath.Join(dir, "life")
	synctest.Test(t, func(*testing.T) { l, err = s.Plan.Live(context.Background(), seed, own, s.Tell) })
	if removeErr := os.RemoveAll(own); err == nil {
		err = removeErr
	}
	return l, err
}

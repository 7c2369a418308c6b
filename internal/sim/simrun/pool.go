package simrun

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/sim"
)

// Job is a range of seeds, lived by several processes.
type Job struct {
	Plan  sim.Plan
	First uint64
	Count int
	Twice bool
	Tell  bool

	Shorten  bool
	FailFast bool
}

// Pool starts the processes of a job.
type Pool struct {
	Program   string   // file of a program that calls Serve
	Arguments []string // its arguments, with its name before them
	Processes int
	Progress  func(*sim.Tally) // is told what was lived since the last time, by one process at a time; may be nil
	Told      func(Told)       // is told lives that are to be read; may be nil
}

// Run lives a job and returns its tally. It fails when a process ends before its share is done, whose seeds are then not counted.
func (p Pool) Run(ctx context.Context, j Job) (*sim.Tally, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	total := sim.NewTally()
	dir, err := os.MkdirTemp("", "ringonce-simulate-")
	if err != nil {
		return total, fmt.Errorf("make a directory for the ledgers: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it is the system's to remove
	var mu sync.Mutex
	take := func(r Report) {
		mu.Lock()
		defer mu.Unlock()
		if r.Tally != nil {
			total.Add(r.Tally)
			if p.Progress != nil {
				p.Progress(r.Tally)
			}
		}
		for _, l := range r.Lives {
			if p.Told != nil {
				p.Told(l)
			}
		}
	}
	n := max(1, min(p.Processes, j.Count))
	failed := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		share := Share{
			Dir: filepath.Join(dir, strconv.Itoa(i)), Plan: j.Plan, First: j.First + uint64(i), Step: uint64(n), Count: (j.Count - i + n - 1) / n, Twice: j.Twice, Tell: j.Tell,
			Shorten: j.Shorten, FailFast: j.FailFast,
		}
		wg.Go(func() {
			if failed[i] = p.process(ctx, share, take); failed[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	return total, errors.Join(failed...)
}

// process lives one share.
func (p Pool) process(ctx context.Context, s Share, take func(Report)) error {
	in, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write a share: %w", err)
	}
	cmd := exec.CommandContext(ctx, p.Program) //nolint:gosec // this program itself, or a test's
	cmd.Args = p.Arguments
	cmd.Stdin = bytes.NewReader(in)
	// A life starts many short goroutines with deep stacks, and nothing in it is to be interrupted: both settings are worth a third of the time.
	cmd.Env = append(os.Environ(), "GODEBUG=adaptivestackstart=1,asyncpreemptoff=1")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("listen to a process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a process: %w", err)
	}
	at := s.First
	done, printed, said := listen(out, func(r Report) {
		if r.Seed > 0 {
			at = r.Seed
		}
		take(r)
	})
	err = cmd.Wait()
	switch {
	case said != nil:
		return said
	case ctx.Err() != nil:
		return ctx.Err()
	case !done:
		return fmt.Errorf("seed %d: the process that lived it, or one after it, ended early (%w): %s", at, err, tail(complaint.String()+printed))
	}
	return nil
}

// listen reads the reports of a process. Other lines are what the testing package prints.
func listen(out io.Reader, take func(Report)) (done bool, printed string, err error) {
	lines := bufio.NewReader(out)
	var other strings.Builder
	for {
		line, readErr := lines.ReadString('\n')
		if text, ours := strings.CutPrefix(line, marker); ours {
			var r Report
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				return false, other.String(), fmt.Errorf("read a report: %w", err)
			}
			if r.Error != "" {
				return false, other.String(), errors.New(r.Error)
			}
			take(r)
			done = done || r.Done
		} else {
			other.WriteString(line)
		}
		if readErr != nil {
			return done, other.String(), nil //nolint:nilerr // the output ends; whether it ended early is what done says
		}
	}
}

// tail returns the end of a text, where a panic says what it is about.
func tail(text string) string {
	const most = 4000
	if len(text) > most {
		return text[:most/2] + "\n...\n" + text[len(text)-most/2:]
	}
	return text
}

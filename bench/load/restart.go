package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// restarted is what a service on a filled ledger was like.
type restarted struct {
	kind                    string
	calls                   int
	filled                  time.Duration
	file                    int64
	ready, ring             time.Duration // since the process was started; ring is negative when nothing rang
	atReady, loaded, rested memory        // the most of each part until then
	rings                   int
	rows                    []row
	asked                   []asked
}

// firstRing is how long a restart may take to its first ring.
const firstRing = time.Minute

// restartAll measures a service on a ledger of each kind that is asked for.
func restartAll(ctx context.Context, s settings, dir string, each func(restarted)) error {
	for kind := range strings.SplitSeq(s.kinds, ",") {
		if !slices.Contains(kinds, kind) {
			return fmt.Errorf("-kinds has the unknown %q; they are %s", kind, strings.Join(kinds, ", "))
		}
		where := filepath.Join(dir, kind)
		r, err := restartOn(ctx, s, where, kind)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		each(r)
		if err := os.RemoveAll(where); err != nil {
			return err
		}
	}
	return nil
}

// restartOn fills a ledger, starts a service on it and measures it.
func restartOn(ctx context.Context, s settings, dir, kind string) (r restarted, err error) {
	r = restarted{kind: kind, calls: s.calls}
	begun := time.Now()
	if err := filledIn(ctx, s, dir, kind); err != nil {
		return r, err
	}
	r.filled = time.Since(begun)
	info, err := os.Stat(filepath.Join(dir, "data", "calls.db"))
	if err != nil {
		return r, err
	}
	r.file = info.Size()
	phone, err := openPhone(ctx)
	if err != nil {
		return r, err
	}
	defer phone.close()
	begun = time.Now()
	rang := make(chan time.Duration, 1)
	ringing, end := context.WithTimeout(ctx, firstRing)
	defer end()
	go func() { rang <- phone.first(ringing, begun) }()
	p, err := start(ctx, s, dir, phone.url, s.lanes+1)
	if err != nil {
		return r, err
	}
	highest := p.highest()
	if err = p.ready(ctx); err == nil {
		r.ready = time.Since(begun)
		r.ring = <-rang
		r.atReady = highest()
		err = r.use(ctx, s, dir, p, begun)
	}
	r.rings = phone.emulator.RingCount()
	return r, errors.Join(err, p.stop())
}

// use asks the service for new calls, for those of the ledger again and for what an operator wants, and then leaves it to its sweeps.
func (r *restarted) use(ctx context.Context, s settings, dir string, p *process, begun time.Time) error {
	highest := p.highest()
	for _, stage := range []struct {
		name                            string
		first, number, distinct, stride int
	}{
		{"new calls", s.calls, s.requests, s.requests, 1},
		{"duplicates", 0, s.duplicates, s.calls, 7919}, // from everywhere in the ledger
	} {
		s.stride = stage.stride
		served := p.spent()
		one, err := measure(ctx, s, stage.name, p.address, stage.first, stage.number, stage.distinct)
		if err != nil {
			return err
		}
		one.served = p.spent() - served
		if stage.first == 0 && one.replayed != len(one.times)-len(one.refusals) {
			return fmt.Errorf("%d of %d requests for calls of the ledger were taken for new ones: %v", len(one.times)-one.replayed, len(one.times), one.statuses)
		}
		r.rows = append(r.rows, one)
	}
	r.loaded = highest()
	highest = p.highest()
	asked, err := operate(ctx, s, dir, p)
	r.asked = asked
	if err == nil {
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(s.rest - time.Since(begun)):
		}
	}
	r.rested = highest()
	return err
}

// ready waits until the service is: its first sweep comes after it listens.
func (p *process) ready(ctx context.Context) error {
	for end := time.Now().Add(startTime); ; {
		_, err := get(ctx, p, "/readyz")
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// serving starts a service and waits until it is ready. Before that it has no sweeper, and what it cannot dial at once it does not take.
func serving(ctx context.Context, s settings, dir, phone string, concurrent int) (*process, error) {
	p, err := start(ctx, s, dir, phone, concurrent)
	if err != nil {
		return nil, err
	}
	if err := p.ready(ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// first returns when the telephone rang first; negative when it did not while the context lasted.
func (p *phone) first(ctx context.Context, begun time.Time) time.Duration {
	for p.emulator.RingCount() == 0 {
		select {
		case <-ctx.Done():
			return -1
		case <-time.After(2 * time.Millisecond):
		}
	}
	return time.Since(begun)
}

// filledIn makes the ledger of a kind, or copies one that -keep has kept.
func filledIn(ctx context.Context, s settings, dir, kind string) error {
	if s.keep == "" {
		return fill(ctx, s, dir, kind)
	}
	kept := filepath.Join(s.keep, fmt.Sprintf("%s-%d", kind, s.calls))
	if _, err := os.Stat(kept); err != nil {
		if err := fill(ctx, s, kept+".part", kind); err != nil {
			return err
		}
		if err := os.Rename(kept+".part", kept); err != nil {
			return err
		}
	}
	return os.CopyFS(dir, os.DirFS(kept))
}

// verify asks the program whether the ledger of a folder is sound, and returns what is wrong. What is late is not: nothing swept for long.
func verify(ctx context.Context, s settings, dir string) (calls int, wrong []string, err error) {
	cmd := exec.CommandContext(ctx, s.binary, "--config", filepath.Join(dir, "ringonce.yaml"), "ledger", "verify", "--json") //nolint:gosec // the program that is measured
	cmd.Env = []string{"AWS_REGION=us-east-1", "HOME=" + dir}
	out, err := cmd.Output()
	if _, refused := errors.AsType[*exec.ExitError](err); err != nil && !refused {
		return 0, nil, err
	}
	var report struct {
		Calls    int `json:"calls"`
		Breaches []struct {
			Invariant string `json:"invariant"`
			Detail    string `json:"detail"`
		} `json:"breaches"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, nil, fmt.Errorf("ledger verify: %w: %s", err, out)
	}
	for _, b := range report.Breaches {
		if b.Invariant != "I12" || !strings.HasSuffix(b.Detail, "and not swept") {
			wrong = append(wrong, b.Invariant+" "+b.Detail)
		}
	}
	return report.Calls, wrong, nil
}

// write prints what was measured. It judges nothing.
func (r restarted) write(w io.Writer) {
	_, _ = fmt.Fprintf(w, "%s: %d calls, %.0f MB, filled in %.0f s; ready after %.2f s, first ring after %.2f s, %d rings in all\n\n",
		r.kind, r.calls, mb(r.file), r.filled.Seconds(), r.ready.Seconds(), r.ring.Seconds(), r.rings)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "memory, MB\tVmRSS\tVmHWM\tmost RssAnon\tmost RssFile and RssShmem\t\n")
	for _, m := range []struct {
		when string
		memory
	}{{"until the first ring", r.atReady}, {"until the load ended", r.loaded}, {"until the end", r.rested}} {
		_, _ = fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t\n", m.when, mb(m.now), mb(m.high), mb(m.own), mb(m.mapped))
	}
	_, _ = fmt.Fprint(table, "\nstage\tanswers\ta second\tp50 ms\tp99 ms\tserver µs\t\n")
	for _, one := range r.rows {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.0f\t%.2f\t%.2f\t%.0f\t%s\n", one.name, len(one.times), float64(len(one.times))/one.took.Seconds(), ms(at(one.times, 0.5)), ms(at(one.times, 0.99)), one.each(one.served), one.answered())
	}
	_, _ = fmt.Fprint(table, "\nasked\tms\tbytes\t\n")
	for _, one := range r.asked {
		_, _ = fmt.Fprintf(table, "%s\t%.0f\t%d\t\n", one.what, ms(one.took), one.size)
	}
	_ = table.Flush()
	_, _ = fmt.Fprintln(w)
}

func mb(n int64) float64 { return float64(n) / 1e6 }

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// row is what a stage came to.
type row struct {
	name     string
	took     time.Duration
	times    []time.Duration // sorted, of all answers
	refusals []time.Duration // sorted, of those with 503
	statuses map[int]int
	replayed int           // answers that named an earlier call
	accepted []int         // numbers that were taken
	served   time.Duration // processor time of the service
	asked    time.Duration // processor time of the clients
	stored   time.Duration // processor time of the PostgreSQL; 0 is not measured
	peak     int64         // memory of the service in bytes; 0 is not measured
}

// merge adds what a lane saw.
func (r *row) merge(o row) {
	r.times, r.refusals, r.accepted = append(r.times, o.times...), append(r.refusals, o.refusals...), append(r.accepted, o.accepted...)
	r.replayed += o.replayed
	for status, n := range o.statuses {
		r.statuses[status] += n
	}
}

// measure sends requests for the calls first, first+1, ... with all lanes; after so many distinct ones it begins anew.
// With a stride it takes every so many-th of them.
func measure(ctx context.Context, s settings, name, address string, first, number, distinct int) (row, error) {
	whole := row{name: name, statuses: map[int]int{}}
	ctx, cancel := context.WithTimeout(ctx, s.most)
	defer cancel()
	var next atomic.Int64
	var mu sync.Mutex
	var lanes sync.WaitGroup
	var trouble error
	begun := time.Now()
	for range s.lanes {
		lanes.Go(func() {
			seen, err := send(ctx, address, func() (int, bool) {
				n := int(next.Add(1)) - 1
				return first + n*max(s.stride, 1)%distinct, n < number && ctx.Err() == nil
			})
			mu.Lock()
			defer mu.Unlock()
			whole.merge(seen)
			if err != nil {
				trouble = fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	lanes.Wait()
	whole.took = time.Since(begun)
	slices.Sort(whole.times)
	slices.Sort(whole.refusals)
	return whole, trouble
}

// send is one lane.
func send(ctx context.Context, address string, next func() (n int, more bool)) (row, error) {
	seen := row{statuses: map[int]int{}}
	l, err := dial(ctx, address)
	if err != nil {
		return seen, err
	}
	defer func() { _ = l.conn.Close() }()
	for n, more := next(); more; n, more = next() {
		begun := time.Now()
		status, answer, err := l.place(n)
		if err != nil {
			return seen, err
		}
		took := time.Since(begun)
		seen.times = append(seen.times, took)
		seen.statuses[status]++
		switch {
		case status == http.StatusServiceUnavailable:
			seen.refusals = append(seen.refusals, took)
		case status < http.StatusMultipleChoices:
			seen.accepted = append(seen.accepted, n)
			if replayed(answer) {
				seen.replayed++
			}
		}
	}
	return seen, nil
}

// replayed reports whether an answer names an earlier call. Only a repeated request gets such a one.
func replayed(answer []byte) bool { return bytes.Contains(answer, []byte(`"duplicate"`)) }

// absent asks for calls again that were accepted, and returns how many the service does not know.
func absent(ctx context.Context, address string, numbers []int) (lost int, err error) {
	l, err := dial(ctx, address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.conn.Close() }()
	for _, n := range numbers {
		status, answer, err := l.place(n)
		if err != nil {
			return lost, err
		}
		if status >= http.StatusMultipleChoices || !replayed(answer) {
			lost++
		}
	}
	return lost, nil
}

// at returns a quantile of sorted times; zero without any.
func at(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[int(q*float64(len(times)-1))]
}

// answered says how often each status came.
func (r row) answered() string {
	var text strings.Builder
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		fmt.Fprintf(&text, " %d×%d", status, r.statuses[status])
	}
	return text.String()
}

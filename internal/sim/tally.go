package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Tally sums up lives. Tallies of two ranges of seeds add up to that of both.
type Tally struct {
	Seeds      int       `json:"seeds"`
	Years      float64   `json:"years"` // of virtual time
	Deliveries int       `json:"deliveries"`
	Rings      int       `json:"rings"`
	Doubts     int       `json:"doubts"`
	Lifetimes  int       `json:"lifetimes"`
	Struck     int       `json:"struck"`
	Corners    int       `json:"corners"`  // lives that show the promised corner of A1'
	Cornered   int       `json:"cornered"` // lives that could: under A1' with resend: token
	Traces     uint64    `json:"traces"`   // sum of the traces' first 64 bits: the same seeds give the same sum
	Faults     Counts    `json:"faults"`
	Counts     Counts    `json:"counts"`
	Failures   []Failure `json:"failures,omitempty"`
}

// Failure is a seed that the oracle has a finding for.
type Failure struct {
	Seed     uint64   `json:"seed"`
	Findings []string `json:"findings"`
}

// NewTally returns an empty one.
func NewTally() *Tally { return &Tally{Faults: Counts{}, Counts: Counts{}} }

const year = 365 * 24 * time.Hour

// AddLife adds one life.
func (t *Tally) AddLife(l Life) {
	t.Seeds++
	t.Years += float64(l.Virtual) / float64(year)
	t.Deliveries += l.Deliveries
	t.Rings += l.Rings
	t.Doubts += l.Doubts
	t.Lifetimes += l.Lifetimes
	t.Struck += l.Struck
	if l.Counts[Corner] > 0 {
		t.Corners++
	}
	if l.Cornered() {
		t.Cornered++
	}
	t.Traces += l.traceBits()
	t.Faults.add(l.Faults)
	t.Counts.add(l.Counts)
	if len(l.Findings) > 0 {
		t.Failures = append(t.Failures, Failure{Seed: l.Seed, Findings: l.Findings})
	}
}

// Add adds another tally.
func (t *Tally) Add(o *Tally) {
	t.Seeds += o.Seeds
	t.Years += o.Years
	t.Deliveries += o.Deliveries
	t.Rings += o.Rings
	t.Doubts += o.Doubts
	t.Lifetimes += o.Lifetimes
	t.Struck += o.Struck
	t.Corners += o.Corners
	t.Cornered += o.Cornered
	t.Traces += o.Traces
	t.Faults.add(o.Faults)
	t.Counts.add(o.Counts)
	t.Failures = append(t.Failures, o.Failures...)
}

func (c Counts) add(o Counts) {
	for name, n := range o {
		c[name] += n
	}
}

// String lists the counts by name.
func (c Counts) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "%10d  %s\n", c[name], name)
	}
	return b.String()
}

package rules

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// TargetKind says what a switch pauses.
type TargetKind string

// What can be paused.
const (
	TargetAll      TargetKind = "all"      // every call: the kill switch
	TargetProfile  TargetKind = "profile"  // by its name in the configuration
	TargetProducer TargetKind = "producer" // as the deliveries name it
	TargetPrefix   TargetKind = "prefix"   // numbers that begin with it: + and digits
)

// Target is what is paused.
type Target struct {
	Kind TargetKind `json:"kind"`
	Name string     `json:"name,omitempty"` // empty for all
}

// holds reports whether a call belongs to the target.
func (t Target) holds(c call.Call, profile string) bool {
	switch t.Kind {
	case TargetAll:
		return true
	case TargetProfile:
		return t.Name == profile
	case TargetProducer:
		return t.Name != "" && t.Name == c.Producer
	case TargetPrefix:
		return c.Key.Kind.NeedsNumber() && strings.HasPrefix(c.Phone().Wire(), t.Name)
	}
	return false
}

// why returns the reason that a call shows which the target holds.
func (t Target) why() string {
	switch t.Kind {
	case TargetAll:
		return call.HeldPausedAll
	case TargetProfile:
		return call.HeldPausedProfile
	case TargetProducer:
		return call.HeldPausedProducer
	case TargetPrefix:
		return call.HeldPausedPrefix
	}
	return call.HeldPausedAll
}

// Switch is one pause: what, by whom, when and why.
type Switch struct {
	Target Target    `json:"target"`
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Why    string    `json:"why"`
}

// Switches is everything that is paused. The zero value pauses nothing.
type Switches struct {
	On      []Switch `json:"on,omitempty"`
	Off     []Switch `json:"off,omitempty"`     // the latest resumption of each target: by whom, when and why
	Resumes int64    `json:"resumes,omitempty"` // how many there were
	// Listed says that the do-not-call list was used, so that a ledger without one is not asked for each dial.
	Listed bool `json:"listed,omitempty"`
}

// mostResumed bounds the resumptions that are remembered.
const mostResumed = 200

// Pause returns the switches with one more, and false when its target is paused already: who paused it first stays.
func (s Switches) Pause(p Switch) (Switches, bool) {
	if slices.ContainsFunc(s.On, func(o Switch) bool { return o.Target == p.Target }) {
		return s, false
	}
	s.On = append(slices.Clone(s.On), p)
	return s, true
}

// Resume returns the switches without that of a target, and false when it is not paused.
func (s Switches) Resume(r Switch) (Switches, bool) {
	on := slices.DeleteFunc(slices.Clone(s.On), func(o Switch) bool { return o.Target == r.Target })
	if len(on) == len(s.On) {
		return s, false
	}
	off := slices.DeleteFunc(slices.Clone(s.Off), func(o Switch) bool { return o.Target == r.Target })
	off = append(off, r)
	s.On, s.Off = on, off[max(len(off)-mostResumed, 0):]
	s.Resumes++
	return s, true
}

// resumed returns when a target was resumed last; zero when never.
func (s Switches) resumed(t Target) time.Time {
	for _, r := range s.Off {
		if r.Target == t {
			return r.At
		}
	}
	return time.Time{}
}

// keeping returns the switches that keep a call, the kill switch first.
func (s Switches) keeping(c call.Call, profile string) []Target {
	var found []Target
	for _, kind := range []TargetKind{TargetAll, TargetProfile, TargetProducer, TargetPrefix} {
		for _, o := range s.On {
			if o.Target.Kind == kind && o.Target.holds(c, profile) {
				found = append(found, o.Target)
				break
			}
		}
	}
	return found
}

// switchesCell holds them all: one read tells everything.
const switchesCell = "switches"

// ReadSwitches returns what is paused.
func ReadSwitches(ctx context.Context, cells call.Cells) (Switches, error) {
	s, _, err := readCell[Switches](ctx, cells, switchesCell)
	return s, err
}

// Pause pauses a target durably. It is false when the target was paused already. Every process stops within a second.
func Pause(ctx context.Context, cells call.Cells, p Switch) (changed bool, err error) {
	err = changeCell(ctx, cells, switchesCell, func(s *Switches) (bool, time.Time, error) {
		next, ok := s.Pause(p)
		// An answer that was lost: the pause of an earlier try is this one.
		changed = ok || slices.ContainsFunc(s.On, func(o Switch) bool { return o.Target == p.Target && o.By == p.By && o.Why == p.Why && o.At.Equal(p.At) })
		*s = next
		return ok, time.Time{}, nil
	})
	return changed, err
}

// Resume ends the pause of a target durably. It is false when the target was not paused.
func Resume(ctx context.Context, cells call.Cells, r Switch) (changed bool, err error) {
	err = changeCell(ctx, cells, switchesCell, func(s *Switches) (bool, time.Time, error) {
		next, ok := s.Resume(r)
		changed = ok || (s.resumed(r.Target).Equal(r.At) && !r.At.IsZero())
		*s = next
		return ok, time.Time{}, nil
	})
	return changed, err
}

package call

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// reserving is how a process takes a slot of a bucket that outlives it.
type reserving func(b *Bucket, r Rate, clock *PaceClock, at time.Time, patience time.Duration) (time.Duration, bool)

// setBack lives one process for some minutes whose clock is hours ahead at first and is set back again and again, also over a restart, while unused
// slots come back. It returns what is wrong: a stretch of true time with more dials than the bucket holds and gains in it, or a wait for the clock.
func setBack(seed uint64, reserve reserving) string {
	random := rand.New(rand.NewPCG(seed, 1))
	rate := NewRate(2, 1+random.IntN(6))
	const longest = 4 * time.Second
	bucket, clock := &Bucket{}, &PaceClock{}
	now, ahead := noon, time.Duration(random.Int64N(int64(12*time.Hour)))
	var starts []time.Time
	var unused []PaceSlot
	for range 150 {
		now = now.Add(time.Duration(random.Int64N(int64(1500 * time.Millisecond))))
		switch random.IntN(10) {
		case 0:
			ahead -= time.Duration(random.Int64N(int64(2 * time.Hour)))
		case 1:
			ahead -= time.Duration(random.Int64N(int64(2 * time.Second)))
		case 2:
			clock = &PaceClock{} // the process starts again
		}
		if len(unused) > 0 && random.IntN(2) == 0 {
			i := random.IntN(len(unused))
			bucket.Return(rate, clock, unused[i], now.Add(ahead))
			unused = slices.Delete(unused, i, i+1)
		}
		patience := time.Duration(random.Int64N(int64(longest)))
		wait, ok := reserve(bucket, rate, clock, now.Add(ahead), patience)
		switch {
		case wait > longest+rate.Interval+lateReading:
			return fmt.Sprintf("waits %s", wait)
		case ok && random.IntN(4) == 0:
			unused = append(unused, PaceSlot{now.Add(ahead), wait})
		case ok:
			starts = append(starts, now.Add(wait))
		}
	}
	return tooMany(starts, rate, 0)
}

// tooMany returns what stretch of time has more dials than a bucket holds and gains in it, and so many more.
func tooMany(starts []time.Time, rate Rate, more int) string {
	slices.SortFunc(starts, time.Time.Compare)
	for i := range starts {
		for j := i; j < len(starts); j++ {
			if span := starts[j].Sub(starts[i]); j-i+1 > rate.Burst+more+int(span/rate.Interval) {
				return fmt.Sprintf("%d dials in %s with a burst of %d", j-i+1, span, rate.Burst)
			}
		}
	}
	return ""
}

func TestAClockThatIsSetBackStopsNoDialAndNeverExceedsTheRate(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		if wrong := setBack(seed, (*Bucket).Reserve); wrong != "" {
			t.Fatalf("seed %d: %s", seed, wrong)
		}
	}
}

func TestPlantedWhoWaitsForTheClockOrFillsTheBucketIsFound(t *testing.T) {
	t.Parallel()
	planted := map[string]reserving{
		"waits for the clock": func(b *Bucket, r Rate, _ *PaceClock, at time.Time, patience time.Duration) (time.Duration, bool) {
			b.Told = time.Time{}
			b.Takes = nil
			return b.Reserve(r, &PaceClock{}, at, patience)
		},
		"fills the bucket": func(b *Bucket, r Rate, clock *PaceClock, at time.Time, patience time.Duration) (time.Duration, bool) {
			if b.Next.Sub(at) > time.Hour {
				*b = Bucket{}
			}
			return b.Reserve(r, clock, at, patience)
		},
		"fills it by what it had": func(b *Bucket, r Rate, _ *PaceClock, at time.Time, patience time.Duration) (time.Duration, bool) {
			if most := at.Add(time.Duration(r.Burst-1) * r.Interval); b.Next.After(most) && b.Told.After(at) {
				b.Next = most
			}
			b.Told = at
			return b.Reserve(r, &PaceClock{}, at, patience)
		},
	}
	for name, reserve := range planted {
		found := ""
		for seed := uint64(0); seed < 2000 && found == ""; seed++ {
			found = setBack(seed, reserve)
		}
		if found == "" {
			t.Errorf("%s: nothing was found", name)
		}
		t.Log(name, "-", found)
	}
}

// Who read the clock and came to the bucket later than others tells it an instant of before. That fills it by nothing, however often it happens.
func TestALateReadingFillsNoBucket(t *testing.T) {
	t.Parallel()
	rate, bucket := NewRate(2, 5), &Bucket{}
	var clocks [3]PaceClock
	var starts []time.Time
	for i := range 3000 {
		now := noon.Add(time.Duration(i) * 20 * time.Millisecond)
		late := time.Duration(i%7) * 300 * time.Millisecond
		if wait, ok := bucket.Reserve(rate, &clocks[i%3], now.Add(-late), 0); ok {
			starts = append(starts, now.Add(wait))
		}
	}
	if wrong := tooMany(starts, rate, 0); wrong != "" || len(starts) < 110 {
		t.Errorf("%d dials in a minute: %s", len(starts), wrong)
	}
}

// A bucket of the version before has no instant of its own, but the takes have theirs.
func TestABucketOfAnOlderVersionMakesNobodyWaitForTheClockEither(t *testing.T) {
	t.Parallel()
	rate, ahead := NewRate(2, 5), noon.Add(6*time.Hour)
	b := &Bucket{Next: ahead.Add(rate.Interval), Takes: []BucketTake{{At: ahead}}}
	for i := range 5 {
		if wait, ok := b.Reserve(rate, &PaceClock{}, noon, 0); ok != (i < 4) || wait > rate.Interval {
			t.Errorf("slot %d: %s %t", i, wait, ok)
		}
	}
}

package call

import "time"

// LinePacer is a [Pacer] that also lines calls up for its buckets, so that a thousand calls that find no slot are not due at one instant: each gets a
// turn of its own, as far behind the one before as two slots are apart. A turn is a hint of when to ask again. What may be dialed is said by the
// bucket alone.
type LinePacer interface {
	Pacer
	// Join takes the next place of a bucket's line and returns how long it is until its turn: at least least, and less than or equal to patience
	// only where nobody needs to line up.
	Join(name string, now time.Time, least, patience time.Duration) time.Duration
	// Rejoin takes a place in the line of those whose turn has come and who found no slot: it is not at the end of the first one.
	Rejoin(name string, now time.Time, least time.Duration) time.Duration
	// Ahead returns how long the line is, as far as this process knows, and takes nothing.
	Ahead(name string, now time.Time) time.Duration
	// Interval returns the time between two slots; zero where nothing is paced.
	Interval() time.Duration
}

// Line is where calls wait for the slots of one bucket: a value that can be kept anywhere. The zero value is empty.
type Line struct {
	Next  time.Time `json:"next"`  // theoretical time of the next turn, as Bucket.Next
	Asked time.Time `json:"asked"` // when it was joined last
}

// Join takes n places one after another and returns how long it is until the turn of the first one, at least least; each other one comes an interval
// later than the one before. An empty line has the burst of its bucket: so many turns come at once.
func (l *Line) Join(r Rate, now time.Time, least time.Duration, n int) time.Duration {
	if back := l.Asked.Sub(now); back > 0 { // the clock was set back, and the line with it
		l.Next = l.Next.Add(-back)
	}
	burst := time.Duration(r.Burst-1) * r.Interval
	if least > 0 { // others have taken slots
		l.Next = latest(l.Next, now.Add(least+burst))
	}
	l.Asked, l.Next = now, latest(l.Next, now)
	missing := l.Next.Sub(now)
	l.Next = l.Next.Add(time.Duration(n) * r.Interval)
	return max(missing-burst, 0)
}

// Ahead returns how long whoever joined now would wait.
func (l *Line) Ahead(r Rate, now time.Time) time.Duration {
	if !l.Next.After(now) { // also of an empty line, whose difference is the longest duration there is
		return 0
	}
	return max(l.Next.Sub(now)-time.Duration(r.Burst-1)*r.Interval, 0)
}

// again names the line of those whose turn has come.
const again = " again"

// Join implements [LinePacer].
func (p *Pace) Join(name string, now time.Time, least, _ time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line(name).Join(p.rate, now, least, 1)
}

// Rejoin implements [LinePacer].
func (p *Pace) Rejoin(name string, now time.Time, least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line(name+again).Join(p.rate, now, least, 1)
}

// Ahead implements [LinePacer].
func (p *Pace) Ahead(name string, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line(name).Ahead(p.rate, now)
}

// Interval implements [LinePacer].
func (p *Pace) Interval() time.Duration { return p.rate.Interval }

func (p *Pace) line(name string) *Line {
	l := p.lines[name]
	if l == nil {
		l = &Line{}
		p.lines[name] = l
	}
	return l
}

// lineUp returns until when a call waits that got no slot of the bucket, whose next one is free after wait. An attempt that is open, an urgent call
// and one that a person released ask again at the next slot; the others have a turn, and those that had one already do not wait behind a whole line
// for the next.
func (e *Engine) lineUp(c Call, bucket string, now time.Time, wait, patience time.Duration) keeping {
	k := keeping{why: whyPacing}
	line, ok := e.Pacer.(LinePacer)
	switch {
	case !ok || line.Interval() == 0 || c.first():
	case c.lined():
		wait = line.Rejoin(bucket, now, wait)
	default:
		wait = line.Join(bucket, now, wait, patience)
	}
	k.due = c.withinLimits(now.Add(wait), now)
	return k
}

// first reports whether a call stands in no line.
func (c Call) first() bool { return len(c.Open) > 0 || c.Urgent || c.Released != "" }

// lined reports whether a call had a turn, or a slot, already.
func (c Call) lined() bool { return c.DueReason == whyPacing || c.AttemptCount > 0 }

// behind reports whether a new call would take its slot, free after wait, from those that stand in line for it. A slot that is free at once is
// nobody's.
func (e *Engine) behind(c Call, p Profile, patience time.Duration, now time.Time) (wait time.Duration, yes bool) {
	line, ok := e.Pacer.(LinePacer)
	if !ok || line.Interval() == 0 || c.first() || line.Ahead(p.bucket(), now) <= patience {
		return 0, false
	}
	wait, _ = e.Pacer.Reserve(p.bucket(), now, -1)
	return wait, wait > 0
}

// inLine gives a call that is only accepted its turn. What would wait no longer than a delivery is due at once.
func (e *Engine) inLine(c Call, p Profile, patience time.Duration, now time.Time) keeping {
	wait, _ := e.Pacer.Reserve(p.bucket(), now, -1)
	if line, ok := e.Pacer.(LinePacer); ok && line.Interval() > 0 && !c.first() {
		wait = line.Join(p.bucket(), now, wait, patience)
	}
	if wait <= patience {
		return keeping{}
	}
	return keeping{due: c.withinLimits(now.Add(wait), now), why: whyPacing}
}

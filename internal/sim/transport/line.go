package transport

import "time"

// slot is a place in a line: something that is due at a time. Equal times keep the order in which they were scheduled.
type slot struct {
	at     time.Time
	seq    uint64
	pos    int   // in the line, from 1; 0 when in none
	line   *line // where it waits
	parcel *parcel
	lane   *lane
}

func (s *slot) before(other *slot) bool {
	if s.at.Equal(other.at) {
		return s.seq < other.seq
	}
	return s.at.Before(other.at)
}

// line is a heap of slots, the earliest first.
type line struct{ slots []*slot }

func (l *line) top() *slot {
	if len(l.slots) == 0 {
		return nil
	}
	return l.slots[0]
}

func (l *line) add(s *slot) {
	l.slots = append(l.slots, s)
	s.line, s.pos = l, len(l.slots)
	l.up(s.pos - 1)
}

// remove takes a slot out of the line it is in, if any.
func (s *slot) remove() {
	if s.pos == 0 {
		return
	}
	l, i, last := s.line, s.pos-1, len(s.line.slots)-1
	l.swap(i, last)
	l.slots[last] = nil
	l.slots = l.slots[:last]
	s.line, s.pos = nil, 0
	if i < last {
		l.down(i)
		l.up(i)
	}
}

func (l *line) swap(i, j int) {
	l.slots[i], l.slots[j] = l.slots[j], l.slots[i]
	l.slots[i].pos, l.slots[j].pos = i+1, j+1
}

func (l *line) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !l.slots[i].before(l.slots[parent]) {
			return
		}
		l.swap(i, parent)
		i = parent
	}
}

func (l *line) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(l.slots); child++ {
			if l.slots[child].before(l.slots[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		l.swap(i, least)
		i = least
	}
}

// schedule puts a slot into a line, or moves it there. Nothing is due before the latest time that the network was told.
func (n *Network) schedule(s *slot, l *line, at time.Time) {
	s.remove()
	n.seq++
	s.at, s.seq = later(at, n.now), n.seq
	l.add(s)
}

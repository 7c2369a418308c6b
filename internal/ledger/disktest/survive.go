package disktest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// sector is what a disk writes in one piece.
const sector = 512

// style is how much of what was not synced survives a cut.
type style int

const (
	nothing    style = iota
	everything       // the cache was written just before
	whole            // each write or change of names survives or does not
	torn             // each sector of each write does
	styles
)

// survival decides what is left.
type survival struct {
	random *rand.Rand
	style  style
	fill   func([]byte) // what stands in sectors that a file grew by and that were not written
	seen   map[*node]*node
}

// Restart returns the disk as a machine finds it when its power comes back. The old one has none any more.
func (d *Disk) Restart() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cut == "" {
		d.cut = "at rest"
	}
	s := &survival{random: d.random, style: style(d.random.IntN(int(styles))), seen: map[*node]*node{}}
	if d.random.IntN(2) == 0 {
		s.fill = func(b []byte) {
			for i := range b {
				b[i] = byte(s.random.Uint32())
			}
		}
	}
	return &Disk{root: s.node(d.root), random: rand.New(rand.NewPCG(d.random.Uint64(), 2))}
}

// Copy returns a disk of its own with the same content, as if everything had been synced.
func (d *Disk) Copy() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &survival{style: everything, seen: map[*node]*node{}}
	return &Disk{root: s.node(d.root), random: rand.New(rand.NewPCG(0, 0))}
}

func (s *survival) node(n *node) *node {
	if left, known := s.seen[n]; known {
		return left
	}
	left := &node{}
	s.seen[n] = left
	if n.names == nil {
		left.safe = s.content(n)
		left.data = slices.Clone(left.safe)
		return left
	}
	names := maps.Clone(n.safeNames)
	for _, c := range n.changes {
		if s.survives() {
			c.apply(names)
		}
	}
	left.names, left.safeNames = map[string]*node{}, map[string]*node{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // in a fixed order, for the sake of the seed
		left.names[name] = s.node(names[name])
		left.safeNames[name] = left.names[name]
	}
	return left
}

func (s *survival) survives() bool {
	switch s.style {
	case nothing, styles:
		return false
	case everything:
		return true
	case whole, torn:
	}
	return s.random.IntN(2) == 0
}

func (s *survival) content(n *node) []byte {
	content := slices.Clone(n.safe)
	for _, w := range n.writes {
		for _, part := range s.parts(w) {
			if s.survives() {
				content = part.apply(content, s.fill)
			}
		}
	}
	return content
}

// parts returns what of a write can get lost by itself.
func (s *survival) parts(w write) []write {
	if s.style != torn || w.resize {
		return []write{w}
	}
	var parts []write
	for len(w.data) > 0 {
		n := min(int64(len(w.data)), sector-w.at%sector)
		parts = append(parts, write{at: w.at, data: w.data[:n]})
		w.at, w.data = w.at+n, w.data[n:]
	}
	return parts
}

package disktest

// node is a file or a folder: as the programs see it, and as it is without the cache.
type node struct {
	data, safe []byte
	writes     []write // since the last sync, in order

	names, safeNames map[string]*node // of a folder; nil for a file
	changes          []change         // since the last sync, in order

	locks locks // of SQLite's connections; they are no part of the disk
}

func newFolder() *node { return &node{names: map[string]*node{}, safeNames: map[string]*node{}} }

// write is a write or a new size that was not synced.
type write struct {
	at     int64
	data   []byte
	resize bool // at is the new size
}

// apply returns the content after the write. fill makes the bytes between the old end and the write; nil makes zeros.
func (w write) apply(content []byte, fill func([]byte)) []byte {
	end := w.at + int64(len(w.data))
	if w.resize && end <= int64(len(content)) {
		return content[:end:end]
	}
	if grown := end - int64(len(content)); grown > 0 {
		gap := make([]byte, grown)
		if fill != nil {
			fill(gap)
		}
		content = append(content, gap...)
	}
	copy(content[w.at:], w.data)
	return content
}

// change is a change of a folder's names that was not synced: a node gets a name or loses it. A rename does both, in one.
type change struct {
	name string
	node *node  // nil when the name goes
	from string // the name that goes with it; empty when none does
}

func (c change) apply(names map[string]*node) {
	if c.from != "" {
		delete(names, c.from)
	}
	if c.node == nil {
		delete(names, c.name)
		return
	}
	names[c.name] = c.node
}

package disktest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
)

// ErrCut is what a program gets from a disk without power.
var ErrCut = errors.New("the power is cut")

// Disk is a disk with a volatile cache. It is safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	root    *node
	random  *rand.Rand
	left    int // effects until the cut; 0 is none
	effects []string
	cut     string // the effect that the cut hit; empty while there is power
	ignores func(name string) bool
	busy    string // what the database is doing beside its writes: "" or "checkpoint"
}

// New returns an empty disk with the folders given, which are synced.
func New(folders ...string) *Disk {
	d := &Disk{root: newFolder(), random: rand.New(rand.NewPCG(0, 0))}
	for _, name := range folders {
		at := d.root
		for part := range strings.SplitSeq(strings.Trim(path.Clean(name), "/"), "/") {
			if at.names[part] == nil {
				at.names[part] = newFolder()
			}
			at.safeNames[part] = at.names[part]
			at = at.names[part]
		}
	}
	return d
}

// Cut plans the loss of power: at the effect of this number, counted from 1. An effect is a write, a truncation, a sync, or a
// change of names. The seed decides whether that effect is still carried out, and what survives of what was not synced.
func (d *Disk) Cut(effect int, seed uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left, d.random = effect, rand.New(rand.NewPCG(seed, 1))
}

// IgnoreSyncs makes the disk lie: syncs of files and folders of which lie is true are answered and not done.
func (d *Disk) IgnoreSyncs(lie func(name string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ignores = lie
}

// Effects returns the names of the effects so far, in order: what was done, and the kind of the file.
func (d *Disk) Effects() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.effects)
}

// Hit returns the effect that the cut hit; empty when the disk still has power.
func (d *Disk) Hit() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut
}

// effect carries out an effect unless the power is gone, or goes with it. d.mu is held.
func (d *Disk) effect(what, name string, act func()) error {
	if d.cut != "" {
		return ErrCut
	}
	if what += " " + kind(name); d.busy != "" {
		what += " during a " + d.busy
	}
	d.effects = append(d.effects, what)
	if d.left == 0 || len(d.effects) < d.left {
		act()
		return nil
	}
	d.cut = what
	if d.random.IntN(2) == 0 {
		act()
	}
	return ErrCut
}

// kind names a file for a reader: by its ending, or else as it is called.
func kind(name string) string {
	base := path.Base(name)
	switch {
	case strings.HasSuffix(base, "-wal"):
		return "log"
	case strings.HasSuffix(base, "-journal"):
		return "journal"
	case path.Ext(base) != "":
		return strings.TrimPrefix(path.Ext(base), ".")
	}
	return base
}

// find returns the node of a name, nil when there is none. d.mu is held.
func (d *Disk) find(name string) *node {
	at := d.root
	for part := range strings.SplitSeq(strings.Trim(path.Clean(name), "/"), "/") {
		if part == "" {
			continue
		}
		if at = at.names[part]; at == nil {
			return nil
		}
	}
	return at
}

// folder returns the folder that a name is in. d.mu is held.
func (d *Disk) folder(name string) (*node, error) {
	in := d.find(path.Dir(path.Clean(name)))
	if in == nil || in.names == nil {
		return nil, fs.ErrNotExist
	}
	return in, nil
}

// rename gives a node a name, or takes it, as one change of a folder's names. d.mu is held.
func (d *Disk) rename(what string, in *node, name, from string, n *node) error {
	return d.effect(what, name, func() {
		c := change{name: path.Base(name), node: n, from: from}
		c.apply(in.names)
		in.changes = append(in.changes, c)
	})
}

// syncFolder makes the names in a folder durable. d.mu is held.
func (d *Disk) syncFolder(name string) error {
	in := d.find(name)
	if in == nil || in.names == nil {
		return fs.ErrNotExist
	}
	return d.effect("sync folder", name, func() {
		if d.ignores != nil && d.ignores(name) {
			return
		}
		for _, c := range in.changes {
			c.apply(in.safeNames)
		}
		in.changes = nil
	})
}

// sync makes a file's content durable, and not its name. d.mu is held.
func (d *Disk) sync(name string, n *node) error {
	return d.effect("sync", name, func() {
		if d.ignores != nil && d.ignores(name) {
			return
		}
		for _, w := range n.writes {
			n.safe = w.apply(n.safe, nil)
		}
		n.writes = nil
	})
}

// write puts bytes into the cache. d.mu is held.
func (d *Disk) write(name string, n *node, b []byte, at int64) error {
	return d.effect("write", name, func() {
		w := write{at: at, data: append([]byte(nil), b...)}
		n.data = w.apply(n.data, nil)
		n.writes = append(n.writes, w)
	})
}

// truncate changes the size of a file in the cache. d.mu is held.
func (d *Disk) truncate(name string, n *node, size int64) error {
	return d.effect("truncate", name, func() {
		w := write{at: size, resize: true}
		n.data = w.apply(n.data, nil)
		n.writes = append(n.writes, w)
	})
}

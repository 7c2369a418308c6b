package sqlite

import (
	"sync"
	"sync/atomic"

	"github.com/ringonce/ringonce/internal/call"
)

// mostNewest bounds each of the two generations of [newest].
const mostNewest = 4096

// newest holds the rows that were written or read last. Nobody else writes the file while this process holds its lock, and every write goes through
// the one writer, which puts a row here when its commit is durable and before anyone is answered: so what is here is what the file says. Duplicates
// come soon after the call they repeat, and most of them need no statement.
//
// It is two generations: what is found in the older one moves to the younger, and a full younger one becomes the older.
type newest struct {
	mu         sync.Mutex
	young, old map[string]*newestRow
	turns      uint64 // how often a generation was dropped
}

// newestRow is one row as the file has it, decoded when it is asked for.
type newestRow struct {
	doc     []byte
	decoded atomic.Pointer[call.Call]
}

// call returns the row. Its members behind pointers are shared, and nobody changes them: a row changes by call.Call.Apply only, which copies.
func (r *newestRow) call() (call.Call, error) {
	if c := r.decoded.Load(); c != nil {
		return *c, nil
	}
	c, err := decode(r.doc)
	if err == nil {
		r.decoded.Store(&c)
	}
	return c, err
}

// find returns a row, nil when it is not here, and what [newest.offer] asks for of one that is read then.
func (n *newest) find(id string) (row *newestRow, turns uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	row = n.young[id]
	if row == nil {
		if row = n.old[id]; row != nil {
			n.keep(id, row)
		}
	}
	return row, n.turns
}

// offer keeps a row that was read, unless it was written meanwhile. A write is here until two generations have been dropped, so a row that is not
// here was not written, if none was.
func (n *newest) offer(id string, row *newestRow, turns uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.turns == turns && n.young[id] == nil && n.old[id] == nil {
		n.keep(id, row)
	}
}

// keep is called with the lock held.
func (n *newest) keep(id string, row *newestRow) {
	if n.young == nil || len(n.young) >= mostNewest {
		n.old, n.young = n.young, make(map[string]*newestRow, mostNewest)
		n.turns++
	}
	n.young[id] = row
}

// written takes over what a group wrote. After anything but plain writes it forgets everything.
func (n *newest) written(group []*job) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, j := range group {
		switch j.kind {
		case jobCreate, jobUpdate:
			if j.fresh {
				n.keep(j.write.Row.ID, &newestRow{doc: j.doc})
			}
		case jobErase, jobAct:
			n.young, n.old = nil, nil
			n.turns++
		case jobNote, jobIndex, jobScrub, jobStop:
		}
	}
}

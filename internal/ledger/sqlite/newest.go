package sqlite

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/ringonce/ringonce/internal/call"
)

// What bounds each of the two generations of [newest].
const (
	mostNewest      = 12288   // rows
	mostNewestBytes = 8 << 20 // of their documents
	mostDecoded     = 4096    // rows that are kept decoded too, which takes three times as much
)

// newest holds the rows that were written or read last. Nobody else writes the file while this process holds its lock, and every write goes through
// the one writer, which puts a row here when its commit is durable and before anyone is answered: so what is here is what the file says. Duplicates
// come soon after the call they repeat, and most of them need no statement.
//
// The latest of them are kept decoded too; it takes much less time to decode one than to read it.
//
// It is two generations: what is found in the older one moves to the younger, and a full younger one becomes the older.
type newest struct {
	mu         sync.Mutex
	young, old map[string]*newestRow
	most       int    // rows of a generation; 0 is mostNewest
	turns      uint64 // how often a generation was dropped
	bytes      int    // of the documents of the younger one
	decoded    int    // rows of the younger one that are kept decoded
}

// newestRow is one row as the file has it, decoded when it is asked for.
type newestRow struct {
	doc     []byte
	decoded atomic.Pointer[call.Call]
}

// call returns a row of an id. Its members behind pointers are shared, and nobody changes them: a row changes by call.Call.Apply only, which copies.
func (n *newest) call(id string, row *newestRow) (call.Call, error) {
	if c := row.decoded.Load(); c != nil {
		return *c, nil
	}
	c, err := decode(row.doc)
	if err != nil {
		return c, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.decoded < mostDecoded && n.young[id] == row && row.decoded.CompareAndSwap(nil, &c) {
		n.decoded++
	}
	return c, nil
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
	if n.young == nil || len(n.young) >= cmp.Or(n.most, mostNewest) || n.bytes >= mostNewestBytes {
		n.old, n.young = n.young, make(map[string]*newestRow, mostDecoded)
		n.bytes, n.decoded = 0, 0
		n.turns++
	}
	n.drop(id)
	n.young[id] = row
	n.bytes += len(row.doc)
	if row.decoded.Load() != nil {
		if n.decoded++; n.decoded > mostDecoded {
			n.decoded--
			row.decoded.Store(nil)
		}
	}
}

// drop takes a row out of the younger generation, where it is replaced.
func (n *newest) drop(id string) {
	if was := n.young[id]; was != nil {
		n.bytes -= len(was.doc)
		if was.decoded.Load() != nil {
			n.decoded--
		}
	}
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
			n.young, n.old, n.bytes, n.decoded = nil, nil, 0, 0
			n.turns++
		case jobNote, jobIndex, jobScrub, jobStop:
		}
	}
}

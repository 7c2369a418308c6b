package connectemu

import (
	"container/heap"
	"time"
)

// callCount counts the contacts of one instance that are alive. Contacts leave it by the clock, in the order of their ends, or
// earlier when they are stopped.
type callCount struct {
	ends  endHeap
	alive int
}

// add counts a contact that has just been initiated.
func (n *callCount) add(c *contact) {
	heap.Push(&n.ends, endOf{c.disconnected, c})
	n.alive++
}

// release takes a contact out before its time.
func (n *callCount) release(c *contact) {
	if !c.released {
		c.released = true
		n.alive--
	}
}

// at returns how many contacts are alive now.
func (n *callCount) at(now time.Time) int {
	for len(n.ends) > 0 && !now.Before(n.ends[0].at) {
		c := n.ends[0].contact
		heap.Pop(&n.ends)
		if !c.released && now.Before(c.disconnected) { // answered by hand, which made it longer
			heap.Push(&n.ends, endOf{c.disconnected, c})
			continue
		}
		n.release(c)
	}
	return n.alive
}

// endOf is the end a contact had when it was initiated.
type endOf struct {
	at      time.Time
	contact *contact
}

// endHeap is a heap.Interface with the next end on top.
type endHeap []endOf

func (h endHeap) Len() int           { return len(h) }
func (h endHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h endHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *endHeap) Push(x any) {
	if e, ok := x.(endOf); ok {
		*h = append(*h, e)
	}
}

// Pop implements heap.Interface.
func (h *endHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = endOf{}
	*h = (*h)[:last]
	return e
}

package memory

import (
	"cmp"
	"container/heap"
	"time"
)

// dueHeap orders the rows that have a due, so that the first of a million are found without looking at all of them.
type dueHeap []*row

func (h dueHeap) Len() int { return len(h) }

func (h dueHeap) Less(i, j int) bool { return h[i].before(h[j]) }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i+1, j+1
}

// Push implements heap.Interface.
func (h *dueHeap) Push(x any) {
	r, _ := x.(*row)
	*h = append(*h, r)
	r.place = len(*h)
}

// Pop implements heap.Interface.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	r.place = 0
	return r
}

func (r *row) before(other *row) bool {
	return cmp.Or(r.due.Compare(other.due), cmp.Compare(r.number, other.number)) < 0
}

// set gives a row its due, or takes it out with the zero time.
func (h *dueHeap) set(r *row, due time.Time) {
	r.due = due
	switch {
	case due.IsZero() && r.place > 0:
		heap.Remove(h, r.place-1)
	case due.IsZero():
	case r.place > 0:
		heap.Fix(h, r.place-1)
	default:
		heap.Push(h, r)
	}
}

// by returns at most limit rows that are due by an instant, earliest first. It goes down the heap from its top and changes nothing.
func (h *dueHeap) by(now time.Time, limit int) []*row {
	var found []*row
	open := frontier{heap: *h}
	open.reach(0, now)
	for len(found) < limit && len(open.places) > 0 {
		place, _ := heap.Pop(&open).(int)
		found = append(found, (*h)[place])
		open.reach(2*place+1, now)
		open.reach(2*place+2, now)
	}
	return found
}

// frontier is the places of a heap that were reached and not passed.
type frontier struct {
	heap   dueHeap
	places []int
}

func (f *frontier) reach(place int, now time.Time) {
	if place < len(f.heap) && !f.heap[place].due.After(now) {
		heap.Push(f, place)
	}
}

func (f *frontier) Len() int           { return len(f.places) }
func (f *frontier) Less(i, j int) bool { return f.heap[f.places[i]].before(f.heap[f.places[j]]) }
func (f *frontier) Swap(i, j int)      { f.places[i], f.places[j] = f.places[j], f.places[i] }

// Push implements heap.Interface.
func (f *frontier) Push(x any) {
	place, _ := x.(int)
	f.places = append(f.places, place)
}

// Pop implements heap.Interface.
func (f *frontier) Pop() any {
	last := len(f.places) - 1
	place := f.places[last]
	f.places = f.places[:last]
	return place
}

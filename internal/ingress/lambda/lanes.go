package lambda

import (
	"sync"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// lanes divides the records of a document into lanes that may run concurrently. Records of one key share a lane, and so do those
// of one FIFO group; a key in two groups joins the groups. Within a lane, and among the first records of the lanes, the order is
// the document's.
func lanes(doc envelope.Document, asks []ask) [][]int {
	owner := map[string]int{} // first record that carries a label
	lead := make([]int, len(doc.Records))
	for i, record := range doc.Records {
		lead[i] = i
		if doc.FIFO {
			join(lead, owner, "group "+record.Group, i)
		}
		if asks[i].rowID != "" {
			join(lead, owner, "key "+asks[i].rowID, i)
		}
	}
	var lanes [][]int
	place := map[int]int{}
	for i := range lead {
		first := find(lead, i)
		n, known := place[first]
		if !known {
			n = len(lanes)
			place[first] = n
			lanes = append(lanes, nil)
		}
		lanes[n] = append(lanes[n], i)
	}
	return lanes
}

// join puts record i into the lane of the first record with the same label.
func join(lead []int, owner map[string]int, label string, i int) {
	first, known := owner[label]
	if !known {
		owner[label] = i
		return
	}
	a, b := find(lead, first), find(lead, i)
	lead[max(a, b)] = min(a, b)
}

// find returns the first record of the lane of record i.
func find(lead []int, i int) int {
	for lead[i] != i {
		lead[i] = lead[lead[i]]
		i = lead[i]
	}
	return i
}

// run takes the records of a document through their lanes and returns when the last one has ended.
func (h *Handler) run(l limit, report *Report) {
	w := &work{h: h, limit: l, doc: report.Document, results: report.Results}
	w.asks = w.ask()
	if l.ctx.Err() == nil && !l.mayStart() {
		h.observe(l.ctx, call.Decided{
			What: "too-short", Code: call.CodeDeadlineTooNear, Source: w.doc.Source, Alarm: true,
			Reason: "the invocation began with less time than lambda.reserve; give the function a longer timeout",
		})
	}
	all := lanes(w.doc, w.asks)
	workers := min(h.Concurrency, len(all))
	if workers == 1 {
		for _, lane := range all {
			w.lane(lane)
		}
		return
	}
	waiting := make(chan []int)
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for lane := range waiting {
				w.lane(lane)
			}
		})
	}
	for _, lane := range all {
		waiting <- lane
	}
	close(waiting)
	running.Wait()
}

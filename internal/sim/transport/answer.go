package transport

import (
	"errors"
	"fmt"
	"time"
)

// Response is how an invocation ended.
type Response struct {
	Body     []byte // what the function returned
	Err      error  // what it returned instead
	Crashed  bool   // the process ended
	TimedOut bool   // Lambda cut it off
}

// Ruling is what the source made of a response.
type Ruling struct {
	Acknowledged []bool // for each record of the delivery
	Failed       string // why nothing is acknowledged, empty when the answer was read
}

// The reasons of a ruling.
const (
	failedError      = "error"
	failedCrash      = "crash"
	failedTimeout    = "timeout"
	failedLost       = "response lost"
	failedUnreadable = "response unreadable"
	failedUnknown    = "response names a record that is not in the batch"
)

var errNoFlight = errors.New("transport: no such delivery is in flight")

// Answer tells the source how a delivery ended. It fails for a delivery that was answered, or that its source has given up waiting for: what it
// does then it has done already.
func (n *Network) Answer(deliveryID int, r Response, now time.Time) (Ruling, error) {
	f := n.flights[deliveryID]
	if f == nil {
		return Ruling{}, fmt.Errorf("%w: %d", errNoFlight, deliveryID)
	}
	delete(n.flights, deliveryID)
	n.reach(now)
	returned := make([]bool, len(f.parcels))
	ruling := Ruling{Acknowledged: make([]bool, len(f.parcels))}
	ruling.Failed = n.judge(f, r, returned, now)
	for i := range returned {
		returned[i] = returned[i] || ruling.Failed != ""
		ruling.Acknowledged[i] = !returned[i]
	}
	n.apply(f, returned, now)
	return ruling, nil
}

// judge reads an answer: it marks what is returned, or says why all is.
func (n *Network) judge(f *flight, r Response, returned []bool, now time.Time) string {
	failed := ""
	switch {
	case r.TimedOut, now.Sub(f.started) > f.deadline:
		n.counts.CutOff++
		failed = failedTimeout
	case r.Crashed:
		failed = failedCrash
	case r.Err != nil:
		failed = failedError
	case n.chance(n.profile.LoseResponse):
		n.counts.LostResponses++
		failed = failedLost
	case f.way.Batched():
		failed = readBatch(f, r.Body, returned)
	case f.way == WayHTTP:
		failed = readStatus(f, r.Body)
	}
	if failed != "" {
		n.counts.Failures++
	}
	return failed
}

// apply acts on every parcel of an answered delivery. A parcel that is in another flight by now is left to that one, unless it is acknowledged: a
// message that is deleted is gone, whoever else has it.
func (n *Network) apply(f *flight, returned []bool, now time.Time) {
	for i, p := range f.parcels {
		switch {
		case p.state.Final():
		case !returned[i]:
			dead := p.state == StateDeadLetter
			n.settle(p, StateDone)
			if !dead {
				n.comesAgain(p, now)
			}
		case p.delivery == f.id:
			p.delivery = 0
			n.retry(p, f, now)
		}
	}
	if f.lanes != nil {
		n.release(f, returned, now)
	}
}

// retry is what a source does with a parcel that was returned. Queues do nothing: the visibility timeout ends.
func (n *Network) retry(p *parcel, f *flight, now time.Time) {
	switch f.way {
	case WayAsync:
		n.retryAsync(p, now)
	case WayDirect, WayHTTP:
		if f.refused {
			n.expire(p)
			return
		}
		n.retryCall(p, now)
	case WaySQS, WaySQSFIFO, WayKinesis, WayDynamoDB:
	}
}

// lapse ends a delivery that nobody answered in time.
func (n *Network) lapse(deliveryID int, now time.Time) {
	f := n.flights[deliveryID]
	delete(n.flights, deliveryID)
	n.counts.CutOff++
	n.counts.Failures++
	returned := make([]bool, len(f.parcels))
	for i := range returned {
		returned[i] = true
	}
	n.apply(f, returned, now)
}

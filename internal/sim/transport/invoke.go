package transport

import (
	"strconv"
	"time"
)

// Lambda's own queue (Lambda Developer Guide, "How Lambda handles errors and retries with asynchronous invocation").
const (
	firstRetry   = time.Minute
	secondRetry  = 2 * time.Minute
	throttledMin = time.Second
	throttledMax = 5 * time.Minute
)

// The status codes that a dead-letter queue of a function shows as ErrorCode.
const (
	functionError = "200"
	tooOld        = "429"
)

// acceptAsync puts an event into Lambda's queue. Its retries have the same bytes and the same request id.
func (n *Network) acceptAsync(p *parcel, now time.Time) {
	p.RequestID = n.id()
	p.reachable = n.unreachableUntil(now, n.options.AsyncAge) // throttled until then
	n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(n.latency()))
}

// admits decides whether an event may be invoked now. A throttled event waits, from 1 second up to 5 minutes; an event that is too old is given up.
func (n *Network) admits(p *parcel, now time.Time) bool {
	age := now.Sub(p.since)
	switch {
	case age >= n.options.AsyncAge:
		n.exhaust(p, tooOld, "Event age exceeded", now)
		return false
	case now.Before(p.reachable):
		gap := min(max(throttledMin, age), throttledMax, n.options.AsyncAge-age)
		n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(gap))
		return false
	}
	return true
}

// retryAsync is what Lambda does after a function error: 1 minute, 2 minutes, and no more.
func (n *Network) retryAsync(p *parcel, now time.Time) {
	if p.tries > n.options.AsyncRetries {
		n.exhaust(p, functionError, "Process exited before completing request", now)
		return
	}
	gap := firstRetry
	if p.tries > 1 {
		gap = secondRetry
	}
	n.schedule(&p.slot, &n.lines[lineAgenda], earlier(now.Add(gap), later(now, p.since.Add(n.options.AsyncAge))))
}

// exhaust moves an event to the dead-letter queue of the function: the event as it is, with three attributes; or to its destination.
func (n *Network) exhaust(p *parcel, code, message string, now time.Time) {
	if n.options.NoDeadLetters {
		n.expire(p)
		return
	}
	if n.options.Destination {
		p.text = n.invocationRecord(p, code, now)
		n.bury(p, now)
		return
	}
	p.marks = marks(mark{"RequestID", p.RequestID}, mark{"ErrorCode", code}, mark{"ErrorMessage", message})
	n.bury(p, now)
}

// retryCall is what a caller does that waited: it tries again after a second, two, four, ... and gives up.
func (n *Network) retryCall(p *parcel, now time.Time) {
	if p.tries >= n.options.ClientTries {
		n.expire(p)
		return
	}
	gap := time.Duration(float64(time.Second<<min(p.tries-1, 8)) * (0.5 + n.rng.Float64()))
	n.schedule(&p.slot, &n.lines[lineAgenda], now.Add(gap.Truncate(time.Millisecond)))
}

// retryable reports whether an HTTP client tries again after a status: in progress, too many, or an error of the server.
func retryable(status int) bool { return status == 409 || status == 429 || status >= 500 }

func statusText(status int) string { return "status " + strconv.Itoa(status) }

// invocationRecord writes what a destination receives (facts/event-envelopes.md section 1: Lambda invocation record).
func (n *Network) invocationRecord(p *parcel, code string, now time.Time) []byte {
	condition := "RetriesExhausted"
	if code == tooOld {
		condition = "EventAgeExceeded"
	}
	const around = 512
	doc := append(make([]byte, 0, around+len(p.text)), `{"version":"1.0","timestamp":"`...)
	doc = append(appendTime(doc, now, millisLayout), `","requestContext":{"requestId":"`...)
	doc = append(append(doc, p.RequestID...), `","functionArn":"`...)
	doc = append(append(doc, n.fixed.function...), `:$LATEST","condition":"`...)
	doc = append(append(doc, condition...), `","approximateInvokeCount":`...)
	doc = append(strconv.AppendInt(doc, int64(p.tries), 10), `},"requestPayload":`...)
	doc = append(doc, p.text...)
	return append(doc, `,"responseContext":{"statusCode":200,"executedVersion":"$LATEST","functionError":"Unhandled"}}`...)
}

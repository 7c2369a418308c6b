package connectemu

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Outcome is what a request did, whatever the client was told.
type Outcome string

// The outcomes of a request.
const (
	// OutcomeRang is a start that created a contact.
	OutcomeRang Outcome = "rang"
	// OutcomeStarted is a start that created a contact which rings no phone.
	OutcomeStarted Outcome = "started"
	// OutcomeReplayed is a start answered with the contact its token had started.
	OutcomeReplayed Outcome = "replayed"
	// OutcomeServed is a describe, stop or search that was answered.
	OutcomeServed Outcome = "served"
	// OutcomeFailed is a request that was answered with an error and changed nothing.
	OutcomeFailed Outcome = "failed"
	// OutcomeDropped is a request that never got as far as being served.
	OutcomeDropped Outcome = "dropped"
)

// Request is one line of the wire log: one HTTP request, so an SDK retry is a line of its own.
type Request struct {
	// Seq counts requests from 1.
	Seq uint64 `json:"seq"`
	// Time is when the request was served, on the emulator's clock.
	Time time.Time `json:"time"`
	// Operation is empty for paths the emulator does not know.
	Operation Operation `json:"operation,omitzero"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	// Number is masked.
	Number string `json:"number,omitzero"`
	Token  string `json:"token,omitzero"`
	// BodyHash is the SHA-256 of the body in hexadecimal.
	BodyHash string `json:"bodyHash"`
	// SignedAt is the X-Amz-Date header, zero when it is absent or unreadable.
	SignedAt time.Time `json:"signedAt,omitzero"`
	// Attempt and MaxAttempts are those of the Amz-Sdk-Request header, 0 when it is absent.
	Attempt     int `json:"attempt,omitzero"`
	MaxAttempts int `json:"maxAttempts,omitzero"`
	// Invocation is the Amz-Sdk-Invocation-Id header: the same for all attempts of one SDK call.
	Invocation string `json:"invocation,omitzero"`
	// Fault is the text of the rule the request met, empty without one.
	Fault string `json:"fault,omitzero"`
	// Outcome is what the request did.
	Outcome Outcome `json:"outcome"`
	// ContactID is the contact that was started, replayed, described or stopped.
	ContactID string `json:"contactId,omitzero"`
	// Status and Code are what was sent: 0 when the connection was reset instead.
	Status int    `json:"status"`
	Code   string `json:"code,omitzero"`
}

// amzDate is the layout of X-Amz-Date.
const amzDate = "20060102T150405Z"

func (q *Request) readHeaders(h http.Header) {
	q.SignedAt, _ = time.Parse(amzDate, h.Get("X-Amz-Date")) // unreadable is zero; the signature check judges it
	q.Invocation = h.Get("Amz-Sdk-Invocation-Id")
	for part := range strings.SplitSeq(h.Get("Amz-Sdk-Request"), ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
		case key == "attempt":
			q.Attempt = n
		case key == "max":
			q.MaxAttempts = n
		}
	}
}

// maskedFault is the fault without the number its rule may name.
func (q *Request) maskedFault() string {
	name, _, _ := strings.Cut(q.Fault, " ")
	return name
}

// wireLog keeps the last requests in a ring buffer.
type wireLog struct {
	mu   sync.Mutex
	most int
	list []Request
	next int
}

func (l *wireLog) init(most int) { l.most = max(0, most) }

func (l *wireLog) add(q Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.most == 0:
	case len(l.list) < l.most:
		l.list = append(l.list, q)
	default:
		l.list[l.next] = q
		l.next = (l.next + 1) % l.most
	}
}

// all returns the requests that are kept, oldest first.
func (l *wireLog) all() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Request, 0, len(l.list))
	out = append(out, l.list[l.next:]...)
	return append(out, l.list[:l.next]...)
}

func (l *wireLog) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.next = nil, 0
}

// Requests returns the wire log, oldest first: at most Config.WireLog requests.
func (s *Server) Requests() []Request { return s.wire.all() }

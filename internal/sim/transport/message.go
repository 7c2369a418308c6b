package transport

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Stamping is a producer's habit with the member requestedAt of its payload.
type Stamping int

// The habits.
const (
	StampNone    Stamping = iota // the payload is sent as it is
	StampRequest                 // the time of the first send, kept when the producer sends again
	StampSend                    // the time of each send, so that a retry of the producer looks like a new request
)

// Message is what a producer sends.
type Message struct {
	ID   string // the simulation's own name, unique in a network; no document shows it
	Form Form
	// Payload is the request: the text of a queue's body, or a JSON value where the form puts it into a document.
	Payload []byte
	// Group is the group of a FIFO queue and the partition key of a stream; on a standard queue it is a fair queue's tenant. Without one, a FIFO
	// message and a stream record are of the group "default".
	Group string
	// Dedup is the MessageDeduplicationId that the producer chooses; without one every send has a new one.
	Dedup string
	// Key is the Idempotency-Key of an HTTP client, the ID when it is empty.
	Key string
	// Stamping adds requestedAt, which the payload must not have itself then.
	Stamping Stamping
}

// message is a Message and what became of it: the copies that travel.
type message struct {
	Message

	route   *route
	born    time.Time // first publish
	parcels []*parcel
	copies  int // made so far
	late    int // late duplicates so far
}

var (
	errUnknownForm = errors.New("transport: there is no such form")
	errTwice       = errors.New("transport: the message was published before; use Republish")
	errUnknown     = errors.New("transport: the message was never published")
	errPayload     = errors.New("transport: the form needs a payload that is one JSON value")
	errObject      = errors.New("transport: the payload must be a JSON object")
)

// check refuses a message that cannot travel.
func (m *message) check() error {
	switch {
	case m.route == nil:
		return fmt.Errorf("%w: %q", errUnknownForm, m.Form)
	case m.route.json && !jsontext.Value(m.Payload).IsValid(jsontext.AllowDuplicateNames(true)):
		return fmt.Errorf("%w: %s", errPayload, m.ID)
	case (m.Stamping != StampNone || m.adds()) && !isObject(m.Payload):
		return fmt.Errorf("%w: %s", errObject, m.ID)
	}
	return nil
}

// adds reports whether something on the way puts members into the payload or takes it apart.
func (m *message) adds() bool { return m.Form == DynamoDB || m.route.passes(serviceScheduler) }

func (r *route) passes(s service) bool { return len(r.services) > 0 && r.services[0] == s }

func isObject(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}

// payload returns the payload as it is sent now.
func (m *message) payload(now time.Time) []byte {
	at := m.born
	switch m.Stamping {
	case StampNone:
		return m.Payload
	case StampRequest:
	case StampSend:
		at = now
	}
	value := appendTime(append(make([]byte, 0, 32), '"'), at, millisLayout)
	return withMember(m.Payload, "requestedAt", append(value, '"'))
}

// withMember returns the object with one more member at its end.
func withMember(object []byte, name string, value []byte) []byte {
	object = bytes.TrimSpace(object)
	body := bytes.TrimSpace(object[:len(object)-1])
	out := make([]byte, 0, len(object)+len(name)+len(value)+4)
	out = append(out, body...)
	if body[len(body)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), `":`...)
	return append(append(out, value...), '}')
}

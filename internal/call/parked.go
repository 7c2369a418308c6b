package call

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// MaxParkedBytes bounds the document of a parked record, so that every ledger can hold it with its encryption (an item of DynamoDB: 400 KB). A
// larger one goes back to its source.
const MaxParkedBytes = 300 << 10

// Parked is a record that no request could be read from, kept until somebody repaired what keeps it from being read.
type Parked struct {
	ID       string    `json:"id"` // ParkedID
	At       time.Time `json:"at"` // when it was first parked
	Source   Source    `json:"source"`
	Producer string    `json:"producer,omitempty"` // ARN of its queue, topic or stream; empty when the transport does not say
	Delivery string    `json:"delivery,omitempty"` // id of the delivery that was parked first
	Code     Code      `json:"code"`               // why it could not be read
	Message  string    `json:"message,omitempty"`
	Document []byte    `json:"-"` // as the way in takes it: the record alone, in the form of its source; nil of a closed one
	Size     int       `json:"size"`

	Closed   ParkedEnd `json:"closed,omitempty"` // empty while it waits
	ClosedAt time.Time `json:"closedAt,omitzero"`
}

// ParkedEnd says how a parked record ended.
type ParkedEnd string

// The ends of a parked record.
const (
	ParkedFed     ParkedEnd = "fed"     // it was read and answered
	ParkedDropped ParkedEnd = "dropped" // a person gave it up
)

// ParkedID names a parked record by its source, its producer and what it carries, which is the same at every delivery.
func ParkedID(source Source, producer string, content []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(source), []byte(producer), content} {
		_, _ = h.Write(strconv.AppendInt(nil, int64(len(part)), 10)) // never fails
		_, _ = h.Write([]byte{':'})
		_, _ = h.Write(part)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

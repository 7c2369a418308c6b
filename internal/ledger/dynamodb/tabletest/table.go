package tabletest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// request is what the ledger asks, in any of its operations.
type request struct {
	Item, Key, ExclusiveStartKey        Item
	ConditionExpression                 string
	UpdateExpression                    string
	KeyConditionExpression              string
	FilterExpression                    string
	IndexName                           string
	ScanIndexForward                    bool
	Limit                               int
	ExpressionAttributeValues           Item
	ReturnValuesOnConditionCheckFailure string
	ReturnValues                        string
	RequestItems                        map[string]struct{ Keys []Item }
	GlobalSecondaryIndexes              []index
}

// Complainer is told of what the ledger must not ask; a testing.TB is one.
type Complainer interface {
	Errorf(format string, args ...any)
}

// Table is a table in memory that understands the ledger's own expressions and no others. The servers of the integration tests understand
// DynamoDB's; this one counts, and breaks where it is told to.
type Table struct {
	t Complainer

	mu      sync.Mutex
	Items   map[string]Item
	counts  map[string]int
	ID      string
	indexes []index
	// Hidden names indexes that the table does not have.
	Hidden       []string
	NoOld        bool                     // leaves the item out of failed conditions, as dynalite does
	Faults       func(op, pk string) Fate // nil: none
	Replicas     bool
	RestoredFrom time.Time // the time of the backup that it was restored from; zero: it was not
}

// New returns a server without a table: the ledger makes it, with its own schema.
func New(t Complainer) *Table {
	return &Table{t: t, Items: map[string]Item{}, counts: map[string]int{}, ID: "table-1"}
}

// Taken returns the counts since the last time and begins anew.
func (f *Table) Taken() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := f.counts
	f.counts = map[string]int{}
	return counts
}

// Shake sets NoOld and Faults while requests may be on their way.
func (f *Table) Shake(noOld bool, faults func(op, pk string) Fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.NoOld, f.Faults = noOld, faults
}

// Backup returns a copy of every item. Items are replaced and never changed in place.
func (f *Table) Backup() map[string]Item {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.Items)
}

// Restore returns the table that DynamoDB makes of a backup of this one: the same items and indexes, another id.
func (f *Table) Restore(items map[string]Item, at time.Time) *Table {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &Table{t: f.t, Items: maps.Clone(items), counts: map[string]int{}, ID: f.ID + " restored", indexes: f.indexes, RestoredFrom: at}
}

// Do implements the SDK's HTTP client.
func (f *Table) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	status, answer, fate := f.handle(op, q)
	switch fate {
	case LostFirst, LostAfter:
		return nil, errors.New("connection reset by peer")
	case Silence:
		return nil, context.DeadlineExceeded
	case Answered, Throttled, Broken, BrokenLie, Doubled:
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader(text))}, nil
}

// ServeHTTP serves the table to another process. A broken connection is one for it too.
func (f *Table) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	response, err := f.Do(r)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = response.Body.Close() }()
	maps.Copy(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	_, _ = io.Copy(w, response.Body)
}

// Clear removes every call and keeps what is the ledger's own.
func (f *Table) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.Items, func(pk string, _ Item) bool { return !strings.HasPrefix(pk, "#") })
}

func (f *Table) handle(op string, q request) (int, any, Fate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[op]++
	pk := q.Item.S("pk") + q.Key.S("pk")
	fate := Answered
	if f.Faults != nil {
		fate = f.Faults(op, pk)
	}
	switch fate {
	case LostFirst:
		return 0, nil, fate
	case Throttled:
		return http.StatusBadRequest, problem("ProvisionedThroughputExceededException"), fate
	case Broken:
		return http.StatusInternalServerError, problem("InternalServerError"), fate
	case Doubled:
		f.act(op, q)
	case Answered, LostAfter, BrokenLie, Silence:
	}
	status, answer := f.act(op, q)
	if fate == BrokenLie {
		return http.StatusInternalServerError, problem("InternalServerError"), fate
	}
	return status, answer, fate
}

func problem(name string) map[string]any {
	return map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + name, "message": name}
}

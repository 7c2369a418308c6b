package dynamodb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// attr is an attribute value on the wire.
type attr struct {
	S  *string  `json:",omitempty"`
	N  *string  `json:",omitempty"`
	B  []byte   `json:",omitempty"`
	L  []attr   `json:",omitempty"`
	SS []string `json:",omitempty"`
}

type wireItem map[string]attr

func (i wireItem) s(name string) string {
	if v := i[name]; v.S != nil {
		return *v.S
	}
	return ""
}

func (i wireItem) n(name string) int64 {
	var n int64
	if v := i[name]; v.N != nil {
		_, _ = fmt.Sscan(*v.N, &n)
	}
	return n
}

// request is what the ledger asks, in any of its operations.
type request struct {
	Item, Key, ExclusiveStartKey        wireItem
	ConditionExpression                 string
	UpdateExpression                    string
	KeyConditionExpression              string
	FilterExpression                    string
	IndexName                           string
	ScanIndexForward                    bool
	Limit                               int
	ExpressionAttributeValues           wireItem
	ReturnValuesOnConditionCheckFailure string
	RequestItems                        map[string]struct{ Keys []wireItem }
}

// fault is what happens to a request.
type fault int

const (
	answered  fault = iota
	lostFirst       // the connection breaks before anything arrived
	lostAfter       // applied, then the connection breaks
	throttle        // refused by DynamoDB, not applied
	broken          // 500, not applied
	brokenLie       // 500, although applied
	silence         // applied, and never answered: what the SDK sees when its time is up
)

// fake is a table in memory that understands the ledger's own expressions and no others. The servers of the integration tests understand
// DynamoDB's; this one counts, and breaks where it is told to.
type fake struct {
	t testing.TB

	mu       sync.Mutex
	items    map[string]wireItem
	counts   map[string]int
	tableID  string
	indexes  []string
	noOld    bool                      // leaves the item out of failed conditions, as dynalite does
	faults   func(op, pk string) fault // nil: none
	replicas bool
	backup   time.Time // the table was restored from a backup of this time; zero: it was not
}

func newFake(t testing.TB) *fake {
	return &fake{
		t: t, items: map[string]wireItem{}, counts: map[string]int{}, tableID: "table-1",
		indexes: []string{indexDue, indexContact, indexRecipient, indexList},
	}
}

// taken returns the counts since the last time and begins anew.
func (f *fake) taken() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := f.counts
	f.counts = map[string]int{}
	return counts
}

// Do implements the SDK's HTTP client.
func (f *fake) Do(r *http.Request) (*http.Response, error) {
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
	case lostFirst, lostAfter:
		return nil, errors.New("connection reset by peer")
	case silence:
		return nil, context.DeadlineExceeded
	case answered, throttle, broken, brokenLie:
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(bytes.NewReader(text))}, nil
}

func (f *fake) handle(op string, q request) (int, any, fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[op]++
	pk := q.Item.s("pk") + q.Key.s("pk")
	fate := answered
	if f.faults != nil {
		fate = f.faults(op, pk)
	}
	switch fate {
	case lostFirst:
		return 0, nil, fate
	case throttle:
		return http.StatusBadRequest, problem("ProvisionedThroughputExceededException"), fate
	case broken:
		return http.StatusInternalServerError, problem("InternalServerError"), fate
	case answered, lostAfter, brokenLie, silence:
	}
	status, answer := f.act(op, q)
	if fate == brokenLie {
		return http.StatusInternalServerError, problem("InternalServerError"), fate
	}
	return status, answer, fate
}

func problem(name string) map[string]any {
	return map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + name, "message": name}
}

func (f *fake) act(op string, q request) (int, any) {
	switch op {
	case "DescribeTable":
		return http.StatusOK, f.description()
	case "GetItem":
		if it, ok := f.items[q.Key.s("pk")]; ok {
			return http.StatusOK, map[string]any{"Item": it}
		}
		return http.StatusOK, map[string]any{}
	case "BatchGetItem":
		return http.StatusOK, f.batch(q)
	case "Query":
		return http.StatusOK, f.query(q)
	case "PutItem", "UpdateItem":
		pk := q.Item.s("pk") + q.Key.s("pk")
		old := f.items[pk]
		if !f.holds(q.ConditionExpression, old, q.ExpressionAttributeValues) {
			p := problem("ConditionalCheckFailedException")
			if q.ReturnValuesOnConditionCheckFailure == "ALL_OLD" && !f.noOld {
				p["Item"] = old
			}
			return http.StatusBadRequest, p
		}
		if op == "PutItem" {
			f.items[pk] = q.Item
		} else {
			f.items[pk] = f.updated(q.UpdateExpression, old, pk, q.ExpressionAttributeValues)
		}
		return http.StatusOK, map[string]any{}
	}
	f.t.Errorf("the ledger asked for %s, which its policy does not allow", op)
	return http.StatusBadRequest, problem("AccessDeniedException")
}

func (f *fake) holds(condition string, old, v wireItem) bool {
	for part := range strings.SplitSeq(condition, " AND ") {
		part = strings.Trim(part, "()")
		if part != "" && !slices.ContainsFunc(strings.Split(part, " OR "), func(one string) bool { return f.true(one, old, v) }) {
			return false
		}
	}
	return true
}

func (f *fake) true(one string, old, v wireItem) bool {
	missing := func(name string) bool { _, ok := old[name]; return !ok }
	switch one {
	case "attribute_not_exists(pk":
		return missing("pk")
	case "attribute_exists(pk":
		return !missing("pk")
	case "attribute_exists(recovery_backup":
		return !missing("recovery_backup")
	case "attribute_not_exists(pk)":
		return missing("pk")
	case "attribute_not_exists(b)":
		return missing("b")
	case "attribute_not_exists(texts)":
		return missing("texts")
	case "attribute_not_exists(m)":
		return missing("m")
	case "attribute_not_exists(prints)":
		return missing("prints")
	case "o = :o":
		return old.s("o") == v.s(":o")
	case "v = :v":
		return !missing("v") && old.n("v") == v.n(":v")
	case "x = :x":
		return bytes.Equal(old["x"].B, v[":x"].B)
	case "b < :b":
		return old.n("b") < v.n(":b")
	case "size(texts) < :most":
		return len(old["texts"].L) < int(v.n(":most"))
	case "size(prints) < :most":
		return len(old["prints"].SS) < int(v.n(":most"))
	case "m < :first":
		return old.n("m") < v.n(":first")
	case "NOT contains(prints, :f":
		return !slices.Contains(old["prints"].SS, v.s(":f"))
	}
	f.t.Errorf("the fake does not know the condition %q", one)
	return false
}

func (f *fake) updated(expression string, old wireItem, pk string, v wireItem) wireItem {
	it := maps.Clone(old)
	if it == nil {
		it = wireItem{"pk": {S: &pk}}
	}
	plus := func(name string) {
		sum := fmt.Sprint(it.n(name) + 1)
		it[name] = attr{N: &sum}
	}
	expression = strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(expression), " ADD ", ", ADD "), "SET ")
	for part := range strings.SplitSeq(strings.ReplaceAll(strings.ReplaceAll(expression, "ADD ", ""), "if_not_exists(texts, :none), :note", "texts"), ", ") {
		switch part {
		case "texts = list_append(texts)":
			it["texts"] = attr{L: append(slices.Clone(it["texts"].L), v[":note"].L...)}
		case "n :one", "m :one", "epoch :one":
			plus(strings.TrimSuffix(part, " :one"))
		case "prints :fs":
			it["prints"] = attr{SS: append(slices.Clone(it["prints"].SS), v[":fs"].SS...)}
		case "b = :b", "recovery_backup = :b", "recovery_restored = :r", "table_id = :t":
			name, value, _ := strings.Cut(part, " = ")
			it[name] = v[value]
		case "REMOVE recovery_backup", "recovery_restored":
			delete(it, strings.TrimPrefix(part, "REMOVE "))
		default:
			f.t.Errorf("the fake does not know the update %q", part)
		}
	}
	return it
}

func (f *fake) batch(q request) any {
	found := map[string][]wireItem{}
	for table, asked := range q.RequestItems {
		found[table] = []wireItem{}
		for _, k := range asked.Keys {
			if it, ok := f.items[k.s("pk")]; ok {
				found[table] = append(found[table], it)
			}
		}
	}
	return map[string]any{"Responses": found, "UnprocessedKeys": map[string]any{}}
}

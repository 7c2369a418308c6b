package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Fault is what happens to the writes of a table.
type Fault string

// The faults of a table.
const (
	// None lets writes through.
	None Fault = "none"
	// ThrottleWrites refuses each write and applies nothing.
	ThrottleWrites Fault = "throttle-writes"
	// LoseNextPut applies the next put of an item whose answer is lost: the connection breaks. Others are let through.
	LoseNextPut Fault = "lose-next-put"
)

// Server answers the DynamoDB API. It is safe for concurrent use; requests are served one after the other.
type Server struct {
	mu     sync.Mutex
	tables map[string]*table
}

// New returns a server without tables.
func New() *Server { return &Server{tables: map[string]*table{}} }

// Create makes a table whose key is one string attribute, without indexes.
func (s *Server) Create(name, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables[name] = &table{name: name, id: "table-" + name, key: []keyPart{{AttributeName: key, KeyType: "HASH"}}, items: map[string]item{}, fault: None}
}

// SetFault sets what happens to the writes of a table from now on.
func (s *Server) SetFault(name string, fault Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.tables[name]
	if !ok {
		return fmt.Errorf("there is no table %s", name)
	}
	t.fault = fault
	return nil
}

// maxBody is more than the largest item and its expressions need.
const maxBody = 16 << 20

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		answer(w, nil, &failure{name: "SerializationException", message: err.Error()})
		return
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	result, lost, err := s.serve(op, &q)
	if lost {
		panic(http.ErrAbortHandler) // net/http breaks the connection without an answer
	}
	answer(w, result, err)
}

func (s *Server) serve(op string, q *request) (result any, lost bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op == "BatchGetItem" {
		result, err = s.batch(q)
		return result, false, err
	}
	t, ok := s.tables[q.TableName]
	if op == "CreateTable" {
		if ok {
			return nil, false, &failure{name: "ResourceInUseException", message: "Table already exists: " + q.TableName}
		}
		t = &table{name: q.TableName, id: "table-" + q.TableName, key: q.KeySchema, indexes: q.GlobalSecondaryIndexes, items: map[string]item{}, fault: None}
		s.tables[q.TableName] = t
		return t.description(), false, nil
	}
	if !ok {
		return nil, false, &failure{name: "ResourceNotFoundException", message: "Requested resource not found"}
	}
	switch op {
	case "DescribeTable":
		return t.description(), false, nil
	case "GetItem":
		result, err = t.get(q.Key)
	case "Query":
		result, err = t.query(q)
	case "PutItem", "UpdateItem", "DeleteItem":
		if t.fault == ThrottleWrites {
			return nil, false, &failure{name: "ProvisionedThroughputExceededException", message: "The level of configured provisioned throughput for the table was exceeded."}
		}
		lost = t.fault == LoseNextPut && op == "PutItem"
		if lost {
			t.fault = None
		}
		result, err = t.write(op, q)
	default:
		err = &failure{name: "UnknownOperationException", message: op}
	}
	return result, lost, err
}

func (t *table) get(key item) (any, error) {
	text, err := t.keyOf(key)
	if err != nil {
		return nil, err
	}
	if it, ok := t.items[text]; ok {
		return map[string]any{"Item": it}, nil
	}
	return map[string]any{}, nil
}

func (s *Server) batch(q *request) (any, error) {
	found := map[string][]item{}
	for name, asked := range q.RequestItems {
		t, ok := s.tables[name]
		if !ok {
			return nil, &failure{name: "ResourceNotFoundException", message: "Requested resource not found"}
		}
		found[name] = []item{}
		for _, key := range asked.Keys {
			text, err := t.keyOf(key)
			if err != nil {
				return nil, err
			}
			if it, ok := t.items[text]; ok {
				found[name] = append(found[name], it)
			}
		}
	}
	return map[string]any{"Responses": found, "UnprocessedKeys": map[string]any{}}, nil
}

func (t *table) description() any {
	indexes := make([]index, len(t.indexes))
	for i, x := range t.indexes {
		x.IndexStatus = "ACTIVE"
		indexes[i] = x
	}
	shown := map[string]any{"TableName": t.name, "TableStatus": "ACTIVE", "TableId": t.id, "KeySchema": t.key, "GlobalSecondaryIndexes": indexes}
	return map[string]any{"Table": shown, "TableDescription": shown}
}

func answer(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		status = http.StatusBadRequest
		failed, ok := errors.AsType[*failure](err)
		if !ok {
			status, failed = http.StatusInternalServerError, &failure{name: "InternalServerError", message: err.Error()}
		}
		told := map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + failed.name, "message": failed.message}
		if failed.item != nil {
			told["Item"] = failed.item
		}
		result = told
	}
	body, err := json.Marshal(result)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is no concern of the table
}

package cost_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// units is what DynamoDB would bill, in request units (Amazon DynamoDB Developer Guide, "Read and write operations" and "Using Global
// Secondary Indexes in DynamoDB", storage and throughput considerations).
type units struct {
	writes, reads   float64            // of the table
	index           map[string]float64 // write units of each index
	largest, stored int                // bytes: of the largest item written, and of all items at the end
}

// plus adds what was used later.
func (u units) plus(v units) units {
	sum := units{u.writes + v.writes, u.reads + v.reads, map[string]float64{}, max(u.largest, v.largest), v.stored}
	for _, index := range []map[string]float64{u.index, v.index} {
		for name, n := range index {
			sum.index[name] += n
		}
	}
	return sum
}

// indexed is the sum over the indexes.
func (u units) indexed() float64 {
	sum := 0.0
	for _, n := range u.index {
		sum += n
	}
	return sum
}

// meter stands before a table and counts units. It believes the table about which conditions failed.
type meter struct {
	table *tabletest.Table

	mu      sync.Mutex
	indexes []index
	used    units
}

type index struct {
	IndexName  string
	KeySchema  []struct{ AttributeName string }
	Projection struct{ NonKeyAttributes []string }
}

type request struct {
	Item, Key              tabletest.Item
	ConsistentRead         bool
	GlobalSecondaryIndexes []index
	RequestItems           map[string]struct {
		Keys           []tabletest.Item
		ConsistentRead bool
	}
}

// Do implements the SDK's HTTP client.
func (m *meter) Do(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	pk := q.Item.S("pk") + q.Key.S("pk")
	before := m.table.Backup()[pk]
	response, err := m.table.Do(r)
	if err != nil {
		return nil, err
	}
	switch op {
	case "CreateTable":
		m.indexes = q.GlobalSecondaryIndexes
	case "GetItem":
		m.used.reads += readUnits(size(before), q.ConsistentRead)
	case "BatchGetItem":
		for _, asked := range q.RequestItems {
			for _, key := range asked.Keys {
				m.used.reads += readUnits(size(m.table.Backup()[key.S("pk")]), asked.ConsistentRead)
			}
		}
	case "Query":
		m.used.reads += readUnits(0, false) // no result: the cases measured here find nothing due
	case "PutItem", "UpdateItem":
		m.wrote(before, m.table.Backup()[pk])
	}
	return response, nil
}

// wrote counts a write: the larger of the two items, and each index whose entry changed. A failed condition leaves the item as it was.
func (m *meter) wrote(before, after tabletest.Item) {
	m.used.writes += writeUnits(max(size(before), size(after)))
	m.used.largest = max(m.used.largest, size(after))
	for _, x := range m.indexes {
		was, is := x.entry(before), x.entry(after)
		if m.used.index == nil {
			m.used.index = map[string]float64{}
		}
		switch {
		case was == is:
		case was == "" || is == "" || x.key(before) == x.key(after):
			m.used.index[x.IndexName]++
		default: // another key: one entry goes, one comes
			m.used.index[x.IndexName] += 2
		}
	}
}

// taken returns what was used since the last time.
func (m *meter) taken() units {
	m.mu.Lock()
	defer m.mu.Unlock()
	used := m.used
	m.used = units{}
	for _, it := range m.table.Backup() {
		used.stored += size(it)
	}
	return used
}

// entry returns the index's copy of an item, empty when the item is not in it.
func (x index) entry(it tabletest.Item) string {
	names := slices.Clone(x.Projection.NonKeyAttributes)
	for _, part := range x.KeySchema {
		if _, ok := it[part.AttributeName]; !ok {
			return ""
		}
		names = append(names, part.AttributeName)
	}
	return text(it, names)
}

func (x index) key(it tabletest.Item) string {
	var names []string
	for _, part := range x.KeySchema {
		names = append(names, part.AttributeName)
	}
	return text(it, names)
}

func text(it tabletest.Item, names []string) string {
	var out strings.Builder
	for _, name := range names {
		v, err := json.Marshal(it[name])
		if err != nil {
			panic(err) // strings, numbers and bytes always encode
		}
		out.Write(v)
	}
	return out.String()
}

func writeUnits(size int) float64 { return float64(max((size+1023)/1024, 1)) }

func readUnits(size int, consistent bool) float64 {
	n := float64(max((size+4095)/4096, 1))
	if consistent {
		return n
	}
	return n / 2
}

// size is what DynamoDB counts of an item (Developer Guide, "DynamoDB item sizes and formats").
func size(it tabletest.Item) int {
	n := 0
	for name, v := range it {
		n += len(name)
		switch {
		case v.S != nil:
			n += len(*v.S)
		case v.N != nil:
			n += (len(*v.N)+1)/2 + 1
		default:
			n += len(v.B)
		}
	}
	return n
}

package dynamodb

import "sync"

// recent is a bounded memory: what was put last is kept, the oldest is forgotten. It is safe for concurrent use. Nothing rests on what it
// forgets or still holds: a forgotten value is read or written once more, and every write is compared with the ledger.
type recent[V any] struct {
	most int

	mu     sync.Mutex
	values map[string]V
	order  []string // a ring of the keys, in the order in which they came in
	next   int
}

func newRecent[V any](most int) *recent[V] { return &recent[V]{most: most, values: map[string]V{}} }

func (m *recent[V]) put(key string, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.values[key]; !known {
		if len(m.order) < m.most {
			m.order = append(m.order, key)
		} else {
			delete(m.values, m.order[m.next])
			m.order[m.next] = key
			m.next = (m.next + 1) % m.most
		}
	}
	m.values[key] = value
}

func (m *recent[V]) get(key string) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[key]
	return value, ok
}

func (m *recent[V]) has(key string) bool {
	_, ok := m.get(key)
	return ok
}

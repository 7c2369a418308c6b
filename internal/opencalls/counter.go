// Package opencalls counts the calls of key spaces that are not final, so that a producer has no more of them at once than it may (docs/adr/0023). The
// count is kept in memory: what this process accepts and ends changes it at once, and a look at the ledger's index corrects it for what others did.
package opencalls

import (
	"context"
	"errors"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// page is how many rows one question to the index brings.
const page = 500

// Options is what a counter is made of. Index is required.
type Options struct {
	Limits map[string]int // by producer: calls of its key space that may be open
	Other  int            // of producers that are not listed; 0: no limit
	Index  call.Index
}

// Counter counts open calls. It is safe for concurrent use.
type Counter struct {
	o Options

	mu       sync.Mutex
	rows     map[string]string          // key space of each open row
	spaces   map[string]map[string]bool // the same the other way round
	reserved map[string]int             // by key space: requests that are being accepted
	looking  bool
	begun    map[string]string // while somebody looks: rows that were accepted,
	ended    map[string]bool   // and rows that became final
}

// New returns a counter that has counted nothing yet; nil where nobody is limited.
func New(o Options) *Counter {
	limited := o.Other > 0
	for _, most := range o.Limits {
		limited = limited || most > 0
	}
	if !limited {
		return nil
	}
	return &Counter{o: o, rows: map[string]string{}, spaces: map[string]map[string]bool{}, reserved: map[string]int{}}
}

// Limit returns how many calls a producer may have open; 0 is no limit.
func (c *Counter) Limit(producer string) int {
	if c == nil {
		return 0
	}
	if most, listed := c.o.Limits[producer]; listed {
		return most
	}
	return c.o.Other
}

// Open returns how many calls of a key space are open, with those that are being accepted.
func (c *Counter) Open(space string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.spaces[space]) + c.reserved[space]
}

// Reserve takes a place for a call of a producer. ok is false when there is none; else settle is called once, with the call that came of it, or with
// the zero Call.
func (c *Counter) Reserve(producer, space string) (settle func(call.Call), ok bool) {
	most := c.Limit(producer)
	if most == 0 {
		return func(call.Call) {}, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spaces[space])+c.reserved[space] >= most {
		return nil, false
	}
	c.reserved[space]++
	return func(row call.Call) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.reserved[space]--; c.reserved[space] == 0 {
			delete(c.reserved, space)
		}
		if row.ID == "" || row.State.Final() || c.ended[row.ID] {
			return
		}
		c.put(row.ID, row.Key.KeySpace)
		if c.looking {
			c.begun[row.ID] = row.Key.KeySpace
		}
	}, true
}

// Ended is told of each row that became final.
func (c *Counter) Ended(row string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(row)
	if c.looking {
		c.ended[row] = true
		delete(c.begun, row)
	}
}

func (c *Counter) put(row, space string) {
	c.drop(row)
	c.rows[row] = space
	if c.spaces[space] == nil {
		c.spaces[space] = map[string]bool{}
	}
	c.spaces[space][row] = true
}

func (c *Counter) drop(row string) {
	space, known := c.rows[row]
	if !known {
		return
	}
	delete(c.rows, row)
	if delete(c.spaces[space], row); len(c.spaces[space]) == 0 {
		delete(c.spaces, space)
	}
}

// errLooking says that somebody else looks.
var errLooking = errors.New("opencalls: a look is going on")

// Look reads every open call of the index and corrects the count. What is accepted and ends meanwhile is kept. After an error the count is as it was.
func (c *Counter) Look(ctx context.Context) error {
	c.mu.Lock()
	if c.looking {
		c.mu.Unlock()
		return errLooking
	}
	c.looking, c.begun, c.ended = true, map[string]string{}, map[string]bool{}
	c.mu.Unlock()
	found, err := c.read(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	begun, ended := c.begun, c.ended
	c.looking, c.begun, c.ended = false, nil, nil
	if err != nil {
		return err
	}
	c.rows, c.spaces = make(map[string]string, len(found)), map[string]map[string]bool{}
	for _, rows := range []map[string]string{found, begun} {
		for row, space := range rows {
			if !ended[row] {
				c.put(row, space)
			}
		}
	}
	return nil
}

func (c *Counter) read(ctx context.Context) (map[string]string, error) {
	found := map[string]string{}
	filter := call.Filter{States: []call.State{call.Received, call.Dialing}, Limit: page}
	for {
		rows, next, err := c.o.Index.List(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found[row.ID] = row.Key.KeySpace
		}
		if next == "" {
			return found, nil
		}
		filter.Cursor = next
	}
}

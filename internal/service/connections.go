package service

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// connections bounds how many are open. One too many closes that which has waited longest for a request, so that whoever opens thousands and says nothing
// shuts out himself and not the others; where every one is at a request the newest is closed. A request counts from its first byte.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]*list.Element // with its place among those that wait; nil while it is at a request
	idle list.List                  // of net.Conn, longest first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}}
}

// state is http.Server.ConnState.
func (c *connections) state(conn net.Conn, s http.ConnState) {
	if excess := c.moved(conn, s); excess != nil {
		_ = excess.Close() // whoever serves it meets the end
	}
}

// moved notes the state of a connection, and returns the one that must go.
func (c *connections) moved(conn net.Conn, s http.ConnState) (excess net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	place, known := c.open[conn]
	if place != nil {
		c.idle.Remove(place)
	}
	switch {
	case s == http.StateClosed || s == http.StateHijacked:
		delete(c.open, conn)
		return nil
	case s == http.StateNew:
		if len(c.open) >= c.most {
			if excess = c.longest(); excess == nil {
				return conn
			}
		}
	case !known: // it was closed here
		return nil
	}
	c.open[conn] = nil
	if s != http.StateActive {
		c.open[conn] = c.idle.PushBack(conn)
	}
	return excess
}

// longest forgets the connection that has waited longest, and returns it; nil when none waits.
func (c *connections) longest() net.Conn {
	front := c.idle.Front()
	if front == nil {
		return nil
	}
	conn, _ := c.idle.Remove(front).(net.Conn) // nothing else is in the list
	delete(c.open, conn)
	return conn
}

//go:build integration

package postgres_test

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// The ways in which a pooler gives sessions to its clients.
const (
	bySession int32 = iota
	byTransaction
	turning // by transaction, and each one gets a session that had none before
)

// pooler does what is essential of one: a client keeps a session of PostgreSQL, or has one for a transaction. It takes few parameters at the start and
// leaves them out, has its own keys for cancellation, and gives the session that was given back last.
type pooler struct {
	listener net.Listener
	server   *pgconn.Config
	way      atomic.Int32
	clients  atomic.Uint32

	mu   sync.Mutex
	free []*leased
}

// leased is a session of PostgreSQL, and who has it.
type leased struct {
	net.Conn

	pool    *pooler
	client  net.Conn // guarded by pool.mu, like what follows
	pending int      // requests that the server has not ended yet
	link    **leased // of the client
}

func newPooler(t *testing.T, dsn string, way int32) *pooler {
	t.Helper()
	server, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	server.RuntimeParams = nil
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pooler{listener: listener, server: server}
	p.way.Store(way)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(t, client)
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return p
}

// serve greets a client and carries its requests, each to the session that it has then.
func (p *pooler) serve(t *testing.T, client net.Conn) {
	defer func() { _ = client.Close() }()
	backend := pgproto3.NewBackend(client, client)
	first, err := backend.ReceiveStartupMessage()
	start, ok := first.(*pgproto3.StartupMessage)
	if err != nil || !ok {
		return
	}
	for name := range start.Parameters {
		if !slices.Contains([]string{"user", "database", "application_name", "options"}, name) {
			backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name})
			_ = backend.Flush()
			return
		}
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1<<30 + p.clients.Add(1), SecretKey: []byte("none")})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	if backend.Flush() != nil {
		return
	}
	var has *leased
	for {
		message, err := frame(client)
		if err != nil || message[0] == 'X' {
			break
		}
		to, err := p.lease(t, client, &has, message[0])
		if err != nil {
			break
		}
		if _, err := to.Write(message); err != nil {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if has != nil {
		_ = has.Close()
	}
}

// lease returns the session of a client, and gives it one when it has none.
func (p *pooler) lease(t *testing.T, client net.Conn, has **leased, kind byte) (*leased, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *has == nil && len(p.free) > 0 && p.way.Load() != turning {
		*has, p.free = p.free[len(p.free)-1], p.free[:len(p.free)-1]
	}
	if *has == nil {
		conn, err := pgconn.ConnectConfig(t.Context(), p.server)
		if err != nil {
			return nil, err
		}
		hijacked, err := conn.Hijack()
		if err != nil {
			return nil, err
		}
		*has = &leased{Conn: hijacked.Conn, pool: p}
		t.Cleanup(func() { _ = hijacked.Conn.Close() })
		go (*has).answer()
	}
	l := *has
	l.client, l.link = client, has
	if kind == 'Q' || kind == 'S' {
		l.pending++
	}
	return l, nil
}

// answer carries what a session says to whoever has it, and gives it back behind a transaction.
func (l *leased) answer() {
	for {
		message, err := frame(l)
		l.pool.mu.Lock()
		client := l.client
		if err == nil && message[0] == 'Z' {
			l.pending--
			if message[5] == 'I' && l.pending == 0 && l.pool.way.Load() != bySession {
				*l.link = nil
				l.pool.free = append(l.pool.free, l)
			}
		}
		l.pool.mu.Unlock()
		if err != nil {
			if client != nil {
				_ = client.Close()
			}
			return
		}
		_, _ = client.Write(message)
	}
}

// frame reads one message: its kind, its length, and the rest.
func frame(from io.Reader) ([]byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	message := append(head, make([]byte, binary.BigEndian.Uint32(head[1:])-4)...)
	_, err := io.ReadFull(from, message[5:])
	return message, err
}

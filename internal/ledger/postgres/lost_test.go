//go:build integration

package postgres_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// The fates of what goes through a proxy.
const (
	passes int32 = iota
	losesAnswer
	losesRequest
	swallows // everything of the connections that are there, as a host does that died: no end of them is told
)

// proxy stands between a ledger and its server, and breaks the connection when it is told to.
type proxy struct {
	listener net.Listener
	server   string
	fate     atomic.Int32
	spared   atomic.Int32 // how many requests or answers pass before the fate comes
	answers  atomic.Int32 // how many the server gave
	wg       sync.WaitGroup
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: server}
	p.wg.Go(p.accept)
	t.Cleanup(func() { _ = listener.Close() })
	return p
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		shut := sync.OnceFunc(func() { _, _ = client.Close(), server.Close() })
		late := p.fate.Load() == swallows
		p.wg.Go(func() { defer shut(); p.carry(client, mortal{server, p, late}, losesRequest) })
		p.wg.Go(func() { defer shut(); p.carry(server, mortal{client, p, late}, losesAnswer) })
	}
}

// mortal is one end of a connection, from which nothing comes any more when its proxy swallows, unless it was made later.
type mortal struct {
	io.Writer

	proxy *proxy
	late  bool
}

func (m mortal) Write(b []byte) (int, error) {
	if !m.late && m.proxy.fate.Load() == swallows {
		return len(b), nil
	}
	return m.Writer.Write(b)
}

// readyForQuery is how the last message of an answer begins; the state of the transaction follows.
var readyForQuery = []byte{'Z', 0, 0, 0, 5}

// carry copies until its fate comes: a request is lost with its first byte, an answer when the server has said all of it.
func (p *proxy) carry(from io.Reader, to io.Writer, lost int32) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		whole := lost == losesRequest || bytes.HasPrefix(buf[max(0, n-6):n], readyForQuery)
		if whole && lost == losesAnswer {
			p.answers.Add(1)
		}
		if n > 0 && p.fate.Load() == lost {
			switch {
			case whole && p.spared.Add(-1) < 0:
				p.fate.Store(passes)
				return
			case !whole && p.spared.Load() == 0:
				continue
			}
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

type writing func(*postgres.Ledger) (call.Written, error)

// lose makes a write whose fate is given, and expects the plain error that says nothing.
func (p *proxy) lose(t *testing.T, l *postgres.Ledger, fate int32, write writing) {
	t.Helper()
	p.spared.Store(0)
	p.fate.Store(fate)
	written, err := write(l)
	if err == nil || written.Applied {
		t.Fatalf("a lost write: applied %t, error %v", written.Applied, err)
	}
	if code := call.CodeOf(err); code != "" || errors.Is(err, call.ErrNotFound) || errors.Is(err, call.ErrTokenTaken) {
		t.Errorf("a lost write is answered as one whose fate is known: %v (%s)", err, code)
	}
	t.Log(err)
}

func TestAWriteWhoseAnswerIsLostOnTheWireIsRecognized(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, fate := range map[string]int32{"applied": losesAnswer, "not applied": losesRequest} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := server.Schema(t)
			p := newProxy(t, server.Address())
			l := open(t, at(t, server.DSN(schema, p.listener.Addr().String())+"&pool_max_conns=1"))
			direct := open(t, at(t, server.DSN(schema, "")))

			warm := create(t, l, "warm") // so that the statements are known to the connection, and a write is one round trip
			if _, err := l.Update(t.Context(), held(t, warm, "op-warm-2")); err != nil {
				t.Fatal(err)
			}
			first := accepted(t, "a")
			p.lose(t, l, fate, func(l *postgres.Ledger) (call.Written, error) { return l.Create(t.Context(), first) })
			there(t, direct, "a", fate == losesAnswer)
			written, err := l.Create(t.Context(), first)
			if err != nil || !written.Applied {
				t.Fatalf("the create again: applied %t, error %v", written.Applied, err)
			}
			row := create(t, l, "b")
			if written, err = l.Update(t.Context(), held(t, row, "op-b-2")); err != nil || !written.Applied {
				t.Fatalf("update: applied %t, error %v", written.Applied, err)
			}
			second := held(t, first.Row, "op-a-2")
			p.lose(t, l, fate, func(l *postgres.Ledger) (call.Written, error) { return l.Update(t.Context(), second) })
			if c, err := direct.Get(t.Context(), "a"); err != nil || (c.Version == 2) != (fate == losesAnswer) {
				t.Errorf("after the lost update: version %d, error %v", c.Version, err)
			}
			if written, err = l.Update(t.Context(), second); err != nil || !written.Applied || written.Row.Version != 2 {
				t.Errorf("the update again: applied %t, version %d, error %v", written.Applied, written.Row.Version, err)
			}
			if entries, err := l.History(t.Context(), "a"); err != nil || len(entries) != 2 {
				t.Errorf("%d entries, error %v, want 2", len(entries), err)
			}
		})
	}
}

func there(t *testing.T, l *postgres.Ledger, id string, want bool) {
	t.Helper()
	_, err := l.Get(t.Context(), id)
	if want && err != nil || !want && !errors.Is(err, call.ErrNotFound) {
		t.Errorf("row %s: %v, want it there: %t", id, err, want)
	}
}

func TestAWriteWhoseSessionIsKilledIsAmbiguousAndTriedByNobody(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	l := open(t, at(t, server.DSN(schema, "")+"&application_name=victim"))
	other := open(t, at(t, server.DSN(schema, "")))
	create(t, l, "warm")
	holder, err := other.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Exec(t.Context(), "SELECT 1 FROM ledger FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := l.Create(t.Context(), accepted(t, "a"))
		failed <- err
	}()
	killed := 0
	for deadline := time.Now().Add(time.Minute); killed == 0 && time.Now().Before(deadline); {
		row := other.Pool().QueryRow(t.Context(),
			"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'victim' AND wait_event_type = 'Lock'")
		if err := row.Scan(&killed); err != nil {
			t.Fatal(err)
		}
	}
	err = <-failed
	if err == nil || call.CodeOf(err) != "" {
		t.Errorf("a write whose session was killed: %v, want a plain error", err)
	}
	if err := holder.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	there(t, other, "a", false)
	create(t, l, "a")
}

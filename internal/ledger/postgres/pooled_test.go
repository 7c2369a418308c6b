//go:build integration

package postgres_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
	"github.com/ringonce/ringonce/internal/secret"
)

// through returns the connection string of a schema by a pooler.
func through(p *pooler, s *pgtest.Server, schema string) string {
	return s.DSN(schema, p.listener.Addr().String())
}

func TestAPoolerBySessionsIsUsedWithTheSettingsOfTheLedger(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	l := open(t, at(t, through(newPooler(t, server.DSN(schema, ""), bySession), server, schema)))
	row := create(t, l, "a")
	if _, err := l.Update(t.Context(), held(t, row, "op-a-2")); err != nil {
		t.Error(err)
	}
	there(t, open(t, at(t, server.DSN(schema, ""))), "a", true) // in the schema of search_path, which the pooler leaves out
	for name, want := range map[string]string{
		"lock_timeout": "10s", "idle_in_transaction_session_timeout": "15s", "plan_cache_mode": "force_generic_plan", "search_path": schema,
		"application_name": "", // poolers that know it set it in the session; this one does not
	} {
		var value string
		if err := l.Pool().QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&value); err != nil || value != want {
			t.Errorf("%s is %q, want %q, error %v", name, value, want, err)
		}
	}
}

func TestAPoolerByTransactionsIsRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for _, readOnly := range []bool{false, true} {
		schema := server.Schema(t)
		p := newPooler(t, server.DSN(schema, ""), byTransaction)
		o := at(t, through(p, server, schema))
		o.ReadOnly = readOnly
		l, err := postgres.Open(t.Context(), o)
		if err == nil {
			t.Fatalf("a pooler by transactions is used; close: %v", l.Close())
		}
		refused(t, err, call.CodeConfiguration, "ledger.driver")
		if !strings.Contains(err.Error(), "pool_mode=session") {
			t.Error(err)
		}
		u, err := url.Parse(through(p, server, schema))
		if err != nil {
			t.Fatal(err)
		}
		u.RawQuery = "sslmode=disable"
		next, err := pgx.Connect(t.Context(), u.String()) // gets the session that was used last
		if err != nil {
			t.Fatal(err)
		}
		var timeout, path string
		err = next.QueryRow(t.Context(), "SELECT current_setting('lock_timeout'), current_setting('search_path')").Scan(&timeout, &path)
		if err != nil || timeout != "0" || path == schema {
			t.Errorf("a session of others has the settings lock_timeout=%s search_path=%s, error %v", timeout, path, err)
		}
		if err := next.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A name may have two addresses, and a pool opens several connections: none of them is used because another one was refused.
func TestAPoolerByTransactionsIsRefusedByEveryConnection(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	p := newPooler(t, server.DSN(schema, ""), byTransaction)
	dsn, address := through(p, server, schema), p.listener.Addr().String()
	for _, one := range []string{strings.Replace(dsn, address, address+","+address, 1), dsn + "&pool_min_conns=2"} {
		l, err := postgres.Open(t.Context(), at(t, one))
		if err == nil {
			t.Fatalf("%s: a pooler by transactions is used; close: %v", one, l.Close())
		}
		refused(t, err, call.CodeConfiguration, "ledger.driver")
	}
	pool, err := postgres.NewPool(t.Context(), at(t, dsn))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for range 3 {
		if err := pool.Ping(t.Context()); err == nil {
			t.Error("a connection of a pool is used")
		}
	}
}

// A pooler that is busy may look like one by sessions when the ledger is opened. What is written in another session than the one that was set up has no
// answer and ends the use of the ledger.
func TestAWriteInTheSessionOfOthersEndsTheUseOfTheLedger(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, join := range map[string]postgres.Beside{"one round trip": nil, "with hints": jobs} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // the role has one search_path
			schema := server.Schema(t)
			server.Exec(t, "ALTER ROLE "+pgtest.Role+" SET search_path = "+schema) // else nothing would be found in other sessions
			p := newPooler(t, server.DSN(schema, ""), bySession)
			l := open(t, at(t, through(p, server, schema)+"&default_query_exec_mode=exec")) // other ways fail on a prepared statement
			server.Exec(t, "CREATE TABLE "+schema+".jobs (call text, due bigint); GRANT ALL ON "+schema+".jobs TO "+pgtest.Role)
			l.Join(join)
			create(t, l, "a")
			p.way.Store(turning)
			_, err := l.Create(t.Context(), waiting(t, "b")) // perhaps in the session that the connection still has
			if err == nil {
				_, err = l.Create(t.Context(), waiting(t, "c"))
			}
			if err == nil {
				t.Fatal("a write in another session is answered")
			}
			refused(t, err, call.CodeConfiguration, "ledger.driver")
			select {
			case <-l.Gone():
			default:
				t.Error("the ledger is not gone")
			}
		})
	}
}

func TestSettingsThatAPoolerWouldLoseAreRefused(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	schema := server.Schema(t)
	dsn := through(newPooler(t, server.DSN(schema, ""), bySession), server, schema)
	for more, want := range map[string]call.Code{"&options=-c%20lock_timeout%3D5s": call.CodeConfiguration, "&client_encoding=UTF8": call.CodeLedgerUnavailable} {
		l, err := postgres.Open(t.Context(), at(t, dsn+more))
		if err == nil {
			t.Fatalf("%s is used; close: %v", more, l.Close())
		}
		refused(t, err, want, "ledger.driver")
	}
	open(t, at(t, server.DSN(schema, "")+"&options=-c%20lock_timeout%3D5s")) // PostgreSQL itself takes them
	open(t, at(t, server.DSN(schema, "")+"&post_auth_delay=0"))              // which it takes at the start only
}

// TestAReaderMayAskForAServerThatIsWritten sees that a session is no read-only one before target_session_attrs looks.
func TestAReaderMayAskForAServerThatIsWritten(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	used(t, o, "a")
	o.DSN, o.ReadOnly = secret.New(append(o.DSN.Reveal(), "&target_session_attrs=read-write"...)), true
	l := open(t, o)
	there(t, l, "a", true)
	if _, err := l.Pool().Exec(t.Context(), "CREATE TABLE written (x int)"); err == nil {
		t.Error("a reader writes")
	}
}

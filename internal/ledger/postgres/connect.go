package postgres

import (
	"context"
	"errors"
	"maps"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// configure reads the connection string, whose own settings go before more. Its errors never show it.
func configure(o Options, more map[string]string) (*pgxpool.Config, error) {
	text := string(o.DSN.Reveal())
	if strings.TrimSpace(text) == "" {
		return nil, misconfigured(o.DSNField, "Write it like postgres://user:password@host:5432/database?sslmode=verify-full.", "The connection string is empty.")
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil { // its text holds the string, with what it takes for the password masked
		return nil, misconfigured(o.DSNField, "Write it like postgres://user:password@host:5432/database?sslmode=verify-full.", "The connection string cannot be read.")
	}
	conn := config.ConnConfig
	if !o.Relaxed {
		if err := encrypted(o, conn); err != nil {
			return nil, err
		}
	}
	defaults := map[string]string{"application_name": "ringonce"}
	maps.Copy(defaults, sessionSettings)
	maps.Copy(defaults, more)
	maps.Copy(defaults, conn.RuntimeParams)
	conn.RuntimeParams = defaults
	if o.ReadOnly && !o.Cells {
		conn.RuntimeParams["default_transaction_read_only"] = "on"
	}
	conn.DialFunc = dialer().DialContext
	if config.PingTimeout == 0 { // else pool_ping_timeout
		config.PingTimeout = pingTime
	}
	establish(conn)
	return config, nil
}

// NewPool returns connections of their own to the database of a ledger, under the same rules as the ledger's: for what lies beside it and is no
// part of it, so that neither waits for the other's. Nothing is compared with the ledger's past on them.
func NewPool(ctx context.Context, o Options) (*pgxpool.Pool, error) {
	config, err := configure(o, nil)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, explain(err, "open it")
	}
	return pool, nil
}

// encrypted refuses connections to other machines that are not, or that may be, without TLS.
func encrypted(o Options, conn *pgx.ConnConfig) error {
	plain := func(host string, tls bool) bool { return !tls && !sameMachine(host) }
	open := plain(conn.Host, conn.TLSConfig != nil)
	for _, other := range conn.Fallbacks {
		open = open || plain(other.Host, other.TLSConfig != nil)
	}
	if open {
		return misconfigured(o.DSNField, "Add sslmode=verify-full and sslrootcert, or use a server on this machine.",
			"The connection string permits connections to another machine without TLS.")
	}
	return nil
}

func sameMachine(host string) bool {
	network, _ := pgconn.NetworkAddress(host, 0)
	return network == "unix" || host == "localhost" || net.ParseIP(host).IsLoopback()
}

// greet compares the server of a new connection with what this process knows of the ledger: a failover shows itself as a new connection, and
// never as anything else.
func (l *Ledger) greet(ctx context.Context, conn *pgx.Conn) error {
	seen, incarnation, opened := l.sight()
	if !opened {
		return nil
	}
	found, err := readRecord(ctx, queries.New(bounded{conn, groupTime})) // the pool connects for everybody, with nobody's deadline
	if err != nil {
		return err
	}
	if reason := found.contradicts(incarnation, seen); reason != "" {
		err := wentBack(reason)
		l.poison(err)
		return err
	}
	l.saw(found.identity.HighWater)
	return nil
}

// contradicts says in which way the ledger of a connection is not the one that this process knows; empty when it is.
func (r record) contradicts(incarnation string, seen int64) string {
	switch {
	case r.identity.ID == "":
		return "Its record is gone."
	case r.incarnation != incarnation:
		return "It was recovered or replaced while this process ran."
	case r.server != r.home:
		return r.moved()
	case r.identity.HighWater < seen:
		return lostWrites(seen - r.identity.HighWater)
	}
	return ""
}

// checkDurability reads what every promise rests on.
func checkDurability(ctx context.Context, o Options, q *queries.Queries) error {
	if o.Relaxed {
		return nil
	}
	set, err := q.Settings(ctx)
	if err != nil {
		return explain(err, "read the server's settings")
	}
	for _, s := range []struct{ name, value string }{
		{"fsync", set.Fsync}, {"full_page_writes", set.FullPageWrites}, {"synchronous_commit", set.SynchronousCommit},
	} {
		if s.value == "off" {
			return misconfigured("ledger.driver", "Set it to on for the server, the database and the role.",
				"The server runs with %s=off, which loses answered writes in a crash.", s.name)
		}
	}
	return nil
}

// wrongServer finds the refusal behind a failed connection.
func wrongServer(err error) error {
	if shown, ok := errors.AsType[*call.Error](err); ok && shown.Code == call.CodeLedgerWentBack {
		return &refusal{shown: shown, cause: errors.Join(call.ErrWentBack, err)}
	}
	if errors.Is(err, errStandby) {
		return unavailable(err, "Name the primary in the connection string.", "The server is a standby.")
	}
	if errors.Is(err, errShared) {
		return pooled(err)
	}
	if errors.Is(err, errOptions) {
		return &refusal{cause: err, shown: misconfigured("ledger.driver", "Write each setting as a parameter of its own, such as lock_timeout=5s.",
			"The connection string has options, and a pooler stands before the server: it would leave them out.")}
	}
	return err
}

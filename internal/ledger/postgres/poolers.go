package postgres

import (
	"context"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// probeTime is how long the second connection may take that shows how a pooler works. One that has no session to spare gives none.
const probeTime = 5 * time.Second

// sharing is how a pooler works.
type sharing int

const (
	unasked sharing = iota
	bySessions
	byTransactions
)

// mostProbes bounds how often connections wait for an answer that the pooler does not give. Each group looks at its mark besides.
const mostProbes = 2

// judge refuses a pooler by transactions, also for every connection after the one that saw it: pgconn goes on to the next address after a refusal, and a pool to the
// next connection. While one asks the others wait.
func (s *session) judge(ctx context.Context, c *pgconn.PgConn, backend uint32) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()
	if s.how == unasked && s.unknown < mostProbes {
		if s.how = s.ask(ctx, c, backend); s.how == unasked {
			s.unknown++
		}
	}
	if s.how == byTransactions {
		return errShared
	}
	return nil
}

// ask sees whether two transactions of one connection, or two connections at the same time, have sessions that say they are not one. A pooler that is busy may hide
// it, or have no session for a second connection, which tells nothing.
func (s *session) ask(ctx context.Context, c *pgconn.PgConn, backend uint32) sharing {
	soon, cancel := context.WithTimeout(ctx, s.patience(ctx))
	defer cancel()
	probe, there := s.probe.Copy(), c.Conn().RemoteAddr()
	probe.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { // to the same pooler, of several
		return (&net.Dialer{}).DialContext(ctx, there.Network(), there.String())
	}
	second, err := pgconn.ConnectConfig(soon, probe)
	if err != nil {
		return unasked
	}
	defer func() { _ = second.Close(soon) }()
	for range 3 {
		switch _, other, err := look(soon, second); {
		case err != nil:
			return unasked
		case other == backend:
			return byTransactions
		}
		switch _, again, err := look(ctx, c); { // not soon: a context that ends breaks the connection
		case err != nil:
			return unasked
		case again != backend:
			return byTransactions
		}
	}
	return bySessions
}

// patience is how long the second connection may take: at most half of what the first one has left, which still has to be set up.
func (s *session) patience(ctx context.Context) time.Duration {
	if end, bounded := ctx.Deadline(); bounded {
		return min(probeTime, time.Until(end)/2)
	}
	return probeTime
}

// pooled is the refusal of a pooler that works by transactions.
func pooled(err error) error {
	return &refusal{cause: err, shown: misconfigured("ledger.driver", "Set pool_mode=session for this database, or name the server itself in the connection string.",
		"A pooler gives each transaction another session of PostgreSQL (pool_mode transaction or statement): settings are lost and set for others, and a failover would not be noticed.")}
}

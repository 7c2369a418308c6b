package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgxpool"
)

var errKilled = errors.New("the process was killed")

// Kill ends the ledger as the death of its process would: what waits is dropped, and nothing is answered any more.
func (l *Ledger) Kill() { l.poison(errKilled) }

// Pool returns the connections of the ledger.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }

package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/ringonce/ringonce/internal/call"
)

// Sieve is a sieve of its own, for tests.
type Sieve struct{ sieve sieve }

// NewSieve returns an empty sieve for so many keys.
func NewSieve(room int) *Sieve {
	s := &Sieve{}
	s.sieve.open(room)
	return s
}

// Add adds a key.
func (s *Sieve) Add(key string) { s.sieve.add(key) }

// Lacks reports that a key is surely new.
func (s *Sieve) Lacks(key string) bool { return s.sieve.lacks(key) }

// FillSieves makes the sieves of a ledger as useless as those of a very large one. No write may be under way.
func (l *Ledger) FillSieves() {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	l.tail.everyID.bits, l.tail.everyToken.bits = nil, nil
}

// Sloppy makes SQLite leave what it frees in the file, as it does unless it is told otherwise. No write may be under way.
func (l *Ledger) Sloppy() error {
	return l.writer.use(func(p prepare) error {
		_, err := p.one(`PRAGMA secure_delete = OFF`)
		return err
	})
}

// WitnessFile is the file of a witness.
type WitnessFile = witnessFile

// OpenWitness makes the witness of a ledger lie where the function opens it.
func (o *Options) OpenWitness(open func(path string) (WitnessFile, error)) { o.openWitness = open }

// Pragmas are the settings of every connection that Open makes.
func Pragmas() []string { return pragmas }

// Weaken sets the sync level of the writer below what OpenDB accepts, after it has looked. No write may be under way.
func (l *Ledger) Weaken() error {
	return l.writer.use(func(p prepare) error {
		_, err := p.one(`PRAGMA synchronous = NORMAL`)
		return err
	})
}

// Hold puts n held calls into the ledger at once, with a document, dues from first on, step apart. They have no history.
func (l *Ledger) Hold(n int, document []byte, first, step int64) error {
	return l.writer.use(func(p prepare) error {
		_, err := p.one(`WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i + 1 < ?1)
			INSERT INTO calls (id, version, state, due, recipient, doc) SELECT hex(randomblob(20)), 1, 'received', ?2 + (i * 7919 % ?1) * ?3, '', ?4 FROM k`,
			int64(n), first, step, document)
		return err
	})
}

// Plans returns how SQLite carries out the lists of filters and the look for parked calls, by statement.
func (l *Ledger) Plans(ctx context.Context, filters ...call.Filter) (map[string]string, error) {
	plans := map[string]string{}
	explain := func(text string, args ...any) error {
		return l.read(ctx, "explain", func(p prepare) error {
			return p.each(func(row []driver.Value) error {
				plans[text] += textOf(row[3]) + "\n"
				return nil
			}, "EXPLAIN QUERY PLAN "+text, args...)
		})
	}
	for _, f := range filters {
		text, args, err := listQuery(f, 10)
		if err == nil {
			err = explain(text, args...)
		}
		if err != nil {
			return nil, err
		}
	}
	return plans, explain(selectParkedCalls, int64(0), int64(10))
}

// RememberRows bounds what the ledger remembers of its newest rows, in each of two generations.
func RememberRows(l *Ledger, rows int) { l.newest.most = rows }

// PanicInARead panics while a connection is used to read.
func (l *Ledger) PanicInARead() error {
	return l.read(context.Background(), "panic", func(p prepare) error {
		return p.each(func([]driver.Value) error { panic("planted") }, `SELECT 1`)
	})
}

// Readers returns how many of the connections that read are free, and how many there are.
func (l *Ledger) Readers() (free, all int) { return len(l.pool), l.pooled }

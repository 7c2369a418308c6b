package sqlite

import (
	"database/sql/driver"
	"hash/maphash"
)

// sieve remembers keys approximately, in a fixed amount of memory: it tells surely that a key is new, and else that it may be
// known. Most questions about ids and tokens are about new ones, and each would read a page at a random place of the index just
// to find nothing. It is a Bloom filter.
//
// A sieve without bits takes every key for known: one that is not filled yet, or that grew too full. Then the index is asked.
type sieve struct {
	seed maphash.Seed
	bits []uint64
	room int // how many keys may still be added
}

const (
	// mostSifted is how many keys a sieve holds. With 16 bits (2 MiB in all) and 4 probes for each, about one new key of 400 is
	// taken for known.
	mostSifted  = 1 << 20
	sieveWords  = 16 * mostSifted / 64
	sieveProbes = 4

	selectLast = `SELECT max(number) FROM calls`
)

// sift fills the sieves with what the indexes know; of a ledger too large for them it does not try.
func (t *tail) sift(p prepare) error {
	last, err := p.one(selectLast)
	if err != nil || numberOf(last[0]) >= mostSifted {
		return err
	}
	if err := t.everyID.fill(p, `SELECT id FROM ids`); err != nil {
		return err
	}
	return t.everyToken.fill(p, `SELECT token FROM tokens`)
}

// fill makes a sieve of every key that a query returns.
func (s *sieve) fill(p prepare, query string) error {
	s.open(mostSifted)
	return p.each(func(row []driver.Value) error {
		s.add(textOf(row[0]))
		return nil
	}, query)
}

func (s *sieve) open(room int) {
	s.seed, s.bits, s.room = maphash.MakeSeed(), make([]uint64, sieveWords), room
}

func (s *sieve) add(key string) {
	if s.room == 0 {
		s.bits = nil
	}
	if s.bits == nil {
		return
	}
	s.room--
	bit, step := s.probe(key)
	for range sieveProbes {
		s.bits[bit/64%sieveWords] |= 1 << (bit % 64)
		bit += step
	}
}

// lacks reports that the key is surely new.
func (s *sieve) lacks(key string) bool {
	if s.bits == nil {
		return false
	}
	bit, step := s.probe(key)
	for range sieveProbes {
		if s.bits[bit/64%sieveWords]&(1<<(bit%64)) == 0 {
			return true
		}
		bit += step
	}
	return false
}

// probe returns the place of the first bit and the distance to the next.
func (s *sieve) probe(key string) (bit, step uint64) {
	bit = maphash.String(s.seed, key)
	return bit, bit>>32 | 1
}

package crashtest

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// refusingLedger does not take some of the telephone's answers, however often they are sent: half of those it refuses it has applied. Only then is
// the spool used. Which ones depends on the seed, which every process gets anew, so that a later one takes them.
type refusingLedger struct {
	call.Ledger
	seed uint64
}

var errRefused = errors.New("the ledger does not answer (a fault of the test)")

// refusing returns the ledger as it is for seed 0.
func refusing(seed uint64, l call.Ledger) call.Ledger {
	if seed == 0 {
		return l
	}
	return refusingLedger{l, seed}
}

// Update implements call.Ledger.
func (l refusingLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind != call.EventResult {
		return l.Ledger.Update(ctx, w)
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(strconv.FormatUint(l.seed, 10) + w.Entry.Op)) // a hash takes everything
	switch hash.Sum64() % 16 {
	case 0:
		return call.Written{}, errRefused
	case 1:
		_, err := l.Ledger.Update(ctx, w)
		return call.Written{}, errors.Join(errRefused, err)
	}
	return l.Ledger.Update(ctx, w)
}

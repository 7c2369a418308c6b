package demo

import (
	"context"
	"sync/atomic"

	"github.com/ringonce/ringonce/internal/call"
)

// crashed is what a planted crash panics with. Nothing of the engine runs after it, as nothing runs after a kill: what was not
// durable is gone.
type crashed struct{ at crashPoint }

// trap holds the next crash.
type trap struct {
	armed  atomic.Value // crashPoint
	sprung atomic.Bool
}

func (t *trap) set(p crashPoint) {
	t.armed.Store(p)
	t.sprung.Store(false)
}

func (t *trap) at(p crashPoint) {
	if armed, ok := t.armed.Load().(crashPoint); ok && armed == p && p != noCrash {
		t.sprung.Store(true)
		panic(crashed{p})
	}
}

// crashingLedger dies before its first write or after the write of an answer.
type crashingLedger struct {
	call.Ledger
	trap *trap
}

func (l crashingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	l.trap.at(crashBeforeRow)
	return l.Ledger.Create(ctx, w)
}

func (l crashingLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	if w.Entry.Kind == call.EventResult {
		l.trap.at(crashAfterAll)
	}
	return written, err
}

// crashingDialer dies before or after the phone rings.
type crashingDialer struct {
	call.Dialer
	trap *trap
}

func (d crashingDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	d.trap.at(crashBeforeSay)
	answer := d.Dialer.Dial(ctx, s)
	d.trap.at(crashAfterDial)
	return answer
}

package sqspoll

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// Poller reads one queue. Make it with [New].
type Poller struct {
	o     Options
	slots chan struct{} // one for each message that may be held
	done  chan *item    // worked on, to be deleted or returned

	changing sync.Mutex // one request at a time changes visibilities: an extension must not come after a return

	mu       sync.Mutex
	held     map[string]*item   // by message id
	groups   map[string][]*item // of a FIFO queue: what waits behind the one that is worked on
	stopping bool

	recording chan struct{} // holds an element while a record is being written

	working, settled sync.WaitGroup
}

// item is a message that this process holds.
type item struct {
	Message

	received time.Time
	expires  time.Time // when others may receive it
	leaving  bool      // its end is decided: unless it is to be deleted, it is not extended any more

	acknowledged bool
	acts         []auditlog.Act // of what was taken
	again        time.Duration  // the wait of what was not acknowledged
}

// New returns a poller that has received nothing yet, or a *[call.Error].
func New(o Options) (*Poller, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Poller{
		o: o, slots: make(chan struct{}, o.Lanes), done: make(chan *item), recording: make(chan struct{}, 1),
		held: map[string]*item{}, groups: map[string][]*item{},
	}, nil
}

// Run polls until ctx ends, and returns when nothing of it runs anymore and every message that it held was deleted or returned, or at least
// tried to. It is called once.
func (p *Poller) Run(ctx context.Context) {
	work, cut := context.WithCancel(context.WithoutCancel(ctx)) // what runs when the process is told to end still ends well
	defer cut()
	beside, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	var loops sync.WaitGroup
	loops.Go(func() { p.extend(beside) })
	loops.Go(func() { p.settle(beside) })
	p.receive(ctx, work)
	p.stop()
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		p.working.Wait()
	}()
	drain, drained := context.WithCancel(beside)
	go func() {
		if p.o.Clock.Sleep(drain, p.o.Drain) == nil {
			cut() // the dials that are cut off are recorded by the core
		}
	}()
	<-idle
	drained()
	p.settled.Wait()
	end()
	loops.Wait()
}

// Held returns how many messages are held.
func (p *Poller) Held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}

// stop sends back what waits in groups: visible at once.
func (p *Poller) stop() {
	p.mu.Lock()
	p.stopping = true
	var rest []*item
	for group, waiting := range p.groups {
		rest = append(rest, waiting...)
		p.groups[group] = nil
	}
	p.mu.Unlock()
	for _, it := range rest {
		p.leave(it, false, 0)
	}
}

package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// Options is what a world is made with beside its setting.
type Options struct {
	Seed    uint64       // of the ids that workers make, and of the emulator's
	Dir     string       // an empty directory of its own, or one that does not exist yet
	Plant   Plant        // a defect, to see that the oracle is not blind
	Tell    bool         // keep the trace's lines, not only their hash
	Log     *slog.Logger // of every worker; nil means none
	Metrics io.Writer    // of every worker; nil means none
	Secret  string       // an attribute of every request; what is said is kept then
	Sources transport.Options
	Store   Shared // the ledger; nil means that of the world's kind
	// Requests is how many requests the life will have, when they are more than the world's own bounds are made for; 0 means few.
	Requests int
}

// Plant is a part of the protocol that is taken out.
type Plant struct {
	Ledger func(call.Ledger) call.Ledger
	Dialer func(call.Dialer) call.Dialer
	Token  func(call.TokenInput) (string, error)
	// Cells wraps the cells of every worker, and Config changes its configuration; the oracle knows the world's own setting.
	Cells  func(call.Cells) call.Cells
	Config func(*app.Config)
	// Hinted wraps the ledger as Ledger does, beside what is known of hints.
	Hinted func(*Hints, call.Ledger) call.Ledger
	// KindToken makes the token of a kind; nil means app.KindToken.
	KindToken func(kind call.Kind, token string) string
	// KindShift lets the profiles of chats and tasks become those of calls, in a deployment of another flow.
	KindShift bool
	// NoRecovery lets a restored ledger go on as if nothing had been forgotten.
	NoRecovery bool
	// API wraps the HTTP API of every worker.
	API func(http.Handler) http.Handler
	// Acknowledge says that a delivery is acknowledged, whatever the handler says.
	Acknowledge func(call.Outcome) bool
	// Died is done to the SQLite ledger that a killed process has left, before the next one opens it.
	Died func(path string)
}

// World is a telephone network, a ledger, the workers on it, and the sources that feed them. It is used inside a bubble of
// testing/synctest, by one goroutine.
type World struct {
	Setting Setting
	options Options
	dir     string
	ops     *source
	phone   telephone
	store   Shared // nil on SQLite
	workers []*worker
	busy    []*worker // those that an act runs in, outermost first

	subjects   []*subject
	requests   []*request
	messages   []*message
	net        *network
	configs    map[string]*app.Config // by what is deployed
	hints      *Hints
	fates      *fates
	ids        int
	turns      int
	interfered int      // acts in the middle of others
	said       []string // what sources and callers were told, when there is a secret
	recalls    []string // what operators were told

	lastDialed string            // row
	judged     map[string]judged // histories that the oracle has read

	moments  moments
	began    time.Time
	calm     bool // the faults have ended
	outage   time.Time
	beat     time.Time // of the newest sweep
	invoked  time.Time // when the newest delivery began
	diskFull time.Time

	mu       sync.Mutex
	armed    [][]*Strike // of the acts that are under way, innermost last
	onPhone  []*Strike   // phone faults that are armed
	counts   Counts
	faults   Counts
	findings []string
	fresh    []fresh         // contact ids of the act that is under way
	inSpool  map[string]bool // contact ids that wait in the spool; by row and contact
	spooled  map[string]bool // contact ids that the spool took, or had no room for; by row and contact
	owed     map[string]bool // those that a living process was told: they must be in the ledger in the end; by row and contact
	worst    time.Duration   // how far a clock was off at most
	ahead    time.Duration   // how far one was ahead at most
	behind   time.Duration   // and how far behind
	truth    truth
	names    map[string]string // row ids, by what people call them
	trace    *trace
}

// Counts is how often something was reached.
type Counts map[string]int

var errKinds = errors.New("the telephone of a light world knows calls only: kinds need a full world")

// New makes a world in which nothing has happened yet.
func New(s Setting, o Options) (*World, error) {
	time.Sleep(s.After.Begins)
	w := &World{
		Setting: s, options: o, dir: o.Dir, ops: newSource(o.Seed, 2), counts: Counts{}, faults: Counts{}, truth: newTruth(),
		names: map[string]string{}, judged: map[string]judged{}, inSpool: map[string]bool{}, spooled: map[string]bool{}, owed: map[string]bool{}, began: time.Now(), net: newNetwork(o.Seed, o.Sources), configs: map[string]*app.Config{}, trace: newTrace(o.Tell),
		store: o.Store,
	}
	w.hints, w.fates = newHints(w), newFates(o.Seed, s.After)
	switch s.World {
	case Full:
		emu, err := newEmulated(o.Seed, s.Network, s.Kinds, w.fates)
		if err != nil {
			return nil, fmt.Errorf("make the emulator: %w", err)
		}
		w.phone = emu
		if err := os.MkdirAll(w.path("ledger"), 0o700); err != nil {
			return nil, fmt.Errorf("make the ledger's directory: %w", err)
		}
	default:
		if s.Kinds {
			return nil, errKinds
		}
		w.phone = newInProcess(s.Network, w.fates)
		if w.store == nil {
			w.store = newLightStore()
		}
	}
	if s.Workers > 1 {
		w.mark("two workers")
	}
	if !s.Sweeper {
		w.mark("sweeper off")
	}
	if s.After.tracks() {
		w.mark("tracked")
	}
	for i := range max(s.Workers, 1) {
		k := &worker{name: string(rune('A' + i)), deployed: deployUsual, moments: &w.moments}
		w.workers = append(w.workers, k)
		if err := w.tryOpen(k, false); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Close ends every process and the network.
func (w *World) Close() {
	for _, k := range w.workers {
		k.shut()
		if k.app != nil {
			if err := k.app.Close(); err != nil {
				w.find("close: %v", err)
			}
		}
	}
	w.phone.close()
}

// Findings returns what the oracle has seen that must not be, oldest first.
func (w *World) Findings() []string { return w.findings }

// Counts returns what the world has reached, by name.
func (w *World) Counts() Counts { return w.counts }

// Faults returns how often each kind of fault has struck.
func (w *World) Faults() Counts { return w.faults }

func (w *World) mark(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[name]++
}

func (w *World) find(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, fmt.Sprintf(format, args...))
}

// worker returns a worker by its name; an act that names none means the first.
func (w *World) worker(name string) (*worker, error) {
	if name == "" {
		return w.workers[0], nil
	}
	for _, k := range w.workers {
		if k.name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("there is no worker %q", name)
}

// Do does one act. An error says that the act makes no sense, and not that anything went wrong.
func (w *World) Do(ctx context.Context, a Act) error {
	handle, known := verbs[a.Verb]
	if !known {
		return fmt.Errorf("there is no act %q", a.Verb)
	}
	strikes := make([]*Strike, len(a.Strikes))
	for i := range a.Strikes {
		a.Strikes[i].spent, a.Strikes[i].seen = false, 0
		strikes[i] = &a.Strikes[i]
	}
	if !isQuiet(a.Verb) {
		w.trace.add("act", a.Verb, "")
	}
	w.armed = append(w.armed, strikes)
	w.armPhone(strikes)
	w.lookAtClocks()
	err := handle(ctx, w, a)
	w.lookAtClocks()
	w.disarmPhone()
	if len(w.armed) == 1 {
		w.judgeFresh()
	}
	w.armed = w.armed[:len(w.armed)-1]
	if err != nil {
		return fmt.Errorf("%s: %w", a, err)
	}
	return nil
}

// isQuiet reports whether a verb only shows something.
func isQuiet(verb string) bool {
	return verb == "ledger" || verb == "rings" || verb == "queue" || verb == "history"
}

// interfere is another act in the middle of one.
func (w *World) interfere(a Act) {
	w.mark("meanwhile")
	w.interfered++
	if err := w.Do(context.Background(), a); err != nil {
		w.find("%v", err)
	}
}

// deadline returns the context that an act's strikes give the function.
func deadline(ctx context.Context, w *World, a Act) (context.Context, context.CancelFunc) {
	for _, s := range a.Strikes {
		if s.Do == "deadline" {
			limited, end := context.WithDeadline(ctx, w.moments.alone(time.Now().Add(s.For+1)))
			return limited, func() {
				if limited.Err() != nil {
					w.struck(&s, "")
				}
				end()
			}
		}
	}
	return ctx, func() {}
}

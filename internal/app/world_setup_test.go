package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	goodFlow  = "22222222-2222-4222-8222-222222222222"
	otherFlow = "22222222-2222-4222-8222-222222222223"
	lostFlow  = "22222222-2222-4222-8222-222222222224" // no flow of the instance: ResourceNotFoundException
	day       = 24 * time.Hour
)

// plan is what all seeds of a test have in common.
type plan struct {
	sqlite bool
	table  bool   // the DynamoDB driver, on a table in memory
	kinds  bool   // chats and tasks beside calls, of the same ids
	wakes  bool   // hints are given, and each seed has its own luck with them
	lot    string // that luck, for all seeds; empty means each its own
	defect defect
	log    io.Writer // of every worker, from level debug; nil means none

	metrics io.Writer // of every worker; nil means none
}

// lockedSource is a seeded source for several goroutines.
type lockedSource struct {
	mu    sync.Mutex
	inner *rand.ChaCha8
}

func newSource(seed, stream uint64) *lockedSource {
	var key [32]byte
	for i := range 8 {
		key[i], key[8+i] = byte(seed>>(8*i)), byte(stream>>(8*i))
	}
	return &lockedSource{inner: rand.NewChaCha8(key)}
}

// Uint64 implements rand.Source.
func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Uint64()
}

// Read implements io.Reader.
func (s *lockedSource) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Read(p)
}

// subject is one key of the world, and what is known of it.
type subject struct {
	name, recall string
	kind         call.Kind // empty is voice
	profile      string
	number       string // empty for none, which chats and tasks may leave out
	asks         []*ask
}

// world is a telephone network, a ledger, the workers on it, and the sources that feed them.
type world struct {
	plan
	seed uint64
	dir  string
	rng  *rand.Rand
	ops  *lockedSource
	emu  *connectemu.Server

	truthLog bytes.Buffer // of the emulator

	reading connectemu.Reading
	resend  string
	window  string
	token   app.Token
	profile app.Profile
	others  map[string]app.Profile // chat and task, in a world of kinds
	sweeper bool
	forgets bool // the recipient may ask to be forgotten
	serial  bool // one record at a time, so that a seed repeats itself

	hints    *hints // nil without
	store    shared // nil on SQLite
	workers  []*worker
	subjects []*subject
	pending  []*message
	dlq      []*message
	history  []*message
	ids      int

	mu           sync.Mutex
	coverage     coverage
	findings     []string
	calm         bool
	crashes      int
	interference int
	interfering  bool
	truth        truth
	faults       string
	answers      []string        // what sources and callers were told, when it is listened to
	story        string          // told when one seed is replayed
	ctx          context.Context //nolint:containedctx // of the bubble
}

func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

func (w *world) mark(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coverage[name]++
}

func (w *world) find(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, fmt.Sprintf(format, args...))
}

func pick[T any](w *world, of ...T) T { return of[w.rng.IntN(len(of))] }

func newWorld(p plan, seed uint64, dir string) *world {
	source := newSource(seed, 1)
	w := &world{
		plan: p, seed: seed, dir: dir, rng: rand.New(source), ops: newSource(seed, 2), coverage: coverage{},
		crashes: 3, interference: 4, truth: newTruth(),
	}
	if p.wakes {
		w.hints = newHints(seed, p.lot)
		w.coverage["hints: "+w.hints.lot]++
	}
	w.resend = pick(w, "token", "evidence", "never")
	w.reading = pick(w, connectemu.A1, connectemu.A1Prime)
	w.window = pick(w, "10m", "1h", "3d", "30d", "forever")
	w.token = pick(w, app.Token{}, app.Token{}, app.Token{}, app.Token{Recipe: "template", Template: "call-{notificationId}-{recipientId}"})
	w.sweeper = w.chance(0.75)
	w.forgets = seed%10 < 3
	w.serial = w.chance(0.85)
	w.profile = app.Profile{
		Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: "33333333-3333-4333-8333-333333333333",
		Window: w.window, Resend: w.resend, MaxAttempts: pick(w, 0, 0, 0, 4), Deadline: pick(w, "", "", "", "2h"), LongestCall: pick(w, "", "10m"),
		WindowReopen: pick(w, "dated", "dated", "any"),
	}
	w.newNetwork()
	w.addKinds()
	if err := os.MkdirAll(filepath.Join(dir, "ledger"), 0o700); err != nil {
		panic(err)
	}
	if !p.sqlite {
		w.store = w.newShared()
	}
	count := 1
	if !p.sqlite && w.chance(0.5) {
		count = 2
		w.coverage["two workers"]++
	}
	if !w.sweeper {
		w.coverage["sweeper off"]++
	}
	for range count {
		k := &worker{skew: pick(w, 0, 0, 0, 2*time.Second, -time.Minute, 4*time.Minute, -4*time.Minute)}
		w.workers = append(w.workers, k)
		w.open(k)
	}
	return w
}

// newNetwork makes the emulator with the seed's switches and faults.
func (w *world) newNetwork() {
	rules := connectemu.Plan{Seed: w.seed + 1}
	for range w.rng.IntN(6) {
		rule := connectemu.Rule{Fault: pick(w, plannedFaults()...), Times: 1 + w.rng.IntN(5), Probability: pick(w, 0.3, 0.6, 1)}
		switch rule.Fault { //nolint:exhaustive // the others take neither
		case connectemu.PlaceThenDelay, connectemu.Slow, connectemu.ArriveLate:
			rule.Delay = pick(w, 5*time.Second, 20*time.Second, 90*time.Second, 6*time.Minute)
		case connectemu.Refuse:
			rule.Code = pick(w, "", "", "AccessDeniedException", "ResourceNotFoundException", "DestinationNotAllowedException")
		case connectemu.Throttle:
			rule.Code = pick(w, "", "LimitExceededException")
		}
		if w.chance(0.1) {
			rule.Operation = pick(w, connectemu.OpSearch, connectemu.OpDescribe, connectemu.OpStop)
		}
		rules.Rules = append(rules.Rules, rule)
	}
	emu, err := connectemu.New(connectemu.Config{
		Seed: w.seed, Reading: w.reading, Faults: rules, Flows: []string{goodFlow, otherFlow}, TruthLog: &w.truthLog,
		TokenOnRefusal:       pick(w, connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent),
		TokenOnThrottle:      pick(w, connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent),
		TokenSameOtherParams: pick(w, connectemu.ReturnExisting, connectemu.RefuseMismatch),
		SignatureWindow:      pick(w, 5*time.Minute, 15*time.Minute, 15*time.Minute), MaxConcurrentCalls: pick(w, 10, 10, 1),
		SearchSeesOnlyCompleted: w.chance(0.5), SearchDelay: pick(w, 0, time.Minute, 10*time.Minute),
	})
	if err != nil {
		panic(err)
	}
	w.emu, w.faults = emu, rules.String()
}

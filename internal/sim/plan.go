package sim

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// Plan is what the lives of a run have in common.
type Plan struct {
	World   string   // Full or Light
	Days    int      // about how long a life lasts
	Resend  string   // a policy for all lives; empty means each its own
	Reading string   // A1 or A1' for all lives; empty means each its own
	Faults  []string // kinds that may happen; nil means all
	Plant   Plant    `json:"-"` // a defect
	Plain   bool     // nothing comes after a ring
	Kinds   bool     // chats and tasks beside calls, in a full world
	// Wide lets processes die at every effect, also in recoveries and at contact events, and lets clocks drift or be off by up to a year. A seed with it is
	// another life.
	Wide   bool   `json:",omitempty"`
	Hints  string // what becomes of the hints of all lives, or HintsEach; empty means that none are given
	Secret string // an attribute of every request, for the canary
	// Requests is how many logical requests each life has, of 4 keys for 5 requests, published a quarter of them at a time, so that many wait when
	// something goes wrong; 0 means 3 to 9, from the seed, one at a time. A seed with it is another life.
	Requests int `json:",omitempty"`

	Store   func(seed uint64) (Shared, error) `json:"-"` // makes the ledger of a life; nil means that of the world's kind
	Log     *slog.Logger                      `json:"-"` // of every worker; nil means none
	Metrics io.Writer                         `json:"-"` // of every worker; nil means none
	Watch   func(*World)                      `json:"-"` // looks at a world at the end of its life; may be nil
}

// Life is what became of one seed.
type Life struct {
	Seed       uint64
	Setting    Setting
	Acts       []Act
	Findings   []string
	Counts     Counts
	Faults     Counts
	Trace      string
	Story      string
	Virtual    time.Duration
	Deliveries int
	Rings      int
	Doubts     int
	Lifetimes  int // logical requests, from the first publish to the last redelivery
	Struck     int // those that at least three faults met
}

// Setting draws the setting of a seed.
func (p Plan) Setting(seed uint64) Setting {
	g := &generator{rng: random(seed, 1)}
	s := p.setting(g)
	p.after(seed, &s)
	return s
}

func (p Plan) setting(g *generator) Setting {
	effects := []connectemu.TokenEffect{connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent}
	s := DefaultSetting()
	s = Setting{
		After: s.After, World: p.World, Resend: pick(g, "token", "evidence", "never"), Window: pick(g, "10m", "1h", "3d", "30d", "forever"),
		Reopen: pick(g, "dated", "dated", "any"), Attempts: pick(g, 0, 0, 0, 4), Deadline: pick(g, "", "", "", "2h"), Longest: pick(g, "", "10m"),
		Template: g.chance(0.25), Workers: 1, Sweeper: g.chance(0.75), Serial: g.chance(0.85), Remember: g.chance(0.5), Create: g.chance(0.33),
	}
	s.Network = NetworkSwitch{
		Reading: pick(g, connectemu.A1, connectemu.A1Prime), OnRefusal: pick(g, effects...), OnThrottle: pick(g, effects...),
		Mismatch: pick(g, connectemu.ReturnExisting, connectemu.RefuseMismatch), Signature: pick(g, 5*time.Minute, 15*time.Minute, 15*time.Minute),
		Concurrent: pick(g, 10, 10, 1), Completed: g.chance(0.5), Unseen: pick(g, 0, time.Minute, 10*time.Minute),
	}
	if workers := 1 + g.rng.IntN(2); p.World == Light || p.Store != nil {
		s.Workers = workers
	}
	if s.Hints = cmp.Or(p.Hints, HintsNone); s.Hints == HintsEach {
		s.Hints = pick(g, Lots()...)
	}
	if p.Kinds {
		g.kinds(&s)
	}
	if p.Resend != "" {
		s.Resend = p.Resend
	}
	if reading, err := connectemu.ParseReading(p.Reading); err == nil && p.Reading != "" {
		s.Network.Reading = reading
	}
	return s
}

// luck draws the weights of the faults: one in five of the kinds that may happen is off, so that rare ones are common in some life.
func (p Plan) luck(g *generator) map[string]float64 {
	luck := map[string]float64{}
	for _, kind := range FaultKinds() {
		weight := pick(g, 0, 0.4, 0.8, 1, 1)
		if p.Faults == nil || slices.Contains(p.Faults, kind) {
			luck[kind] = weight * rarity(kind)
		}
	}
	return luck
}

// rarity makes up for how often a kind finds something to strike: a telephone fault needs a dial, and whatever cuts the function off always finds one.
func rarity(kind string) float64 {
	switch kind {
	case FaultLost:
		return 4
	case FaultLate, FaultThrottle, FaultRefusal:
		return 2
	case FaultCrash, FaultLedger:
		return 1.5
	case FaultTimeout:
		return 0.3
	case FaultDeploy:
		return 0.5
	}
	return 1
}

// Live lives one seed: a stretch in which everything goes wrong, then a calm in which everything must come to its end, and much later every
// message once more. It is called inside a bubble of testing/synctest.
func (p Plan) Live(ctx context.Context, seed uint64, dir string, tell bool) (Life, error) {
	g := &generator{rng: random(seed, 1), lists: map[string]string{}}
	setting := p.setting(g)
	p.after(seed, &setting)
	g.luck = p.luck(g)
	sources := transport.Options{}
	if g.luck[FaultSource] > 0 {
		sources.Profile = transport.Swarm(g.rng)
		sources.Profile.Timeout *= 0.3 // too little time for anything is a fault that hides the others
	}
	options := Options{Seed: seed, Dir: dir, Plant: p.Plant, Tell: tell, Secret: p.Secret, Sources: sources, Log: p.Log, Metrics: p.Metrics, Requests: p.Requests}
	w, err := p.world(setting, options)
	if err != nil {
		return Life{}, err
	}
	g.w, g.span, g.density, g.forgets = w, time.Duration(max(p.Days, 1))*day, pick(g, 2.0, 4, 8), seed%10 < 3
	if g.wide = p.Wide; g.wide {
		g.clocks = pick(g, clocksUsual, clocksUsual, clocksUsual, clocksUsual, clocksUsual, clocksDrift, clocksWild)
	}
	keys := 3 + g.rng.IntN(4)
	g.left, g.burst = keys+g.rng.IntN(keys/2+1), 1
	if p.Requests > 0 {
		keys, g.left = (4*p.Requests+4)/5, p.Requests
		g.burst = max(1, p.Requests/4)
	}
	g.subjects(keys)
	g.live(ctx)
	g.end(ctx)
	if p.Watch != nil {
		p.Watch(w)
	}
	w.Close()
	return g.life(seed), nil
}

// world makes the world of a life, with its ledger if the plan has one.
func (p Plan) world(s Setting, o Options) (*World, error) {
	if p.Store != nil {
		store, err := p.Store(o.Seed)
		if err != nil {
			return nil, fmt.Errorf("make the ledger: %w", err)
		}
		o.Store = store
	}
	return New(s, o)
}

// end is the calm after the faults.
func (g *generator) end(ctx context.Context) {
	a := do("calm")
	if g.chance(0.25) {
		a.Values = append(a.Values, Value{"deploy", deployFlow})
	}
	if g.chance(0.7) {
		a.Values = append(a.Values, Value{"scan", "yes"})
	}
	g.do(ctx, a)
	a = do("settle")
	if g.chance(0.5) {
		a.Values = append(a.Values, Value{"close", "yes"})
	}
	if g.forgets && g.chance(0.7) {
		a.Values = append(a.Values, Value{"forget", "yes"})
	}
	g.do(ctx, a)
	g.do(ctx, do("judge"))
	if g.w.Setting.World == Light && g.chance(0.5) { // what comes so late is mostly suppressed, and costs as much as all before
		return
	}
	g.tick(ctx, pick(g, time.Hour, 8*day, 60*day, 400*day))
	g.do(ctx, do("late"))
	g.do(ctx, do("judge"))
}

// life sums up.
func (g *generator) life(seed uint64) Life {
	w := g.w
	l := Life{
		Seed: seed, Setting: w.Setting, Acts: g.acts, Findings: w.findings, Counts: w.counts, Faults: w.faults, Trace: w.Trace(), Story: w.Story(),
		Virtual: time.Since(w.began), Deliveries: w.net.Counts().Deliveries, Rings: len(w.phone.rings()),
	}
	for _, c := range w.rows() {
		if c.State == call.InDoubt {
			l.Doubts++
		}
	}
	for _, r := range w.requests {
		if r.cancel {
			continue
		}
		l.Lifetimes++
		if r.subject.struck-r.struck >= 3 {
			l.Struck++
		}
	}
	return l
}

// Cornered reports whether the life was lived under A1' with resend: token, where a lost answer may ring twice.
func (l Life) Cornered() bool {
	return l.Setting.Network.Reading == connectemu.A1Prime && l.Setting.Resend == "token"
}

func (l Life) traceBits() uint64 {
	bits, err := strconv.ParseUint(l.Trace[:16], 16, 64)
	if err != nil {
		panic(err) // a trace is a hash in hexadecimal
	}
	return bits
}

package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// clockChange is a zone with an instant at which its clock changes, in days after 2000-01-01.
type clockChange struct {
	zone string
	day  float64
}

// clockChanges are those that a life may come to: both directions, whole hours and a half, at midnight and later.
var clockChanges = []clockChange{
	{"Europe/London", 85.04},
	{"Europe/London", 302.04},
	{"America/New_York", 92.29},
	{"America/New_York", 302.25},
	{"America/Sao_Paulo", 57.08},
	{"America/Sao_Paulo", 281.13},
	{"Australia/Lord_Howe", 84.62},
	{"Australia/Lord_Howe", 238.65},
	{"Pacific/Auckland", 77.58},
}

// after draws what comes after rings and what keeps them. It has a source of its own, so that everything else of a seed is as it was.
func (p Plan) after(seed uint64, s *Setting) {
	g := &generator{rng: random(seed, 4)}
	if s.Kinds || p.Plain || !g.chance(0.4) {
		return
	}
	a := &s.After
	a.Outcome, a.Fates, a.Country = "track", pick(g, FatesMixed, FatesMixed, FatesByNumber), pick(g, "81", "447700", "1202")
	a.Recalls, a.Dialing = pick(g, 0, 1, 2, 3), pick(g, "pinned", "current")
	a.Urgent = g.chance(0.5)
	if g.chance(0.4) {
		a.Hours = pick(g, "09:00-20:00", "02:30-21:00", "mon-fri_01:30-23:00", "00:00-18:00")
		change := pick(g, clockChanges...)
		a.Begins = max(0, time.Duration((change.day-40*g.rng.Float64())*float64(day))).Truncate(time.Minute)
	}
	if !s.Serial { // records side by side that ask one cell at one instant get its word in any order, which is not the seed's
		return
	}
	if g.chance(0.3) {
		a.Cap = pick(g, "1_per_1h", "2_per_3h", "2_per_1d")
	}
	if g.chance(0.3) {
		a.Slots, a.Lease = pick(g, 1, 1, 2), pick(g, "", "1m", "5m")
	}
	if g.chance(0.2) {
		a.Speed = pick(g, "1_per_1h", "2_per_1h", "3_per_6h")
	}
}

// listOf is whom the requests of a key name beside its recipient: always the same, since another list is another request.
func (g *generator) listOf(s *subject) string {
	if !g.w.Setting.After.tracks() || strings.ContainsAny(s.name, "@/") {
		return ""
	}
	if list, drawn := g.lists[s.name]; drawn {
		return list
	}
	g.lists[s.name] = pick(g, "", "", "bob", "bob,eve", "bob,eve,kim")
	return g.lists[s.name]
}

// wishes completes a request with what it says beside its number.
func (g *generator) wishes(a *Act, s *subject) {
	after := g.w.Setting.After
	if !after.tracks() || !s.kind().NeedsNumber() {
		return
	}
	if list := g.listOf(s); list != "" {
		a.Values = append(a.Values, Value{"then", list})
	}
	if after.Cap != "" && len(s.asked) == 0 && a.value("number") == "" && g.chance(0.5) { // of somebody else
		a.Values = append(a.Values, Value{"number", fmt.Sprint(10*g.rng.IntN(len(g.w.subjects)) + 1)})
	}
	if after.Hours != "" && g.chance(0.5) {
		a.Values = append(a.Values, Value{"zone", pick(g, clockChanges...).zone})
	}
	if g.chance(0.15) {
		a.Values = append(a.Values, Value{"urgent", "yes"})
	}
}

// afterRing does something of what comes after rings; false when there was nothing to do.
func (g *generator) afterRing(ctx context.Context, k *worker) bool {
	if !g.w.Setting.After.tracks() {
		return false
	}
	if g.flow(ctx, k) {
		return true
	}
	if !g.chance(0.3) {
		return false
	}
	switch n := g.rng.IntN(100); {
	case n < 45:
		g.event(ctx, k)
	case n < 55:
		g.acknowledge(ctx)
	case n < 75:
		g.goOn(ctx, k)
	default:
		g.operate(ctx, k)
	}
	return true
}

// goOn lets a call that has ended be followed, which sweeps do some minutes later, with something that goes wrong on the way.
func (g *generator) goOn(ctx context.Context, k *worker) {
	for range 2 { // one to see its end, and one to follow it
		due := g.w.nextDue()
		if !g.w.Setting.Sweeper || due.IsZero() || time.Until(due) > day {
			return
		}
		if wait := time.Until(due); wait > 0 {
			g.tick(ctx, wait+time.Millisecond)
		}
		a := do("sweep", k.name)
		if g.on(FaultCrash) {
			a.Strikes = []Strike{{Do: "crash", Point: pick(g, "before ", "after ") + pick(g, g.following()...)}}
		}
		g.do(ctx, g.spoil(a))
	}
}

// following names the writes that the next sweep may make of what comes after rings.
func (g *generator) following() []string {
	names := []string{"seen"}
	for _, c := range g.w.rows() {
		switch {
		case c.DueReason == "follow" && len(c.Escalation) > 0:
			return []string{"escalated", "turn-confirmed"}
		case c.DueReason == "follow":
			names = []string{"followed", "ring-opened"}
		}
	}
	return names
}

// flow lets the flow of a contact that lasts report, perhaps.
func (g *generator) flow(ctx context.Context, k *worker) bool {
	rings := g.w.phone.rings()
	n := len(rings)
	if n == 0 || !g.w.phone.lasting(rings[n-1].contact) || !g.chance(0.4) {
		return false
	}
	if wait := time.Until(rings[n-1].at.Add(8 * time.Second)); wait > 0 {
		g.tick(ctx, wait)
	}
	if g.forgets && g.chance(0.05) {
		g.do(ctx, do("judge"))
		g.do(ctx, do("forget", k.name))
	}
	if g.chance(0.1) { // somebody else acknowledges at the same time
		g.withdrawNow(ctx, rings[n-1], k, "acknowledge")
	} else if g.wide && g.chance(0.06) {
		g.withdrawNow(ctx, rings[n-1], k, "cancel")
	}
	a := do("check-in", fmt.Sprint(n), k.name)
	if key := pick(g, "", "", "", "1", "1", "5", "9"); key != "" {
		a.Values = append(a.Values, Value{"key", key})
	}
	if g.chance(0.3) {
		a.Values = append(a.Values, Value{"times", "2"})
	}
	g.do(ctx, g.spoil(a))
	return true
}

// event lets Amazon Connect tell something of a contact: mostly of the newest, in any order and number, or never.
func (g *generator) event(ctx context.Context, k *worker) {
	n := len(g.w.phone.rings())
	if n == 0 {
		return
	}
	if g.chance(0.4) {
		n = 1 + g.rng.IntN(n)
	}
	g.do(ctx, g.spoil(do("contact-event", fmt.Sprint(n), k.name, "tells="+pick(g, tellsInitiated, tellsConnected, tellsEnded, tellsEnded))))
}

func (g *generator) acknowledge(ctx context.Context) {
	s := pick(g, g.w.subjects...)
	a := do("acknowledge", fmt.Sprintf("m%d", len(g.w.messages)+1), fmt.Sprintf("r%d", len(g.w.requests)+1), "key="+s.name)
	if g.chance(0.8) {
		a.Values = append(a.Values, Value{"at", pick(g, "now", "now", "-1m", "3m")})
	}
	g.do(ctx, a)
}

func (g *generator) withdrawNow(ctx context.Context, r ring, k *worker, verb string) {
	name, _, _ := strings.Cut(g.w.nameOf(r.callID), "#")
	if name == "" {
		return
	}
	message := fmt.Sprintf("m%d", len(g.w.messages)+1)
	g.do(ctx, do(verb, message, fmt.Sprintf("r%d", len(g.w.requests)+1), "key="+name, "at=now"))
	g.do(ctx, do("deliver", message, "to="+k.name))
}

// operate is a person at the desk.
func (g *generator) operate(ctx context.Context, k *worker) {
	if !g.on(FaultOperator) {
		return
	}
	s := pick(g, g.w.subjects...)
	target := pick(g, "all", "alert", s.number)
	var a Act
	switch g.rng.IntN(6) {
	case 0:
		if rows := g.w.rows(); len(rows) > 0 && g.chance(0.5) {
			target = cmp.Or(pick(g, rows...).Producer, target) // the queue or rule that a call came by
		}
		a = do("pause", target, k.name)
	case 1, 2:
		a = do("resume", target, k.name)
		if paused := g.w.truth.life.paused; len(paused) > 0 {
			a = do("resume", cmp.Or(paused[len(paused)-1].target.Name, "all"), k.name)
		}
	case 3:
		a = do("release", s.name, k.name)
	default:
		if s.number == "" {
			return
		}
		a = do("dnc", pick(g, "add", "rm", "rm"), s.name, k.name)
	}
	g.do(ctx, g.spoil(a))
}

// afterNames are the writes that what comes after rings makes, by the verb of an act.
func (g *generator) afterNames(verb string) []string {
	if !g.w.Setting.After.tracks() {
		return nil
	}
	switch verb {
	case "check-in":
		return []string{"contact", "seen", "seen", "cancel-requested"}
	case "contact-event":
		return []string{"contact", "seen"}
	case "release":
		return []string{"released", "intent", "result"}
	case "pause", "resume", "dnc":
		return []string{"cell"}
	case "sweep", "wake", "dial":
		if g.chance(0.5) {
			return []string{
				"seen", "followed", "ring-opened", "accepted", "ring-confirmed", "escalated", "escalated", "turn-confirmed", "turn-confirmed", "joined", "cell",
			}
		}
	}
	if slices.Contains([]string{"deliver", "redeliver", "recall"}, verb) && g.chance(0.15) {
		return []string{"cell"}
	}
	return nil
}

package sim

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// generator makes a random life, act by act, and writes down what it did.
type generator struct {
	w       *World
	rng     *rand.Rand
	luck    map[string]float64 // weight of each kind of fault; a kind that is off has none
	density float64            // strikes an act, on average
	span    time.Duration      // about how long the life lasts
	burst   int                // messages that are published together
	left    int                // logical requests that are still to be made
	forgets bool
	wide    bool
	clocks  int
	lists   map[string]string // by key: the escalation list of its requests
	acts    []Act
}

func (g *generator) chance(p float64) bool { return g.rng.Float64() < p }

func pick[T any](g *generator, of ...T) T { return of[g.rng.IntN(len(of))] }

// on reports whether a kind of fault is to happen now.
func (g *generator) on(kind string) bool { return g.luck[kind] > 0 && g.chance(min(1, g.luck[kind])) }

// draw returns one of the kinds, by their weights; empty when all of them are off.
func (g *generator) draw(kinds ...string) string {
	total := 0.0
	for _, kind := range kinds {
		total += g.luck[kind]
	}
	at := g.rng.Float64() * total
	for _, kind := range kinds {
		if at -= g.luck[kind]; at < 0 {
			return kind
		}
	}
	return ""
}

// do does an act and writes it down.
func (g *generator) do(ctx context.Context, a Act) {
	g.acts = append(g.acts, a)
	if err := g.w.Do(ctx, a); err != nil {
		g.w.find("%v", err)
	}
}

// live makes the part of the life in which things go wrong.
func (g *generator) live(ctx context.Context) {
	for g.left > 0 {
		g.step(ctx)
	}
	for range 12 {
		g.step(ctx)
	}
	g.do(ctx, do("judge")) // with faults on, nothing unsafe
}

// step does one random thing.
func (g *generator) step(ctx context.Context) {
	k := pick(g, g.w.workers...)
	g.wake(ctx)
	g.dials(ctx, 0.3)
	if g.chance(0.01) {
		g.do(ctx, do("judge", "mirror"))
	}
	if g.afterRing(ctx, k) {
		return
	}
	switch n := g.rng.IntN(100); {
	case n < 16:
		for range g.burst {
			g.publish(ctx)
		}
	case n < 40:
		g.source(ctx)
	case n < 44:
		g.cancel(ctx)
	case n < 57:
		g.pass(ctx)
	case n < 64:
		if g.w.Setting.Sweeper {
			g.do(ctx, g.spoil(do("sweep", k.name)))
		}
	case n < 67:
		g.recall(ctx, k)
	case n < 70:
		if n := len(g.w.phone.rings()); n > 0 {
			a := do("contact-event", fmt.Sprint(1+g.rng.IntN(n)), k.name)
			if g.wide {
				a = g.spoil(a)
			}
			g.do(ctx, a)
		}
	case n < 74:
		g.sourceFault(ctx)
	default:
		g.trouble(ctx, k)
	}
}

// trouble is what befalls whole processes and services.
func (g *generator) trouble(ctx context.Context, k *worker) {
	switch kind := g.draw(FaultSkew, FaultDeploy, FaultOutage, FaultDisk, FaultPhone, FaultRestore, FaultCrash, FaultOperator); {
	case kind == "":
	case kind == FaultSkew:
		g.skew(ctx, k)
	case kind == FaultDeploy:
		g.do(ctx, do("deploy", k.name, pick(g, deployments()...)))
	case kind == FaultOutage:
		g.do(ctx, do("down", "ledger", g.outage().String()))
	case kind == FaultDisk:
		g.do(ctx, do("down", "disk", g.outage().String()))
	case kind == FaultPhone:
		g.do(ctx, do("down", "phone", g.outage().String()))
	case kind == FaultCrash:
		g.do(ctx, do("restart", k.name))
	case kind == FaultOperator:
		if g.forgets {
			g.do(ctx, do("judge")) // what is forgotten cannot be asked any more
			g.do(ctx, g.spoil(do("forget", k.name)))
		}
	case g.w.truth.backup == nil && g.w.Setting.Serial:
		g.do(ctx, do("backup"))
	case g.w.truth.backup != nil && !g.w.truth.restored:
		a := do("restore", "later="+g.between(time.Second, 9*day).String())
		if g.chance(0.3) {
			a.Values = append(a.Values, Value{"taint", "part"})
		}
		if g.wide && g.on(FaultCrash) {
			a.Strikes = []Strike{{Do: "crash", Point: pick(g, "before tainted", "after tainted"), Nth: pick(g, 1, 1, 2)}}
		}
		g.do(ctx, do("judge")) // nor what a restore forgets
		g.do(ctx, a)
	}
}

// skew sets a clock: by what a synchronized one may be off, or more than Amazon Connect takes, or in some lives by hours, days or a year; in others
// it drifts, by 500 millionths or less.
func (g *generator) skew(ctx context.Context, k *worker) {
	offs := []time.Duration{0, 3 * time.Second, -3 * time.Second, 4 * time.Minute, -4 * time.Minute, 7 * time.Minute}
	if g.clocks == clocksWild {
		offs = append(offs, 3*time.Hour, -3*time.Hour, 2*day, -2*day, 365*day, -365*day)
	}
	a := do("skew", k.name, pick(g, offs...).String())
	if g.clocks == clocksDrift {
		a.Values = []Value{{"drift", pick(g, "500", "-500", "100", "-100")}}
	}
	g.do(ctx, a)
}

// What the clocks of a life do beside steps of minutes.
const (
	clocksUsual = iota
	clocksDrift
	clocksWild
)

// outage draws how long something is away: mostly for some seconds, now and then for hours.
func (g *generator) outage() time.Duration {
	return g.between(time.Second, pick(g, time.Minute, time.Minute, time.Minute, 3*time.Hour))
}

// publish makes a message: a new logical request, or one that was asked for before. It may be delivered at once.
func (g *generator) publish(ctx context.Context) {
	if g.left <= 0 {
		return
	}
	s := g.w.subjects[g.rng.IntN(len(g.w.subjects))]
	name, form := fmt.Sprintf("m%d", len(g.w.messages)+1), g.form()
	a := do("publish", name)
	if len(s.asked) > 0 && g.chance(0.4) {
		a.Words = append(a.Words, pick(g, s.asked...).name)
		a.Values = []Value{{"form", string(form)}}
		g.client(&a)
		g.do(ctx, a)
		return
	}
	g.left--
	a.Words = append(a.Words, fmt.Sprintf("r%d", len(g.w.requests)+1))
	a.Values = []Value{{"key", s.name}, {"form", string(form)}}
	if len(s.asked) > 0 && g.chance(0.2) {
		a.Values = append(a.Values, Value{"number", fmt.Sprint(500 + g.rng.IntN(90))})
	} else if len(s.asked) == 0 && !s.kind().NeedsNumber() {
		g.twinNumber(&a)
	} else if len(s.asked) == 0 && g.chance(0.07) {
		a.Values = append(a.Values, Value{"number", fmt.Sprint(98 + 100*g.rng.IntN(9))}) // one that may not be rung
	}
	if g.chance(0.6) {
		a.Values = append(a.Values, Value{"at", pick(g, "now", "now", "now", "-1h", "4m")})
	}
	if g.chance(0.12) {
		a.Values = append(a.Values, Value{"until", (time.Duration(g.rng.IntN(7200)-60) * time.Second).String()})
	}
	if g.chance(0.2) && s.kind().NeedsNumber() {
		a.Values = append(a.Values, Value{"profile", "alert"})
	}
	g.wishes(&a, s)
	g.client(&a)
	g.do(ctx, a)
	g.beside(ctx, a)
}

func (g *generator) cancel(ctx context.Context) {
	s := g.w.subjects[g.rng.IntN(len(g.w.subjects))]
	a := do("cancel", fmt.Sprintf("m%d", len(g.w.messages)+1), fmt.Sprintf("r%d", len(g.w.requests)+1), "key="+s.name)
	a.Values = append(a.Values, Value{"form", string(g.form())})
	g.client(&a)
	if g.chance(0.8) {
		a.Values = append(a.Values, Value{"at", pick(g, "now", "now", "-1m", "-30h", "3m")})
	}
	g.do(ctx, a)
}

// source lets the next delivery of the sources happen, or a chosen one that they would make some time.
func (g *generator) source(ctx context.Context) {
	if len(g.w.net.owed) > 0 && g.chance(0.5) {
		g.do(ctx, g.spoil(do("redeliver", pick(g, g.w.net.owed...), "to="+pick(g, g.w.workers...).name)))
		g.dials(ctx, 0.7)
		return
	}
	at, more := g.w.net.Next()
	if !more {
		return
	}
	if wait := time.Until(at); wait > time.Hour && g.chance(0.7) {
		return
	} else if wait > 0 {
		g.tick(ctx, wait)
	}
	g.deliver(ctx)
}

// beats lets the sweeper have swept within the last minute, as a schedule does.
func (g *generator) beats(ctx context.Context) {
	if g.w.Setting.Sweeper && time.Since(g.w.beat) > time.Minute && g.chance(0.8) {
		g.do(ctx, g.spoil(do("sweep", pick(g, g.w.workers...).name)))
	}
}

// deliver starts one invocation that is due.
func (g *generator) deliver(ctx context.Context) {
	g.beats(ctx)
	d, more := g.w.net.Take(time.Now().UTC())
	if !more {
		return
	}
	k := pick(g, g.w.workers...)
	a := Act{Verb: "deliver", Values: []Value{{"to", k.name}}}
	for _, r := range d.Records {
		a.Words = append(a.Words, r.MessageID)
	}
	a = g.spoil(a)
	g.w.net.taken = &d
	g.do(ctx, a)
	g.dials(ctx, 0.7)
}

// sourceFault is what sources do that nobody asked them for.
func (g *generator) sourceFault(ctx context.Context) {
	if !g.on(FaultSource) || len(g.w.messages) == 0 {
		return
	}
	m := pick(g, g.w.messages...)
	switch g.rng.IntN(3) {
	case 0:
		g.do(ctx, do("redrive"))
	case 1:
		if replayable(m.form) {
			g.do(ctx, do("replay", m.name))
		}
	default:
		g.w.fault(FaultSource, m.request.subject.row())
		g.do(ctx, g.spoil(do("redeliver", m.name, "to="+pick(g, g.w.workers...).name)))
		g.dials(ctx, 0.7)
	}
}

// between draws a time between two, each order of magnitude as likely as the next, to the nanosecond: no two waits of a life end together.
func (g *generator) between(least, most time.Duration) time.Duration {
	factor := math.Pow(float64(most)/float64(least), g.rng.Float64())
	return time.Duration(float64(least) * factor)
}

func (g *generator) tick(ctx context.Context, d time.Duration) { g.do(ctx, do("tick", d.String())) }

// pass lets a stretch of time pass, in which the sources deliver and a sweeper that runs takes each row when it is due.
func (g *generator) pass(ctx context.Context) {
	target := time.Now().Add(g.between(time.Second, max(g.span/6, time.Minute)))
	g.passHints(ctx, target)
	for range 30 {
		next, more := g.w.net.Next()
		due := g.w.nextDue()
		sweeps := g.w.Setting.Sweeper && !due.IsZero() && (!more || due.Before(next))
		if sweeps {
			next = due
		}
		if (!more && !sweeps) || next.After(target) {
			break
		}
		if wait := time.Until(next); wait > 0 {
			g.tick(ctx, wait)
		}
		if !sweeps {
			g.deliver(ctx)
			continue
		}
		g.tick(ctx, g.between(time.Millisecond, 50*time.Second))
		g.do(ctx, g.spoil(do("sweep", pick(g, g.w.workers...).name)))
	}
	if wait := time.Until(target); wait > 0 {
		g.tick(ctx, wait)
	}
}

// recall is an operator, perhaps with a nervous finger or an old page.
func (g *generator) recall(ctx context.Context, k *worker) {
	if !g.on(FaultOperator) {
		return
	}
	s := g.w.subjects[g.rng.IntN(len(g.w.subjects))]
	a := do("recall", s.name, k.name)
	if first, known := g.w.row(s.row()); known && g.chance(0.3) {
		a.Values = append(a.Values, Value{"ring", fmt.Sprint(g.rng.IntN(first.LastRing + 1))})
	}
	if g.chance(0.4) {
		a.Values = append(a.Values, Value{"clicks", "2"})
	}
	g.do(ctx, g.spoil(a))
}

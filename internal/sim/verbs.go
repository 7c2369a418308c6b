package sim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// verbs are the acts, by their names. docs/simulation.md lists them for people.
var verbs map[string]func(context.Context, *World, Act) error

func init() {
	verbs = map[string]func(context.Context, *World, Act) error{
		"publish": publish, "cancel": publish, "acknowledge": publish, "deliver": deliver, "redeliver": deliver, "redrive": redrive, "replay": replay,
		"tick": tick, "run": run, "sweep": sweep, "dial": dialAccepted, "wake": wake, "restart": restart, "skew": skew, "deploy": deploy, "down": down,
		"recall": recall, "forget": forget, "contact-event": contactEvent, "check-in": checkIn, "fate": fate,
		"pause": pauseCalls, "resume": resumeCalls, "release": release, "dnc": doNotCall, "backup": backUp, "restore": restore,
		"calm": calm, "settle": settle, "late": late, "judge": judge,
	}
}

var errWords = errors.New("the act lacks a word")

// word returns the nth word of an act.
func (a Act) word(n int) (string, error) {
	if n >= len(a.Words) {
		return "", errWords
	}
	return a.Words[n], nil
}

// tick lets time pass.
func tick(_ context.Context, _ *World, a Act) error {
	text, err := a.word(0)
	if err != nil {
		return err
	}
	d, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("how long: %w", err)
	}
	time.Sleep(d)
	return nil
}

// by returns the worker that an act names as its nth word, or with to=.
func (w *World) by(a Act, n int) (*worker, error) {
	name := a.value("to")
	if name == "" && n < len(a.Words) {
		name = a.Words[n]
	}
	return w.worker(name)
}

func sweep(ctx context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err != nil {
		return err
	}
	ctx, end := deadline(ctx, w, a)
	defer end()
	w.survive(k, func() {
		swept, err := k.app.Engine.Sweep(ctx, 50)
		if err != nil && !k.dead.Load() && w.ledgerDown(true) == nil && ctx.Err() == nil {
			w.find("sweep: %v", err)
		}
		w.trace.add(k.name, "swept "+strconv.Itoa(swept.Due)+" "+strconv.Itoa(swept.Moved), "")
	})
	return nil
}

// restart kills a process between two acts and starts the next one.
func restart(_ context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err == nil && !k.dead.Load() {
		w.kill(k)
		w.open(k)
	}
	return err
}

// skew sets how far a worker's clock is off.
func skew(_ context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err != nil {
		return err
	}
	text, err := a.word(1)
	if err != nil {
		return err
	}
	d, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("how far: %w", err)
	}
	drift := 0.0
	if v := a.value("drift"); v != "" {
		ppm, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return fmt.Errorf("drift, in millionths: %w", err)
		}
		drift = ppm / 1e6
	}
	if d == k.off() && drift == 0 {
		return nil
	}
	w.lookAtClocks()
	k.step(d, drift)
	w.lookAtClocks()
	w.fault(FaultSkew, "")
	return nil
}

// lookAtClocks notes how far a clock is off at most. One that drifts is looked at around each act.
func (w *World) lookAtClocks() {
	for _, k := range w.workers {
		off := k.off()
		w.worst, w.ahead, w.behind = max(w.worst, off.Abs()), max(w.ahead, off), max(w.behind, -off)
	}
}

// deploy starts a worker again with another configuration.
func deploy(_ context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err != nil {
		return err
	}
	deployed, err := a.word(1)
	if err != nil {
		return err
	}
	if deployed != k.deployed {
		w.fault(FaultDeploy, "")
	}
	k.deployed = deployed
	w.mark("deployed " + deployed)
	if !k.dead.Load() {
		w.restart(k)
	}
	return nil
}

// down takes a part of the world away for a while: the ledger, the disk under it (which is full), the telephone network.
func down(_ context.Context, w *World, a Act) error {
	what, err := a.word(0)
	if err != nil {
		return err
	}
	text, err := a.word(1)
	if err != nil {
		return err
	}
	d, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("how long: %w", err)
	}
	until := time.Now().Add(d)
	switch what {
	case "ledger":
		w.outage = until
		w.fault("outage", "")
	case "disk":
		w.diskFull = until
		w.fault("disk", "")
	case "phone":
		w.phone.down(until)
		w.fault("phone", "")
	default:
		return fmt.Errorf("what is down is ledger, disk or phone, not %q", what)
	}
	return nil
}

// recall is an operator who wants a ring again, of the newest ring of a key or of the one named; "clicks=2" is a nervous finger.
func recall(ctx context.Context, w *World, a Act) error {
	name, err := a.word(0)
	if err != nil {
		return err
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	first, known := w.row(w.subject(name).row())
	if !known {
		return nil
	}
	ring := w.asItWas(first).LastRing
	if v := a.value("ring"); v != "" {
		if ring, err = strconv.Atoi(v); err != nil {
			return fmt.Errorf("ring: %w", err)
		}
	}
	seen := call.Naming{}.Row(w.subject(name).key(), ring)
	w.truth.recalled[w.subject(name).key()] = true
	w.truth.saw[seen] = true
	w.fault("operator", first.ID)
	clicks := 1
	if a.value("clicks") == "2" {
		clicks = 2
		w.mark("double click")
	}
	for range clicks {
		w.survive(k, func() {
			out := k.app.Engine.Recall(ctx, seen, call.Recall{Actor: "ann", Reason: "again, says the one at " + first.Destination})
			w.trace.add(k.name, "re-call "+string(out.Met)+" "+string(out.Code), name)
			w.recalls = append(w.recalls, "re-call of "+name+": "+saidOf(out))
			if w.options.Secret != "" {
				w.listen(out.Message, out.Fix, fmt.Sprintf("%+v", out))
			}
			if out.Call.ID != "" && !k.dead.Load() {
				w.mark("re-call")
			}
		})
		k = w.workers[len(w.workers)-1]
	}
	return nil
}

// contactEvent is what Amazon Connect publishes of a contact, the nth ring's, counted from 1: that it ended, or what tells= says.
func contactEvent(ctx context.Context, w *World, a Act) error {
	text, err := a.word(0)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("which ring: %w", err)
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	rings := w.phone.rings()
	if n < 1 || n > len(rings) {
		return nil
	}
	document := w.contactEventOf(rings[n-1], a.value("tells"))
	if document == nil {
		return nil
	}
	w.survive(k, func() {
		report, err := k.app.Handler.Process(ctx, document)
		if k.dead.Load() {
			return
		}
		if err != nil || len(report.Results) != 1 {
			w.find("contact event: %v", err)
			return
		}
		w.trace.add(k.name, "event "+string(report.Results[0].Outcome.Met), "")
		w.mark("met " + string(report.Results[0].Outcome.Met))
	})
	return nil
}

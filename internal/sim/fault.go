package sim

import (
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// The kinds of faults. Each can be switched off for a life, and each life has its own luck with the others.
const (
	FaultCrash     = "crash"     // a process dies before or after an effect
	FaultLedger    = "ledger"    // a write is lost on the way there, or applied and its answer lost
	FaultLost      = "lost"      // Amazon Connect's answer is lost, or the request before it
	FaultLate      = "late"      // a request or an answer is late
	FaultThrottle  = "throttle"  // a throttle of Amazon Connect
	FaultRefusal   = "refusal"   // a refusal or a failure that proves nothing
	FaultPause     = "pause"     // a process stands still before or after an effect
	FaultTimeout   = "timeout"   // the function is cut off
	FaultMeanwhile = "meanwhile" // another act in the middle of an effect
	FaultOutage    = "outage"    // the ledger is down
	FaultDisk      = "disk"      // the disk is full: no write and no spool
	FaultPhone     = "phone"     // Amazon Connect refuses connections for a while
	FaultSkew      = "skew"      // a clock is wrong, or steps
	FaultDeploy    = "deploy"    // a process starts with another configuration
	FaultOperator  = "operator"  // re-calls and erasures
	FaultRestore   = "restore"   // the ledger goes back to a backup
	FaultSource    = "source"    // duplicates, late and reordered deliveries, redrives, replays
)

// FaultKinds lists every kind.
func FaultKinds() []string {
	return []string{
		FaultCrash, FaultLedger, FaultLost, FaultLate, FaultThrottle, FaultRefusal, FaultPause, FaultTimeout, FaultMeanwhile, FaultOutage, FaultDisk,
		FaultPhone, FaultSkew, FaultDeploy, FaultOperator, FaultRestore, FaultSource,
	}
}

// kind returns the kind of fault that a strike is.
func (s Strike) kind() string {
	if s.Do == "lose" && s.Point == "answer" {
		return FaultSource
	}
	switch s.Do {
	case "fail", "lose":
		return FaultLedger
	case "deadline":
		return FaultTimeout
	case "phone":
		return phoneKind(s.Point)
	}
	return s.Do // crash, pause, meanwhile
}

// phoneKind returns the kind of fault that a phone strike is, by its point: the word of the fault, which may be followed by others.
func phoneKind(point string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(point), " ")
	return kindOfPhone(connectemu.Fault(slices.IndexFunc(connectemu.Faults(), func(f connectemu.Fault) bool { return f.String() == word })))
}

func kindOfPhone(fault connectemu.Fault) string {
	switch {
	case delayed(fault):
		return FaultLate
	case fault == connectemu.Throttle || fault == connectemu.ThrottleBare:
		return FaultThrottle
	case fault == connectemu.Refuse || !fault.Places():
		return FaultRefusal
	}
	return FaultLost
}

// struck counts a strike that came to pass, for its kind and for the key that it met; without a row it met every key that is not final.
func (w *World) struck(s *Strike, row string) {
	w.mark("strike " + s.Do + " " + s.Point)
	if _, effect, around := strings.Cut(s.Point, " "); around && s.Do == "crash" {
		w.mark("crash at " + effect) // on either side of it
	}
	w.fault(s.kind(), row)
}

// fault counts a fault, and the keys that it met: the one of the row, else every one that was asked for and whose call is not final.
func (w *World) fault(kind, row string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults[kind]++
	name, _, _ := strings.Cut(w.names[row], "#")
	for _, s := range w.subjects {
		c, known := w.truth.rows[s.row()]
		if known && c.LastRing > 0 {
			c, known = w.truth.rows[call.Naming{}.Row(c.Key, c.LastRing)]
		}
		waits := len(s.asked) > 0 && (!known || !c.State.Final())
		if (name == s.name && len(s.asked) > 0) || (name == "" && waits) {
			s.struck++
		}
	}
}

// armPhone hands the phone faults of an act to the telephone network. The word after the fault may be the name of an error, or an operation.
func (w *World) armPhone(strikes []*Strike) {
	for _, s := range strikes {
		if s.Do != "phone" {
			continue
		}
		words := strings.Fields(s.Point)
		rule := connectemu.Rule{Times: max(s.Times, 1), Delay: s.For}
		for _, f := range connectemu.Faults() {
			if f.String() == words[0] {
				rule.Fault = f
			}
		}
		for _, word := range words[1:] {
			switch {
			case strings.HasSuffix(word, "Exception"):
				rule.Code = word
			default:
				rule.Operation = connectemu.Operation(word)
			}
		}
		away := time.Duration(0)
		if cuts(rule.Fault) {
			away, rule.Delay = rule.Delay, 0
		}
		w.phone.arm(rule, away)
		w.onPhone = append(w.onPhone, s)
	}
}

// disarmPhone takes all phone faults back at the end of an act that is not part of another, and counts those that met a request.
func (w *World) disarmPhone() {
	if len(w.armed) > 1 || len(w.onPhone) == 0 {
		return
	}
	met := w.phone.disarm()
	for i, s := range w.onPhone {
		if i < len(met) && met[i] > 0 {
			s.spent = true
			w.mark("phone " + strings.Fields(s.Point)[0])
			w.struck(s, w.lastDialed)
		}
	}
	w.onPhone = w.onPhone[:0]
}

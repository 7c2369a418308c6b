package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// targetFlags say what is paused or resumed.
type targetFlags struct {
	All      bool   `help:"Every call: the kill switch. No urgent call and no release passes it."`
	Profile  string `placeholder:"NAME" help:"The calls of this profile."`
	Producer string `placeholder:"NAME" help:"The calls of this producer, as ringonce held list --json and calls show name it."`
	Prefix   string `placeholder:"DIGITS" help:"The calls to numbers that begin with this: + and digits."`
}

// target returns the one thing that is named.
func (f *targetFlags) target() (rules.Target, error) {
	var named []rules.Target
	if f.All {
		named = append(named, rules.Target{Kind: rules.TargetAll})
	}
	for kind, name := range map[rules.TargetKind]string{rules.TargetProfile: f.Profile, rules.TargetProducer: f.Producer, rules.TargetPrefix: f.Prefix} {
		if name != "" {
			named = append(named, rules.Target{Kind: kind, Name: name})
		}
	}
	if len(named) != 1 {
		return rules.Target{}, misused("One of --all, --profile, --producer and --prefix is needed.", "Name one; pause several with several commands.")
	}
	if f.Prefix != "" && (f.Prefix[0] != '+' || strings.Trim(f.Prefix[1:], "0123456789") != "" || len(f.Prefix) < 2 || len(f.Prefix) > 9) {
		return rules.Target{}, misused("--prefix is no beginning of a number.", "Write + and 1 to 8 digits, like +8190.")
	}
	return named[0], nil
}

// pauseCommand holds calls until somebody resumes them.
type pauseCommand struct {
	targetFlags
	remoteFlags

	List   bool   `help:"List what is paused."`
	Reason string `placeholder:"TEXT" help:"Why; everybody who looks at a held call is told."`
	Actor  string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	JSON   bool   `help:"Print one JSON object, with --list one a pause."`
}

// paused is the JSON form of a pause.
type paused struct {
	Target  rules.TargetKind `json:"target"` // all, profile, producer, prefix
	Name    string           `json:"name,omitempty"`
	Paused  bool             `json:"paused"`
	Changed bool             `json:"changed"` // by this command
	By      string           `json:"by,omitempty"`
	At      time.Time        `json:"at,omitzero"`
	Reason  string           `json:"reason,omitempty"`
}

// Run implements the command.
func (x *pauseCommand) Run(ctx context.Context, e *environment) (err error) {
	if x.List {
		if x.targetFlags != (targetFlags{}) || x.Reason != "" {
			return misused("--list is given beside what to pause.", "Leave the others out.")
		}
		return listPaused(ctx, e, x.JSON)
	}
	target, err := x.target()
	if err != nil {
		return err
	}
	if x.Reason == "" {
		return misused("A pause needs --reason.", "Say why nothing shall ring.")
	}
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		answer, err := r.pause(ctx, target, x.Reason)
		if err != nil {
			return err
		}
		return x.print(e, answer)
	}
	a, err := e.openCells(ctx, opening{})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	if err := warnOfTarget(e, a, target); err != nil {
		return err
	}
	d := deed{action: "pause", actor: e.actorOf(x.Actor), target: deedTarget(target), reason: x.Reason}
	return e.did(ctx, a.Config, d, func() error { return x.pause(ctx, e, a, target) })
}

// pause pauses it in the ledger.
func (x *pauseCommand) pause(ctx context.Context, e *environment, a *app.App, target rules.Target) error {
	now := rules.Switch{Target: target, By: e.actorOf(x.Actor), At: a.Clock.Now(), Why: x.Reason}
	changed, err := rules.Pause(ctx, a.Store.Cells, now)
	if err != nil {
		return err
	}
	switches, err := rules.ReadSwitches(ctx, a.Store.Cells)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(switches.On, func(s rules.Switch) bool { return s.Target == target }); i >= 0 {
		now = switches.On[i] // who paused it first stays
	}
	return x.print(e, pausedOf(now, true, changed))
}

func (x *pauseCommand) print(e *environment, answer paused) error {
	if x.JSON {
		return printJSON(e.Stdout, answer)
	}
	text := "paused: " + answer.words()
	if !answer.Changed {
		text = "was paused already: " + answer.words()
	}
	_, err := fmt.Fprintf(e.Stdout, "%s\nevery process stops dialing them within a second; a call that rings already is not stopped\nlet them go on with: ringonce resume %s --reason TEXT\n",
		plain(text), plain(answer.flag()))
	return err
}

// openCells opens a ledger that keeps switches, also beside the process that they are to act on.
func (e *environment) openCells(ctx context.Context, how opening) (*app.App, error) {
	a, err := e.openLedger(ctx, how)
	if errors.Is(err, call.ErrInUse) {
		a, err = e.openLedger(ctx, opening{readOnly: true, cells: true})
	}
	if err == nil && a.Store.Cells == nil {
		closing(a, &err)
		if err == nil {
			err = failed("This ledger keeps no pauses and no do-not-call list.", "Use ledger.driver: sqlite or dynamodb.")
		}
		return nil, err
	}
	return a, err
}

// doNotCall returns the do-not-call list of a ledger.
func doNotCall(a *app.App) *rules.DoNotCall { return rules.NewDoNotCall(a.Store.Cells, a.Cells) }

// warnOfTarget refuses a profile that the configuration does not know, and warns of a producer that it does not name: nothing says that such a
// pause holds anything.
func warnOfTarget(e *environment, a *app.App, target rules.Target) error {
	switch target.Kind {
	case rules.TargetProfile:
		if _, known := a.Engine.Profile(target.Name); !known {
			return errNoProfile(target)
		}
	case rules.TargetProducer:
		if !slices.ContainsFunc(a.Config.Producers, func(p app.Producer) bool { return p.ARN == target.Name }) {
			fmt.Fprintln(e.Stderr, "ringonce: warning: the configuration names no producer "+plain(target.Name)+"; what it holds shows ringonce held list.")
		}
	case rules.TargetAll, rules.TargetPrefix:
	}
	return nil
}

func errNoProfile(target rules.Target) error {
	return misused("The configuration knows no profile "+plain(target.Name)+".", "Name one of profiles.")
}

func pausedOf(s rules.Switch, on, changed bool) paused {
	return paused{Target: s.Target.Kind, Name: s.Target.Name, Paused: on, Changed: changed, By: s.By, At: s.At, Reason: s.Why}
}

// what names the target.
func (p paused) what() string {
	if p.Target == rules.TargetAll {
		return "every call"
	}
	return string(p.Target) + " " + p.Name
}

// deedTarget names the target in the audit log, as the service does.
func deedTarget(t rules.Target) string {
	if t.Name == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.Name
}

// flag names the target as a command does.
func (p paused) flag() string {
	if p.Target == rules.TargetAll {
		return "--all"
	}
	return "--" + string(p.Target) + " " + p.Name
}

func (p paused) words() string {
	return p.what() + ", since " + stamp(p.At) + ": " + p.Reason + by(p.By)
}

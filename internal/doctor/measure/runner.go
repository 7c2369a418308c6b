package measure

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Person is who has the telephone in hand.
type Person interface {
	// Consent asks for leave to let the telephone ring at most so many times more.
	Consent(ctx context.Context, rings int) (bool, error)
	// Rang asks how many times the telephone has rung since then; about says what for. An answer that was not recorded is asked for again,
	// with the same since.
	Rang(ctx context.Context, about string, since time.Time) (int, error)
	// Tell says what happens.
	Tell(what string)
}

// Runner does what is due. Its members are all required, but for Second and OtherFlow.
type Runner struct {
	Dialer call.Dialer
	// Late returns a dialer whose signatures are that old when they are sent.
	Late    func(age time.Duration) (call.Dialer, error)
	Clock   call.Clock
	Random  io.Reader
	Person  Person
	Keep    func(State) error // durable before it returns
	Profile call.Profile
	To      call.Phone

	OtherFlow   string        // step b: another flow of the instance; empty varies an attribute instead
	RefusedFlow string        // steps c and d: a flow that does not exist
	Second      *call.Profile // step e: a profile of a second instance in the same Region; nil leaves the step out
	Rounds      int           // of the check; 0 means Rounds

	state State
}

// CodeNoConsent says that the person did not agree that the telephone rings.
const CodeNoConsent call.Code = "no_consent"

// Report is how a run ended.
type Report struct {
	State    State
	Verdict  Verdict
	ComeBack time.Time // when the next step is due; zero when none is left
}

// waits are how long a run stays for something: a step that comes soon, a call that ends.
const (
	patience = 5 * time.Minute
	callTime = 5 * time.Minute
	lookAt   = 5 * time.Second
)

// Run goes on from the state and does every step that is due. An error leaves the state as it was last kept; the run can be repeated.
func (r *Runner) Run(ctx context.Context, s State) (Report, error) {
	r.state = s
	err := r.begin(ctx)
	var next time.Time
	for err == nil {
		var wait time.Duration
		if next, err = r.steps(ctx); err != nil || next.IsZero() {
			break
		}
		if wait = next.Sub(r.Clock.Now()); wait > patience {
			break
		}
		if wait > 0 {
			r.Person.Tell(fmt.Sprintf("The next step is due in %s.", wait.Round(time.Second)))
			err = r.Clock.Sleep(ctx, wait)
		}
	}
	return Report{State: r.state, Verdict: Judge(r.state), ComeBack: next}, err
}

// Budget is how many times the telephone may ring: a call and the ring that proves A1', two for other parameters, one for a refused token,
// two for a second instance. Under A1 it is fewer.
func (r *Runner) Budget() int {
	if r.Second != nil {
		return 7
	}
	return 5
}

// begin checks that the state fits, and settles what an earlier run left open.
func (r *Runner) begin(ctx context.Context) error {
	body, err := r.body(r.Profile, "check", nil)
	if err != nil {
		return err
	}
	if r.state.Version == 0 {
		rounds := r.Rounds
		if rounds == 0 {
			rounds = Rounds
		}
		check, err := newCheck(r.Random, rounds, body)
		if err != nil {
			return err
		}
		r.state = State{Version: StateVersion, Target: r.target(r.Profile), Check: check, Began: r.Clock.Now().UTC()}
		return r.keep()
	}
	if r.state.Version != StateVersion {
		return &call.Error{Code: call.CodeConfiguration, Field: "--state", Message: "The state was written by another version.", Fix: "Begin with another file."}
	}
	if same, err := r.state.Check.fits(body); err != nil || !same || r.state.Target != r.target(r.Profile) {
		if err != nil {
			return err
		}
		return errOther()
	}
	if open := r.state.Open; open != nil { // the process ended while a request was on its way: it may have rung
		r.state.Rings++
		if err := r.giveUp(open.Step, "the run ended before the answer was recorded"); err != nil {
			return err
		}
	}
	if len(r.unasked()) > 0 { // the last run ended before its question: let the telephone ring first
		if err := r.Clock.Sleep(ctx, ringTime); err != nil {
			return err
		}
	}
	return r.flush(ctx)
}

// consent makes sure that so many more rings are agreed to.
func (r *Runner) consent(ctx context.Context, rings int) error {
	need := r.state.Rings + rings
	if need <= r.state.Consented {
		return nil
	}
	ask := max(r.Budget()-r.state.Consented, need-r.state.Consented)
	yes, err := r.Person.Consent(ctx, ask)
	if err != nil {
		return err
	}
	if !yes {
		return &call.Error{Code: CodeNoConsent, Message: "Without consent no telephone is rung.", Fix: "Run the command again when the telephone may ring."}
	}
	r.state.Consented += ask
	return r.keep()
}

// flush asks what was heard of a try that was given up, so that the next question is about the next call alone.
func (r *Runner) flush(ctx context.Context) error {
	n := len(r.state.Lost)
	if n == 0 || r.state.Lost[n-1].Asked {
		return ctx.Err()
	}
	if err := r.Clock.Sleep(ctx, ringTime); err != nil {
		return err
	}
	heard, err := r.rang(ctx, "the request whose answer was lost")
	if err != nil {
		return err
	}
	r.state.Lost[n-1].Asked, r.state.Lost[n-1].Heard = true, heard
	return r.keep()
}

// giveUp forgets the try of a step, which will be made again under a fresh token.
func (r *Runner) giveUp(step Step, why string) error {
	r.state.Lost = append(r.state.Lost, Lost{Step: step, At: r.Clock.Now().UTC(), Why: why})
	r.state.Open = nil
	if step == StepChain {
		r.state.Chain = Chain{}
	}
	r.Person.Tell("Step " + string(step) + " decides nothing: " + why + ". It is repeated under a fresh token.")
	return r.keep()
}

func (r *Runner) keep() error { return r.Keep(r.state) }

func (r *Runner) target(p call.Profile) call.Target {
	return call.Target{Region: p.Region, InstanceID: p.InstanceID}
}

// token returns a fresh client token.
func (r *Runner) token() (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(r.Random, b[:]); err != nil {
		return "", fmt.Errorf("read randomness: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// body makes the bytes of a request, unmarked, so that equal orders are equal bytes in every version.
func (r *Runner) body(p call.Profile, token string, attributes map[string]string) ([]byte, error) {
	p.Unmarked = true
	return r.Dialer.Prepare(call.Order{CallID: "measure-token", Token: token, Destination: r.To, Attributes: attributes, Profile: p.WithDefaults()})
}

package measure_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/doctor/measure"
)

// position is one setting of every switch of the emulator that the measurement is about, and what must be found.
type position struct {
	reading   connectemu.Reading
	validity  time.Duration
	window    time.Duration
	refusal   connectemu.TokenEffect
	params    connectemu.SameToken
	scope     connectemu.TokenScope
	wantRead  string
	wantTrial [3]measure.Outcome // params, refusal, scope
	wantLate  [2]bool            // rejected at 6 and 16 minutes
}

func (p position) String() string {
	return fmt.Sprintf("%s %s, window %s, refusal %s, params %s, scope %s", p.reading, p.validity, p.window, p.refusal, p.params, p.scope)
}

func positions() []position {
	var all []position
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		for _, validity := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour} {
			for _, window := range []time.Duration{5 * time.Minute, 15 * time.Minute, connectemu.Off} {
				for _, refusal := range []connectemu.TokenEffect{connectemu.TokenUntouched, connectemu.TokenAges, connectemu.TokenSpent} {
					for _, params := range []connectemu.SameToken{connectemu.ReturnExisting, connectemu.RefuseMismatch} {
						for _, scope := range []connectemu.TokenScope{connectemu.ScopeInstance, connectemu.ScopeAccount} {
							all = append(all, position{reading: reading, validity: validity, window: window, refusal: refusal, params: params, scope: scope}.wanting())
						}
					}
				}
			}
		}
	}
	return all
}

// wanting fills in what must be found, from the documentation of the switches.
func (p position) wanting() position {
	p.wantRead = "A1'"
	if p.reading == connectemu.A1 && p.validity > measure.Days {
		p.wantRead = "A1"
	}
	p.wantTrial = [3]measure.Outcome{measure.SameContact, measure.NewContact, measure.NewContact}
	if p.params == connectemu.RefuseMismatch {
		p.wantTrial[0] = measure.Refused
	}
	if p.refusal == connectemu.TokenSpent {
		p.wantTrial[1] = measure.Refused
	}
	if p.scope == connectemu.ScopeAccount { // the other instance is another parameter
		p.wantTrial[2] = p.wantTrial[0]
	}
	p.wantLate = [2]bool{p.window == 5*time.Minute, p.window != connectemu.Off}
	return p
}

func (p position) world(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(c *connectemu.Config) {
		c.Reading, c.TokenValidity, c.SignatureWindow, c.TokenOnRefusal = p.reading, p.validity, p.window, p.refusal
		c.TokenSameOtherParams, c.TokenScope = p.params, p.scope
	})
}

// check compares a finished measurement with the switches, and the rings with the emulator's own count.
func (p position) check(t *testing.T, w *world, r measure.Report) {
	t.Helper()
	if r.Verdict.Reading != p.wantRead || !r.Verdict.Final {
		t.Errorf("the verdict is %+v, want %s", r.Verdict, p.wantRead)
	}
	s := r.State
	for i, trial := range []*measure.Trial{s.Params, s.Refusal, s.Scope} {
		if trial == nil || trial.Outcome != p.wantTrial[i] {
			t.Errorf("trial %d found %+v, want %s", i, trial, p.wantTrial[i])
		}
	}
	if len(s.Late) != 2 || s.Late[0].Rejected != p.wantLate[0] || s.Late[1].Rejected != p.wantLate[1] {
		t.Errorf("old signatures: %+v, want rejected %v", s.Late, p.wantLate)
	}
	if rings := w.emulator.RingCount(); rings > s.Rings || s.Rings > w.person.rings {
		t.Errorf("%d rings, %d counted, %d agreed to", rings, s.Rings, w.person.rings)
	}
}

func TestTheVerdictIsRightInEveryPositionOfTheSwitches(t *testing.T) {
	t.Parallel()
	for _, p := range positions() {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			w := p.world(t)
			r := w.finish()
			p.check(t, w, r)
			if rings := w.emulator.RingCount(); rings != r.State.Rings || w.person.rings != 7 || len(r.State.Lost) > 0 {
				t.Errorf("%d rings, %d counted, %d agreed to, lost %+v", rings, r.State.Rings, w.person.rings, r.State.Lost)
			}
			if days := w.clock.Now().Sub(epoch); p.wantRead == "A1" && (days < measure.Days || days > measure.TooLate) {
				t.Errorf("it took %s", days)
			}
		})
	}
}

// TestAWrongJudgeIsCaught plants judges that look at less than they must.
func TestAWrongJudgeIsCaught(t *testing.T) {
	t.Parallel()
	judges := map[string]func(measure.State) string{
		"takes the first repeat for the whole": func(s measure.State) string { s.Chain.Repeats = s.Chain.Repeats[:1]; return lenient(s) },
		"takes an hour for the whole": func(s measure.State) string {
			s.Chain.Repeats = s.Chain.Repeats[:min(2, len(s.Chain.Repeats))]
			return lenient(s)
		},
		"believes the ear alone": func(s measure.State) string {
			if slices.ContainsFunc(s.Chain.Repeats, func(r measure.Repeat) bool { return r.Heard == measure.HeardRing }) {
				return "A1'"
			}
			return "A1"
		},
		"believes the contact id alone": func(s measure.State) string { return lenient(s) },
		"always A1":                     func(measure.State) string { return "A1" },
		"never decides":                 func(measure.State) string { return "" },
	}
	seen := map[string]bool{}
	for _, c := range judged(t) {
		if got := measure.Judge(c.state).Reading; got != c.want {
			t.Errorf("%s: judged %q, want %q", c.name, got, c.want)
		}
		for name, judge := range judges {
			if judge(c.state) != c.want {
				seen[name] = true
			}
		}
	}
	for name := range judges {
		if !seen[name] {
			t.Errorf("the judge that %s is right everywhere", name)
		}
	}
}

// lenient compares contact ids and nothing else.
func lenient(s measure.State) string {
	for _, r := range s.Chain.Repeats {
		if r.Contact != s.Chain.Contact {
			return "A1'"
		}
	}
	return "A1"
}

type judgedCase struct {
	name, want string
	state      measure.State
}

// judged are finished measurements: of each reading, of a token that dies on the second day, and of persons who do not hear, or hear
// what was not.
func judged(t *testing.T) []judgedCase {
	t.Helper()
	var cases []judgedCase
	for name, c := range map[string]struct {
		reading  connectemu.Reading
		validity time.Duration
		deaf     bool
		liar     bool
		want     string
	}{
		"A1":                           {want: "A1"},
		"A1'":                          {reading: connectemu.A1Prime, want: "A1'"},
		"a token of a day":             {validity: 24 * time.Hour, want: "A1'"},
		"nobody hears, A1":             {deaf: true},
		"nobody hears, A1'":            {reading: connectemu.A1Prime, deaf: true, want: "A1'"},
		"every call is said to ring":   {liar: true},
		"every call is said, with A1'": {reading: connectemu.A1Prime, liar: true, want: "A1'"},
	} {
		w := newWorld(t, func(config *connectemu.Config) { config.Reading, config.TokenValidity = c.reading, c.validity })
		w.person.deaf, w.person.liar = c.deaf, c.liar
		cases = append(cases, judgedCase{name, c.want, w.finish().State})
	}
	return cases
}

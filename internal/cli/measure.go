package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/measure"
)

// measureFlags are those of doctor --measure-token, which rings.
type measureFlags struct {
	MeasureToken   bool   `help:"Ring your own telephone over 6 days to find out which resend policy is right."`
	To             string `placeholder:"NUMBER" help:"Your own number; it is not kept, so give it at every run."`
	State          string `placeholder:"FILE" help:"Where the measurement is kept between runs."`
	YesRingMyPhone bool   `help:"Consent without being asked: the telephone may ring as often as is said at the start."`
	Profile        string `placeholder:"NAME" help:"Profile to measure with; default: default_profile, or the only one."`
	SecondProfile  string `placeholder:"NAME" help:"A profile of a second instance in the same Region, to find out how far a token reaches."`
	OtherFlow      string `placeholder:"GUID" help:"Another flow of the instance for the step with other parameters; default: another attribute."`
	RefusedFlow    string `placeholder:"GUID" help:"A flow that does not exist in the instance; default: 00000000-0000-4000-8000-000000000000."`
}

// noFlow is a GUID that no flow has: those that Amazon Connect makes are random.
const noFlow = "00000000-0000-4000-8000-000000000000"

// measured is the JSON form of a run.
type measured struct {
	Verdict  measure.Verdict  `json:"verdict"`
	ComeBack time.Time        `json:"comeBack,omitzero"`
	Rings    int              `json:"rings"`
	Findings []doctor.Finding `json:"findings"`
	Recorded bool             `json:"recorded"` // the reading is in the ledger
}

func (x *measureFlags) run(ctx context.Context, e *environment, c *app.Config, asJSON bool) error {
	if err := x.check(e); err != nil {
		return err
	}
	who := newPerson(e, x.YesRingMyPhone)
	defer who.leave()
	runner, err := x.runner(e, c, who)
	if err != nil {
		return err
	}
	file := measure.File{Path: x.State}
	state, err := file.Load()
	if err != nil {
		return err
	}
	runner.Keep = file.Save
	report, err := runner.Run(ctx, state)
	if err != nil {
		return err
	}
	out := measured{Verdict: report.Verdict, ComeBack: report.ComeBack, Rings: report.State.Rings, Findings: measure.Side(report.State)}
	var unrecorded error
	if report.Verdict.Final && report.Verdict.Reading != "" {
		out.Recorded, unrecorded = x.record(ctx, e, c, report.Verdict.Reading)
	}
	if asJSON {
		err = printJSON(e.Stdout, out)
	} else {
		err = out.text(e.Stdout)
	}
	if err != nil {
		return err
	}
	return unrecorded
}

func (x *measureFlags) check(e *environment) error {
	switch {
	case x.To == "":
		return misused("--measure-token needs --to.", "Give your own number, like +12025550142.")
	case x.State == "":
		return misused("--measure-token needs --state.", "Name a file that keeps the measurement between runs.")
	case e.Stdin == nil || !x.YesRingMyPhone && !isTerminal(e.Stdin):
		return misused("There is no terminal to ask for consent on.", "Run it on a terminal, or add --yes-ring-my-phone.")
	}
	return nil
}

func (x *measureFlags) runner(e *environment, c *app.Config, who measure.Person) (*measure.Runner, error) {
	to, err := call.ParsePhone(x.To)
	if err != nil {
		return nil, misused("--to is no telephone number.", "Write it as + and up to 15 digits.")
	}
	profile, ok := c.CallProfile(x.Profile)
	if !ok {
		return nil, misused("--profile names no profile of the configuration.", "Name one, or set default_profile.")
	}
	options := e.surroundings()
	options.Random = e.Random
	if e.HTTP != nil {
		options.HTTPClient = e.HTTP
	}
	r := &measure.Runner{
		Clock: e.Clock, Random: e.Random, Profile: profile, To: to, OtherFlow: x.OtherFlow, RefusedFlow: x.RefusedFlow,
		Person: who,
		Late: func(age time.Duration) (call.Dialer, error) {
			o := options
			o.Clock = behind{e.Clock, age}
			return c.OpenDialer(o)
		},
	}
	if r.RefusedFlow == "" {
		r.RefusedFlow = noFlow
	}
	if x.SecondProfile != "" {
		second, ok := c.CallProfile(x.SecondProfile)
		if !ok || second.InstanceID == profile.InstanceID || second.Region != profile.Region {
			return nil, misused("--second-profile names no profile of a second instance in the same Region.", "Add one to the configuration, or leave the flag out.")
		}
		r.Second = &second
	}
	r.Dialer, err = c.OpenDialer(options)
	return r, err
}

// record writes the reading into the ledger, if there is one.
func (x *measureFlags) record(ctx context.Context, e *environment, c *app.Config, reading string) (recorded bool, err error) {
	options := e.surroundings()
	options.Stores, options.Random = e.Stores, e.Random
	store, _, err := c.OpenLedger(ctx, options)
	if err != nil {
		return false, &complaint{
			exitOf(err), "The reading could not be recorded in the ledger: " + sentenceOf(err),
			"The measurement is complete; run the same command again when the ledger can be written.",
		}
	}
	if store == nil {
		return false, nil
	}
	if err := store.Admin.SetReading(ctx, reading); err != nil {
		_ = store.Close() // the first error is the one to report
		return false, err
	}
	return true, store.Close()
}

// text prints what is known and what comes next.
func (m measured) text(w io.Writer) error {
	var b strings.Builder
	for _, f := range m.Findings {
		fmt.Fprintf(&b, "%s\n", plain(f.What))
		if f.Why != "" {
			fmt.Fprintf(&b, "  why %s\n  fix %s\n", plain(f.Why), plain(f.Fix))
		}
	}
	for _, because := range m.Verdict.Because {
		fmt.Fprintf(&b, "%s\n", plain(because))
	}
	reading := m.Verdict.Reading
	if reading == "" {
		reading = "undecided"
	}
	fmt.Fprintf(&b, "\nreading  %s\nresend   %s\nrings    %d\n", reading, m.Verdict.Resend, m.Rings)
	if m.Recorded {
		b.WriteString("The reading is recorded in the ledger; ringonce doctor holds the profiles to it.\n")
	}
	if !m.ComeBack.IsZero() {
		fmt.Fprintf(&b, "Come back at %s or a little later, and run the same command: the next step is due then.\n", m.ComeBack.UTC().Format(time.RFC3339))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// behind is a clock that signs as if it were earlier.
type behind struct {
	call.Clock

	by time.Duration
}

// Now returns the earlier time.
func (b behind) Now() time.Time { return b.Clock.Now().Add(-b.by) }

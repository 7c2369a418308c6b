package measure_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
	"github.com/ringonce/ringonce/internal/doctor/measure"
)

const (
	number  = "+819000000001"
	second  = "22222222-2222-4333-8444-555555555555"
	flow    = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	other   = "bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	nowhere = "00000000-0000-4000-8000-000000000000"
)

var epoch = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// world is an instance, a person with a telephone, and days that pass as soon as somebody waits for them.
type world struct {
	t        *testing.T
	clock    *connectemu.ManualClock
	emulator *connectemu.Server
	person   *person
	kept     []byte // the state as it was last kept
	keeps    int
	dieAt    int // the keep at which the process ends; 0 for never
	scope    bool
	change   func(*measure.Runner)
	random   io.Reader
}

var errDied = errors.New("the process ended")

func newWorld(t *testing.T, change func(*connectemu.Config)) *world {
	t.Helper()
	w := &world{t: t, clock: connectemu.NewManualClock(epoch), random: rand.NewChaCha8([32]byte{1}), scope: true}
	config := connectemu.Config{
		Clock: w.clock, Seed: 1, Instances: []string{connectemu.DefaultInstance, second}, Flows: []string{flow, other}, StartRate: connectemu.Unlimited,
		DescribeRate: connectemu.Unlimited,
	}
	if change != nil {
		change(&config)
	}
	var err error
	if w.emulator, err = connectemu.New(config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.emulator.Close)
	w.person = &person{emulator: w.emulator, consents: 100}
	return w
}

type credentials struct{}

// Retrieve implements aws.CredentialsProvider.
func (credentials) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}

// behind is the emulator's clock, so many minutes ago.
type behind struct {
	*connectemu.ManualClock

	by time.Duration
}

// Now returns the earlier time.
func (b behind) Now() time.Time { return b.ManualClock.Now().Add(-b.by) }

// leaping is the emulator's clock for somebody who waits alone: the time passes at once.
type leaping struct{ *connectemu.ManualClock }

// Sleep moves the clock.
func (l leaping) Sleep(ctx context.Context, d time.Duration) error {
	l.Advance(d)
	return ctx.Err()
}

func (w *world) dialer(late time.Duration) (call.Dialer, error) {
	return connect.New(connect.Options{
		Credentials: credentials{}, Clock: behind{w.clock, late}, HTTPClient: httpClient{w.emulator}, Endpoint: "http://emulator", NonProduction: true,
	})
}

func profile(instance string) call.Profile {
	return call.Profile{Name: "alert", Region: "us-east-1", InstanceID: instance, ContactFlowID: flow, SourcePhone: "+12025550100"}
}

// run is one run of the command, from the state that was kept.
func (w *world) run() (measure.Report, error) {
	w.t.Helper()
	var s measure.State
	if w.kept != nil {
		if err := json.Unmarshal(w.kept, &s); err != nil {
			w.t.Fatal(err)
		}
	}
	dialer, err := w.dialer(0)
	if err != nil {
		w.t.Fatal(err)
	}
	to, err := call.ParsePhone(number)
	if err != nil {
		w.t.Fatal(err)
	}
	r := measure.Runner{
		Dialer: dialer, Late: w.dialer, Clock: leaping{w.clock}, Random: w.random, Person: w.person, Profile: profile(connectemu.DefaultInstance), To: to,
		OtherFlow: other, RefusedFlow: nowhere, Rounds: 1, Keep: w.keep,
	}
	if w.scope {
		p := profile(second)
		r.Second = &p
	}
	if w.change != nil {
		w.change(&r)
	}
	return r.Run(w.t.Context(), s)
}

func (w *world) keep(s measure.State) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if strings.Contains(string(text), number[1:]) {
		w.t.Errorf("the state holds the number: %s", text)
	}
	w.keeps++
	if w.keeps == w.dieAt {
		return errDied // nothing was written
	}
	w.kept = text
	if w.keeps+1000 == w.dieAt {
		return errDied // it was written, and that was the last act
	}
	return nil
}

// finish runs the command as often as it says, and returns its last report. Errors that leave a step due are met by coming back.
func (w *world) finish() measure.Report {
	w.t.Helper()
	for range 40 {
		report, err := w.run()
		switch {
		case errors.Is(err, errDied):
		case err != nil:
			w.clock.Advance(time.Minute)
		case report.ComeBack.IsZero():
			return report
		default:
			w.clock.Set(report.ComeBack)
		}
	}
	w.t.Fatal("the measurement does not come to an end")
	return measure.Report{}
}

// person hears every ring of the emulator, and says how many there were.
type person struct {
	emulator *connectemu.Server
	consents int // how often consent is given
	rings    int // that were agreed to
	deaf     bool
	liar     bool // says that every call was heard
}

// Consent implements measure.Person.
func (p *person) Consent(_ context.Context, rings int) (bool, error) {
	if p.consents == 0 {
		return false, nil
	}
	p.consents--
	p.rings += rings
	return true, nil
}

// Rang implements measure.Person.
func (p *person) Rang(_ context.Context, _ string, since time.Time) (int, error) {
	switch {
	case p.deaf:
		return 0, nil
	case p.liar:
		return 2, nil
	}
	fresh := 0
	for _, ring := range p.emulator.RingsFor(number) {
		if !ring.At.Before(since) {
			fresh++
		}
	}
	return fresh, nil
}

// Tell implements measure.Person.
func (p *person) Tell(string) {}

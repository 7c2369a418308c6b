package sim

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"slices"
	"syscall"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// emulated is the emulator, reached by the SDK's client through memory instead of a socket.
type emulated struct {
	emu     *connectemu.Server
	truth   *bytes.Buffer
	kinds   bool // every contact counts, and not only those that ring
	armed   bool
	until   time.Time
	away    []time.Duration // how long the service is away after each fault that is armed, zero for one that has cut
	audited bool
	fates   *fates
}

func newEmulated(seed uint64, s NetworkSwitch, kinds bool, fates *fates) (*emulated, error) {
	truth := &bytes.Buffer{}
	digital := connectemu.Digital{TokenValidity: s.DigitalToken, MaxActive: s.DigitalActive, Lasts: s.DigitalLasts}
	emu, err := connectemu.New(connectemu.Config{
		Seed: seed, Reading: s.Reading, Flows: []string{goodFlow, otherFlow}, TruthLog: truth, TokenOnRefusal: s.OnRefusal, TokenOnThrottle: s.OnThrottle,
		TokenSameOtherParams: s.Mismatch, SignatureWindow: s.Signature, MaxConcurrentCalls: s.Concurrent,
		SearchSeesOnlyCompleted: s.Completed, SearchDelay: s.Unseen,
		TokensShared: s.Shared, Chats: digital, Tasks: digital,
	})
	if err != nil {
		return nil, err
	}
	return &emulated{emu: emu, truth: truth, kinds: kinds, fates: fates}, nil
}

func (e *emulated) transport() http.RoundTripper { return e }

// RoundTrip implements http.RoundTripper. A service that is down refuses the connection.
func (e *emulated) RoundTrip(r *http.Request) (*http.Response, error) {
	if time.Now().Before(e.until) {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read from it
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	answer, err := e.emu.RoundTripper().RoundTrip(r)
	e.restart()
	return answer, err
}

// restart lets the service be away from the moment at which one of its faults has cut a connection.
func (e *emulated) restart() {
	if !slices.ContainsFunc(e.away, func(d time.Duration) bool { return d > 0 }) {
		return
	}
	for i, met := range e.emu.FaultCounts() {
		if met > 0 && e.away[i] > 0 {
			e.until, e.away[i] = time.Now().Add(e.away[i]), 0
		}
	}
}

func (e *emulated) dialer(configured call.Dialer, _ call.Clock) call.Dialer {
	return fatedDialer{configured, e}
}

// fatedDialer lets the emulator know what becomes of the contact that comes next.
type fatedDialer struct {
	call.Dialer
	e *emulated
}

// Dial implements call.Dialer.
func (d fatedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if number := member(s.Body, "DestinationPhoneNumber"); number != "" {
		if err := d.e.emu.SetPhone(number, d.e.fates.of(number, len(d.e.emu.RingsFor(number)))); err != nil {
			panic(err) // the numbers of a world are numbers
		}
	}
	return d.Dialer.Dial(ctx, s)
}

func (e *emulated) down(until time.Time) { e.until = until }

func (e *emulated) arm(fault connectemu.Rule, away time.Duration) {
	plan := e.emu.Plan()
	fault.Times = max(fault.Times, 1)
	plan.Rules = append(plan.Rules, fault)
	if err := e.emu.SetPlan(plan); err != nil {
		panic(err) // the generator and the transcripts name faults that exist
	}
	e.armed, e.away = true, append(e.away, away)
}

func (e *emulated) disarm() []int {
	if !e.armed {
		return nil
	}
	met := e.emu.FaultCounts()
	if err := e.emu.SetPlan(connectemu.Plan{}); err != nil {
		panic(err) // the empty plan is a plan
	}
	e.armed, e.away = false, e.away[:0]
	return met
}

func (e *emulated) rings() []ring {
	if e.kinds {
		return e.contacts()
	}
	all := e.emu.Rings()
	rings := make([]ring, len(all))
	for i, r := range all {
		rings[i] = ring{r.At, r.ContactID, r.Attributes["ringonceCallId"], r.Token, r.Number, ""}
	}
	return rings
}

func (e *emulated) contacts() []ring {
	all := e.emu.Contacts()
	rings := make([]ring, len(all))
	for i, c := range all {
		rings[i] = ring{c.InitiatedAt, c.ID, c.Attributes["ringonceCallId"], c.Token, c.Number, c.Channel}
	}
	return rings
}

func (e *emulated) wire() (sent []wired) {
	for _, r := range e.emu.Requests() {
		made := r.Outcome == connectemu.OutcomeRang || r.Outcome == connectemu.OutcomeStarted || r.Outcome == connectemu.OutcomeReplayed
		if starts(r.Operation) && made {
			sent = append(sent, wiredOfRequest(r))
		}
	}
	return sent
}

func wiredOfRequest(r connectemu.Request) wired {
	return wired{r.Token, r.BodyHash, r.SignedAt, r.Time}
}

func (e *emulated) lasting(contactID string) bool {
	c, known := e.emu.Contact(contactID)
	return known && c.DisconnectedAt.IsZero()
}

func (e *emulated) endedBy(contactID string, at time.Time) bool {
	c, known := e.emu.Contact(contactID)
	return known && !c.DisconnectedAt.IsZero() && !c.DisconnectedAt.After(at)
}

func (e *emulated) storyOf(contactID string) contactStory {
	c, _ := e.emu.Contact(contactID)
	return contactStory{c.InitiatedAt, c.ConnectedAt, c.DisconnectedAt, c.DisconnectReason}
}

func (e *emulated) flowEnds(contactID string) { _ = e.emu.HangUp(contactID) } // one that has ended stays as it is

func (e *emulated) close() { e.emu.Close() }

package sim

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// inProcess is the telephone network of a light world: the emulator's rules for tokens, signatures, rates and lost answers, without its HTTP.
// It is written from the same facts as the emulator and shares no code with the core, so that the two worlds check each other.
type inProcess struct {
	network NetworkSwitch
	rules   []connectemu.Rule
	away    []time.Duration // how long the service is away after each of them
	met     []int           // how many requests each of them has met
	until   time.Time       // refuses connections before it
	tokens  map[string]*lightToken
	made    []*lightContact
	byID    map[string]*lightContact
	sent    []wired
	late    []lateStart
	rate    bucket // StartOutboundVoiceContact: 2 a second, burst 5
	search  bucket // SearchContacts: 0.5 a second, burst 1
	fates   *fates
	rang    map[string]int // contacts of each number
}

// lightContact is a contact that dialed.
type lightContact struct {
	ring
	connected, ended time.Time // in the future until they come; connected is zero when nobody answers
	reason           string    // for which it ends
}

// lateStart is a request that is stuck in the network.
type lateStart struct {
	at     time.Time
	send   call.Send
	signed time.Time
}

// longestWait is how long the SDK's client waits for an answer, when the configuration says nothing else (docs/configuration.md, connect.timeout).
const longestWait = 12 * time.Second

func newInProcess(s NetworkSwitch, fates *fates) *inProcess {
	return &inProcess{
		network: s, tokens: map[string]*lightToken{}, byID: map[string]*lightContact{}, fates: fates, rang: map[string]int{},
		rate: bucket{perSecond: 2, burst: 5}, search: bucket{perSecond: 0.5, burst: 1},
	}
}

func (*inProcess) transport() http.RoundTripper { return nil }

func (p *inProcess) dialer(configured call.Dialer, clock call.Clock) call.Dialer {
	return lightDialer{Dialer: configured, phone: p, clock: clock}
}

func (p *inProcess) down(until time.Time) { p.until = until }

func (p *inProcess) arm(fault connectemu.Rule, away time.Duration) {
	fault.Times = max(fault.Times, 1)
	p.rules, p.away, p.met = append(p.rules, fault), append(p.away, away), append(p.met, 0)
}

func (p *inProcess) disarm() []int {
	met := p.met
	p.rules, p.away, p.met = p.rules[:0], p.away[:0], nil
	return met
}

// pick takes the rule that the next request of the operation meets.
func (p *inProcess) pick(op connectemu.Operation) (connectemu.Rule, bool) {
	for i, r := range p.rules {
		if cmp.Or(r.Operation, connectemu.OpStart) == op && p.met[i] < r.Times {
			p.met[i]++
			if p.away[i] > 0 {
				p.until = time.Now().Add(p.away[i])
			}
			return r, true
		}
	}
	return connectemu.Rule{}, false
}

func (p *inProcess) rings() []ring {
	p.arrive()
	rings := make([]ring, len(p.made))
	for i, c := range p.made {
		rings[i] = c.ring
	}
	return rings
}

func (p *inProcess) wire() []wired { return p.sent }

func (p *inProcess) lasting(contactID string) bool {
	c := p.byID[contactID]
	return c != nil && time.Now().Before(c.ended)
}

func (p *inProcess) endedBy(contactID string, at time.Time) bool {
	c := p.byID[contactID]
	return c != nil && !c.ended.After(at)
}

func (*inProcess) close() {}

// lightDialer is a worker's dialer: the bodies are those of the configured one.
type lightDialer struct {
	call.Dialer
	phone *inProcess
	clock call.Clock
}

// Dial implements call.Dialer, with the send guard where the signer has it.
func (d lightDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	p, signed := d.phone, d.clock.Now()
	p.arrive()
	if ctx.Err() != nil {
		return call.Answer{Class: call.ClassNotSent, Code: "context_ended", Message: "The deadline had passed."}
	}
	if s.NotBefore.IsZero() || signed.Before(s.NotBefore) || signed.After(s.NotAfter) {
		return call.Answer{Class: call.ClassNotSent, Code: "send_guard", Message: "The date of the signature is outside the bounds."}
	}
	if time.Now().Before(p.until) {
		return call.Answer{Class: call.ClassNotSent, Code: "connect_failed", Message: "The connection was refused."}
	}
	rule, met := p.pick(connectemu.OpStart)
	if !met {
		return p.serve(s, signed)
	}
	return p.spoil(ctx, rule, s, signed)
}

// spoil is a request that meets a fault.
func (p *inProcess) spoil(ctx context.Context, rule connectemu.Rule, s call.Send, signed time.Time) call.Answer {
	lost := call.Answer{Class: call.ClassAmbiguous, Code: "connection_lost", Message: "The answer was lost."}
	switch rule.Fault {
	case connectemu.Refuse:
		return p.fail(s, cmp.Or(rule.Code, connectemu.CodeInvalidRequest))
	case connectemu.Throttle:
		return p.fail(s, cmp.Or(rule.Code, connectemu.CodeTooManyRequests))
	case connectemu.ThrottleBare: // a 429 without an error name may be a proxy's
		p.fail(s, connectemu.CodeTooManyRequests)
	case connectemu.Slow: // the client is gone by then, or is answered late
		if !wait(ctx, rule.Delay) {
			return lost
		}
		return p.serve(s, signed)
	case connectemu.ArriveLate:
		p.late = append(p.late, lateStart{at: time.Now().Add(rule.Delay), send: s, signed: signed})
		wait(ctx, longestWait)
		return lost
	case connectemu.PlaceThenDelay:
		answer := p.serve(s, signed)
		if !wait(ctx, rule.Delay) {
			return lost
		}
		return answer
	case connectemu.PlaceThen500, connectemu.PlaceThen502, connectemu.PlaceThen503, connectemu.PlaceThen504, connectemu.PlaceThenReset,
		connectemu.PlaceThenTruncate, connectemu.PlaceThenBraces, connectemu.PlaceThenEmpty:
		p.serve(s, signed)
	case connectemu.Fail500, connectemu.Fail502, connectemu.Fail503, connectemu.Fail504, connectemu.ResetBefore, connectemu.Proxy408, connectemu.Proxy413:
	}
	return lost
}

// wait reports whether the client is still there after the delay.
func wait(ctx context.Context, d time.Duration) bool {
	left := min(d, longestWait)
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		return d < longestWait
	case <-ctx.Done():
		return false
	}
}

// arrive serves what was stuck and has come through by now, in the order of arrival.
func (p *inProcess) arrive() {
	for {
		next := -1
		for i, l := range p.late {
			if !l.at.After(time.Now()) && (next < 0 || l.at.Before(p.late[next].at)) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		l := p.late[next]
		p.late = slices.Delete(p.late, next, next+1)
		p.serveAt(l.send, l.signed, l.at)
	}
}

func (p *inProcess) serve(s call.Send, signed time.Time) call.Answer {
	return p.serveAt(s, signed, time.Now())
}

// serveAt is a start that reaches the service.
func (p *inProcess) serveAt(s call.Send, signed, now time.Time) call.Answer {
	if signed = signed.Truncate(time.Second); now.Sub(signed).Abs() > p.network.Signature {
		return call.Answer{Class: call.ClassNotSent, Code: "invalid_signature", Message: "Signature expired."}
	}
	if !p.rate.take(now) {
		return p.fail(s, connectemu.CodeTooManyRequests)
	}
	token := p.token(s.Token, now)
	switch {
	case token != nil && token.spent != "":
		return answerOf(token.spent)
	case token != nil && token.contact != nil && p.network.Mismatch == connectemu.RefuseMismatch && token.body != string(s.Body):
		return p.fail(s, connectemu.CodeInvalidRequest)
	case token != nil && token.contact != nil && (p.network.Reading == connectemu.A1 || now.Before(token.contact.ended)):
		p.sent = append(p.sent, wiredOf(s, signed, now))
		return call.Answer{Class: call.ClassOK, ContactID: token.contact.contact}
	}
	number := member(s.Body, "DestinationPhoneNumber")
	fate := p.fates.of(number, p.rang[number])
	switch flow := member(s.Body, "ContactFlowId"); {
	case flow != goodFlow && flow != otherFlow:
		return p.fail(s, connectemu.CodeNotFound)
	case fate == connectemu.FateNotAllowed:
		return p.fail(s, connectemu.CodeNotAllowed)
	case fate == connectemu.FateNotPermitted:
		return p.fail(s, connectemu.CodeNotPermitted)
	case p.alive(now) >= p.network.Concurrent:
		return p.fail(s, connectemu.CodeLimitExceeded)
	}
	c := &lightContact{
		ring: ring{
			at: now, contact: "00000000-0000-4000-8000-" + pad(len(p.made)+1), callID: member(s.Body, "ringonceCallId"), token: s.Token, number: number,
		},
	}
	c.live(fate)
	p.rang[number]++
	p.made = append(p.made, c)
	p.byID[c.contact] = c
	p.bind(s, c, now)
	p.sent = append(p.sent, wiredOf(s, signed, now))
	return call.Answer{Class: call.ClassOK, ContactID: c.contact}
}

func (p *inProcess) alive(now time.Time) (n int) {
	for _, c := range slices.Backward(p.made) {
		if now.Before(c.ended) {
			n++
		} else if now.Sub(c.at) > time.Hour {
			break
		}
	}
	return n
}

func pad(n int) string {
	digits := strconv.Itoa(n)
	return "000000000000"[len(digits):] + digits
}

func wiredOf(s call.Send, signed, at time.Time) wired {
	hash := sha256.Sum256(s.Body)
	return wired{token: s.Token, body: hex.EncodeToString(hash[:8]), signed: signed, at: at}
}

// member returns a string member of a body that the dialer made; its values hold no escapes.
func member(body []byte, name string) string {
	i := bytes.Index(body, []byte(`"`+name+`":"`))
	if i < 0 {
		return ""
	}
	rest := body[i+len(name)+4:]
	return string(rest[:max(bytes.IndexByte(rest, '"'), 0)])
}

package sim

import (
	"strings"
	"time"
	"unicode"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// lightToken is what the network remembers of a client token.
type lightToken struct {
	created time.Time
	contact *lightContact // nil while every start with it failed
	body    string
	spent   string // the error that every further start gets
}

// token returns the live entry of a token, or nil.
func (p *inProcess) token(token string, now time.Time) *lightToken {
	t := p.tokens[token]
	if t == nil || now.Sub(t.created) >= connectemu.DefaultTokenValidity {
		return nil
	}
	return t
}

func (p *inProcess) bind(s call.Send, c *lightContact, now time.Time) {
	t := p.token(s.Token, now)
	if t == nil {
		t = &lightToken{created: now}
		p.tokens[s.Token] = t
	}
	t.contact, t.body = c, string(s.Body)
}

// fail answers an error, and lets it have its effect on the token.
func (p *inProcess) fail(s call.Send, code string) call.Answer {
	answer, now := answerOf(code), time.Now()
	effect := connectemu.TokenUntouched
	switch answer.Class {
	case call.ClassRefusedRequest:
		effect = p.network.OnRefusal
	case call.ClassThrottled:
		effect = p.network.OnThrottle
	case call.ClassOpen, call.ClassOK, call.ClassAmbiguous, call.ClassRefusedSetup, call.ClassNotSent:
	}
	if effect == connectemu.TokenUntouched {
		return answer
	}
	t := p.token(s.Token, now)
	if t == nil {
		t = &lightToken{created: now}
		p.tokens[s.Token] = t
	}
	if effect == connectemu.TokenSpent && t.contact == nil && t.spent == "" {
		t.spent = code
		if answer.Class == call.ClassThrottled {
			t.spent = connectemu.CodeInvalidRequest
		}
	}
	return answer
}

// answerOf is what the dialer makes of an error of the service (protocol.md section 4).
func answerOf(code string) call.Answer {
	a := call.Answer{Class: call.ClassAmbiguous, Code: plainCode(code), Message: "Amazon Connect answered " + code + "."}
	switch code {
	case connectemu.CodeInvalidParameter, connectemu.CodeInvalidRequest, connectemu.CodeNotAllowed, connectemu.CodeNotPermitted:
		a.Class = call.ClassRefusedRequest
	case connectemu.CodeNotFound, "AccessDeniedException":
		a.Class = call.ClassRefusedSetup
	case connectemu.CodeTooManyRequests:
		a.Class = call.ClassThrottled
	case connectemu.CodeLimitExceeded:
		a.Class, a.Capacity = call.ClassThrottled, true
	}
	return a
}

// plainCode writes the name of an error as the dialer does: LimitExceededException is limit_exceeded.
func plainCode(name string) call.Code {
	var b strings.Builder
	for i, r := range strings.TrimSuffix(name, "Exception") {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return call.Code(b.String())
}

// bucket is a token bucket.
type bucket struct {
	perSecond, burst, level float64
	filled                  time.Time
}

func (b *bucket) take(now time.Time) bool {
	if b.filled.IsZero() {
		b.level = b.burst
	} else if passed := now.Sub(b.filled).Seconds(); passed > 0 {
		b.level = min(b.burst, b.level+passed*b.perSecond)
	}
	b.filled = now
	if b.level < 1 {
		return false
	}
	b.level--
	return true
}

package call

import "time"

// The clocks of the protocol (protocol.md section 5).
const (
	// TokenValidity is how long Amazon Connect honors a ClientToken after it was created.
	TokenValidity = 7 * 24 * time.Hour
	// TokenMargin is M: no signature of a row is later than firstSigned + TokenValidity - TokenMargin. It must exceed twice the
	// signature tolerance of the far end, which is taken as 15 minutes.
	TokenMargin = 24 * time.Hour
	// TokenUse is the span in which all signatures of one row lie.
	TokenUse = TokenValidity - TokenMargin
	// LeaseTime is how long an intent may be signed. It is never renewed.
	LeaseTime = 60 * time.Second
	// SettleTime after its lease ended, an attempt can no longer be newly accepted.
	SettleTime = 30 * time.Minute
	// FreshResend is how long after the first signature a lost answer is resent without a look for evidence.
	FreshResend = 5 * time.Second
	// HeartbeatTime is how old a sweeper's heartbeat may be for unfinished calls to be acknowledged.
	HeartbeatTime = 5 * time.Minute
)

// Window is how long a placed call suppresses its key.
type Window struct {
	Forever bool
	For     time.Duration // used when Forever is false
}

// ends returns the end of the window that began when a ring was placed; ok is false when it never ends.
func (w Window) ends(placed time.Time) (end time.Time, ok bool) {
	if w.Forever {
		return time.Time{}, false
	}
	return placed.Add(w.For), true
}

// Profile is a named set of dialing settings. The wiring fills it from the configuration and checks it; zero durations and
// counts mean the defaults that [Profile.WithDefaults] names.
type Profile struct {
	Name          string
	Region        string
	InstanceID    string // GUID, not ARN
	ContactFlowID string // GUID, not ARN
	QueueID       string
	SourcePhone   string        // caller id in E.164 form
	RingTimeout   time.Duration // 15 s to 60 s; zero leaves it to Amazon Connect

	Window          Window
	WindowReopenAny bool // an undated delivery may re-open a window (window_reopen: any)
	Resend          Resend
	MaxAttempts     int           // attempts that may be closed and repeated before the call fails; 0 means no limit
	Deadline        time.Duration // notAfter = accepted + Deadline when the request has none; 0 means none
	LongestCall     time.Duration // no call of this profile lasts longer; the policy evidence waits for it
	RequireDated    bool          // refuse requests without a trusted time (require_requested_at)
	IgnoreAttrs     []string      // attributes that stay out of the fingerprint
	Unmarked        bool          // mark: off leaves the body without ringonceCallId
	RawMarkup       bool          // attributes go to the flow unescaped
	Paused          bool          // the configuration holds every call of this profile
}

// WithDefaults returns the profile with its zero settings filled: window forever, resend token, longest call 4 h.
func (p Profile) WithDefaults() Profile {
	if !p.Window.Forever && p.Window.For == 0 {
		p.Window.Forever = true
	}
	if p.Resend == "" {
		p.Resend = ResendToken
	}
	if p.LongestCall == 0 {
		p.LongestCall = 4 * time.Hour
	}
	return p
}

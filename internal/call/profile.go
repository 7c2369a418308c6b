package call

import "time"

// The clocks of the protocol (protocol.md section 5).
const (
	// TokenValidity is how long Amazon Connect honors a ClientToken of a voice contact after it was created. Of other kinds it does not
	// say: there the send rule only bounds the age of a call, and nothing rests on the token.
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
	Kind          Kind // empty means voice
	Region        string
	InstanceID    string // GUID, not ARN
	ContactFlowID string // GUID, not ARN
	QueueID       string
	SourcePhone   string        // caller id in E.164 form
	RingTimeout   time.Duration // 15 s to 60 s; zero leaves it to Amazon Connect

	DisplayName     string        // chat: of the customer, for the agent; {name} stands for an attribute of the request
	InitialMessage  string        // chat: the customer's first words, with the same placeholders; empty for none
	Description     string        // task: what the agent reads, with the same placeholders
	TaskTemplateID  string        // task: instead of ContactFlowID
	QuickConnectID  string        // task: instead of ContactFlowID
	ContactDuration time.Duration // chat, task: the contact ends by itself after this; zero leaves it to Amazon Connect

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

// bucket names the pacing bucket of the profile's contacts.
func (p Profile) bucket() string {
	if p.Kind.orVoice() == KindVoice {
		return p.Region
	}
	return p.Region + " " + string(p.Kind)
}

// The defaults of [Profile.LongestCall].
const (
	longestVoice = 4 * time.Hour
	longestChat  = 25 * time.Hour // ChatDurationInMinutes, when the request gives none (StartChatContact)
	// A task without an end of its own may outlast the send rule: then it is never sent again.
	longestTask = TokenValidity
)

// WithDefaults returns the profile with its zero settings filled: kind voice, window forever, resend token for voice and evidence for the
// others, longest call by kind.
func (p Profile) WithDefaults() Profile {
	p.Kind = p.Kind.orVoice()
	if !p.Window.Forever && p.Window.For == 0 {
		p.Window.Forever = true
	}
	switch {
	case p.Resend == "" && p.Kind.tokenStated():
		p.Resend = ResendToken
	case p.Resend == "", p.Resend == ResendToken && !p.Kind.tokenStated():
		p.Resend = ResendEvidence
	}
	if p.LongestCall == 0 {
		p.LongestCall = p.longest()
	}
	return p
}

func (p Profile) longest() time.Duration {
	switch {
	case p.Kind == KindVoice:
		return longestVoice
	case p.ContactDuration > 0:
		return p.ContactDuration
	case p.Kind == KindChat:
		return longestChat
	}
	return longestTask
}

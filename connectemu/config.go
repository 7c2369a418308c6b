package connectemu

import (
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// Defaults of a zero [Config].
const (
	// DefaultRegion is the Region requests must be signed for.
	DefaultRegion = "us-east-1"
	// DefaultAccount is the account id inside the ARNs of contacts.
	DefaultAccount = "111122223333"
	// DefaultInstance is the id of the only instance.
	DefaultInstance = "11111111-2222-4333-8444-555555555555"
	// DefaultAccessKey and DefaultSecretKey are the only credentials.
	DefaultAccessKey = "test"
	// DefaultSecretKey belongs to [DefaultAccessKey].
	DefaultSecretKey = "test"
	// DefaultTokenValidity is how long a client token is remembered ("valid for 7 days after creation").
	DefaultTokenValidity = 7 * 24 * time.Hour
	// DefaultSignatureWindow is how far a signature's time may be from the emulator's.
	DefaultSignatureWindow = 5 * time.Minute
	// DefaultRingTime is how long a phone rings before it is answered.
	DefaultRingTime = 8 * time.Second
	// DefaultTalkTime is how long an answered call lasts.
	DefaultTalkTime = 30 * time.Second
	// DefaultMaxConcurrentCalls is the quota "concurrent active calls per instance" of a new instance.
	DefaultMaxConcurrentCalls = 10
	// DefaultRetention is how long a contact can be described (24 months, taken as 730 days).
	DefaultRetention = 730 * 24 * time.Hour
	// DefaultWireLog is how many requests the wire log keeps.
	DefaultWireLog = 10_000
)

// Off switches a limit off, as a duration or a number of a [Config].
const Off = -1

// Rate is a token bucket: Burst requests at once, refilled at PerSecond. The zero Rate means the documented default of the
// operation; a negative PerSecond means no limit.
type Rate struct {
	PerSecond float64 `json:"perSecond"`
	Burst     int     `json:"burst"`
}

// Unlimited is the Rate without a limit.
var Unlimited = Rate{PerSecond: Off}

// Config says what the emulator knows, how fast it is, and which of the undocumented behaviors it shows. The zero value is a
// new instance with every documented limit on. Durations and numbers that are limits are switched off by [Off].
type Config struct {
	// Clock is the time of everything: signatures, tokens, contacts, rates. Nil means [WallClock].
	Clock Clock
	// Logger receives one debug line a request, phone numbers masked. Nil means no log.
	Logger *slog.Logger
	// Seed decides contact ids and request ids, and the chance of fault rules when the plan has no seed of its own.
	Seed uint64

	// Region and Account are those of the emulated endpoint; signatures for another Region are refused.
	Region, Account string
	// Credentials maps access key ids to secret access keys.
	Credentials map[string]string
	// Instances are the instance ids that exist; others are answered ResourceNotFoundException. Nil means [DefaultInstance].
	Instances []string
	// Flows, Queues and SourceNumbers that exist. An empty list accepts every value of the right shape; with a list, others
	// are answered ResourceNotFoundException.
	Flows, Queues, SourceNumbers []string
	// Creating are instances that are not finished: DescribeInstance shows CREATION_IN_PROGRESS and nothing else is found in them.
	// OutboundOff are instances whose outbound calls are disabled: starts are answered OutboundContactNotPermittedException.
	Creating, OutboundOff []string
	// Drafts are flows that were saved and never published, Archived those that were put away. Both can be described, as the
	// reference says, and no start finds them; that last part is an assumption, since the reference is silent.
	Drafts, Archived []string
	// Anonymous are queues without an outbound caller id number. A start with one of them needs a SourcePhoneNumber and is else
	// answered InvalidRequestException, which is an assumption too.
	Anonymous []string
	// FlowsSetQueue accepts requests with neither QueueId nor SourcePhoneNumber: the flow is taken to set a queue.
	FlowsSetQueue bool
	// AllowCampaign accepts TrafficType CAMPAIGN, which a new account may not use.
	AllowCampaign bool
	// DeniedPrefixes are beginnings of numbers, such as "+44", answered DestinationNotAllowedException.
	DeniedPrefixes []string
	// Phones overrides [DefaultFate] number by number.
	Phones map[string]Fate
	// FlowFunction is what the flow of a call invokes when somebody picks up, and once more for each key. Nil means that flows invoke nothing.
	FlowFunction FlowFunction
	// Keys are the keys that are pressed on the phone of a number once the message was played; see [Server.SetKeys].
	Keys map[string]string
	// FlowTwice lets a flow invoke its function twice for each report, as Amazon Connect does when an answer was lost.
	FlowTwice bool

	// Reading is the life of a token after its contact has ended.
	Reading Reading
	// TokenValidity is how long a token is remembered after its first use. 0 means 7 days.
	TokenValidity time.Duration
	// TokenScope is where a token is unique.
	TokenScope TokenScope
	// TokenSameOtherParams is the answer to a live token with other parameters.
	TokenSameOtherParams SameToken
	// TokenOnRefusal, TokenOnThrottle and TokenOnFailure are what a start that was refused, throttled or answered with a failure of the
	// service (500, 503; nothing dialed) does to its token.
	TokenOnRefusal, TokenOnThrottle, TokenOnFailure TokenEffect
	// TokenRefreshes lets the validity run anew from every start that the token answers, and not from its creation alone.
	TokenRefreshes bool
	// TokensShared lets StartOutboundVoiceContact, StartChatContact and StartTaskContact share one room of tokens, so that a token that started
	// a call answers a chat with that call. Otherwise each operation has its own; AWS does not say.
	TokensShared bool
	// TokenLag is how long a token that started a contact stays invisible to other requests, which then start contacts of
	// their own. 0 means that concurrent requests with one token are served one after the other.
	TokenLag time.Duration

	// SignatureWindow is the greatest distance between the signed time and the clock, in both directions. 0 means 5 minutes.
	SignatureWindow time.Duration
	// StartRate (2/s, burst 5), DescribeRate and StopRate (10/s, burst 15) and SearchRate (0.5/s, burst 1) are the buckets of
	// the operations, shared by all instances of the account and Region.
	StartRate, DescribeRate, StopRate, SearchRate Rate
	// LookupRate (2/s, burst 5) is the bucket of each operation that reads instances, flows, queues and numbers, and of UntagContact.
	LookupRate Rate
	// AttributesRate (10/s, burst 15) is the bucket of GetContactAttributes and that of UpdateContactAttributes, TagRate (20/s, burst 25)
	// that of TagContact.
	AttributesRate, TagRate Rate
	// ThrottleCode is the error name of a start that is over its rate. Empty means TooManyRequestsException, which has been seen and is
	// not modeled; siblings model ThrottlingException.
	ThrottleCode string
	// MaxConcurrentCalls is the number of contacts of an instance that may be alive at once. 0 means 10.
	MaxConcurrentCalls int
	// OverQuota is what becomes of a start beyond MaxConcurrentCalls.
	OverQuota OverQuota

	// SearchableAttributes are the names that are marked searchable, which SearchContacts knows; an attribute with another name is in no
	// index and is never found.
	SearchableAttributes []string
	// SearchSeesOnlyCompleted hides contacts from SearchContacts until they are disconnected.
	SearchSeesOnlyCompleted bool
	// SearchDelay is how long a contact stays hidden from SearchContacts after it was initiated, or disconnected when
	// SearchSeesOnlyCompleted is set.
	SearchDelay time.Duration

	// Chats and Tasks are the settings of StartChatContact and StartTaskContact.
	Chats, Tasks Digital

	// RingTime and TalkTime are the life of an answered call. 0 means 8 s and 30 s.
	RingTime, TalkTime time.Duration
	// EventSink receives the contact events. Nil means that they wait for TakeEvents.
	EventSink EventSink
	// EventReasons are the contacts whose events carry a disconnect reason.
	EventReasons EventReasons
	// EventInstanceFirst puts the instance before the contact in the resources of an event, whose order is not documented.
	EventInstanceFirst bool
	// Retention is how long a contact can be described or found. 0 means 24 months.
	Retention time.Duration
	// Faults is the plan of faults to begin with.
	Faults Plan
	// WireLog is how many requests the wire log keeps. 0 means 10,000.
	WireLog int
	// TruthLog receives each ring and each start as a line of JSON, hash-chained ([ReadTruth], [Server.EndTruth]). It is written under a
	// lock, one line a call. Nil means none.
	TruthLog io.Writer
}

// withDefaults returns a copy that shares no map or slice with c and has every default filled in.
func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = WallClock{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	fill(&c.Region, DefaultRegion)
	fill(&c.Account, DefaultAccount)
	c.Credentials = maps.Clone(c.Credentials)
	if c.Credentials == nil {
		c.Credentials = map[string]string{DefaultAccessKey: DefaultSecretKey}
	}
	c.Instances = slices.Clone(c.Instances)
	if c.Instances == nil {
		c.Instances = []string{DefaultInstance}
	}
	c.Flows, c.Queues = slices.Clone(c.Flows), slices.Clone(c.Queues)
	c.Creating, c.OutboundOff = slices.Clone(c.Creating), slices.Clone(c.OutboundOff)
	c.Drafts, c.Archived, c.Anonymous = slices.Clone(c.Drafts), slices.Clone(c.Archived), slices.Clone(c.Anonymous)
	c.SourceNumbers, c.DeniedPrefixes = slices.Clone(c.SourceNumbers), slices.Clone(c.DeniedPrefixes)
	c.SearchableAttributes = slices.Clone(c.SearchableAttributes)
	c.Phones, c.Keys = maps.Clone(c.Phones), maps.Clone(c.Keys)
	c.Faults = c.Faults.clone()
	fill(&c.TokenValidity, DefaultTokenValidity)
	fill(&c.SignatureWindow, DefaultSignatureWindow)
	fill(&c.StartRate, Rate{PerSecond: 2, Burst: 5})
	fill(&c.DescribeRate, Rate{PerSecond: 10, Burst: 15})
	fill(&c.StopRate, Rate{PerSecond: 10, Burst: 15})
	fill(&c.SearchRate, Rate{PerSecond: 0.5, Burst: 1})
	fill(&c.LookupRate, Rate{PerSecond: 2, Burst: 5})
	fill(&c.AttributesRate, Rate{PerSecond: 10, Burst: 15})
	fill(&c.TagRate, Rate{PerSecond: 20, Burst: 25})
	fill(&c.ThrottleCode, CodeTooManyRequests)
	c.Chats.fill(Rate{PerSecond: 5, Burst: 8}, DefaultMaxChats, DefaultChatTime)
	c.Tasks.fill(Rate{PerSecond: 2, Burst: 5}, DefaultMaxTasks, DefaultTaskTime)
	fill(&c.MaxConcurrentCalls, DefaultMaxConcurrentCalls)
	fill(&c.RingTime, DefaultRingTime)
	fill(&c.TalkTime, DefaultTalkTime)
	fill(&c.Retention, DefaultRetention)
	fill(&c.WireLog, DefaultWireLog)
	return c
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

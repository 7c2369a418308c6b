package call

import (
	"time"
	"unicode"
	"unicode/utf8"
)

// Action is what a producer wants of a key.
type Action string

// The actions of a request.
const (
	ActionCall   Action = "call"        // ring the recipient
	ActionCancel Action = "cancel"      // withdraw the key, even if the call arrives later
	ActionAck    Action = "acknowledge" // somebody knows: no further ring, also of those who would be rung after this recipient
)

// Request is what a producer asks for: ring this recipient about this notification. Its JSON form is
// schema/call-request.schema.json.
type Request struct {
	NotificationID string            // required
	RecipientID    string            // required
	Destination    Phone             // required for a call of the kind voice; a cancel needs the ids only
	RecallID       string            // an intended re-call by the producer: a key of its own
	ClientToken    string            // identity under the recipe "message", kept and flagged under the others
	Profile        string            // profile as asked; empty means the default profile
	RequestedAt    time.Time         // when the logical request was first made; zero when the payload does not say
	NotAfter       time.Time         // no ring after this instant; zero means none
	Attributes     map[string]string // contact attributes for the flow
	Action         Action            // empty means call
	TimeZone       string            // of the recipient, an IANA name; empty leaves it to the number and the profile
	Urgent         bool              // ring whatever the hours, where the profile allows it
	Escalation     []Recipient       // who is rung when this recipient's calls end unconfirmed, in this order
}

// Source is the transport that delivered a request. It decides how a delivery is acknowledged (acktable.go).
type Source string

// The sources of deliveries.
const (
	SourceSQS         Source = "sqs"             // SQS standard queue: partial batch response
	SourceSQSFIFO     Source = "sqs-fifo"        // SQS FIFO queue: the first failure returns the rest of the group
	SourceSNS         Source = "sns"             // SNS, asynchronous invocation: an error is a retry
	SourceEventBridge Source = "eventbridge"     // EventBridge, asynchronous invocation: an error is a retry
	SourceKinesis     Source = "kinesis"         // Kinesis stream: the lowest failed sequence number
	SourceDynamoDB    Source = "dynamodb-stream" // DynamoDB stream: the lowest failed sequence number
	SourceKafka       Source = "kafka"           // Kafka topic: failed positions
	SourceCustomBus   Source = "custom-bus"      // custom event bus: an error fails the whole batch
	SourceHTTP        Source = "http"            // API Gateway, function URL, load balancer: a status code
	SourceDirect      Source = "direct"          // a direct invocation or the CLI: the answer is the return value
)

// Tier says how far a time stamp can be trusted as "first requested at" (facts/event-envelopes.md section 2).
type Tier string

// The tiers, strongest first.
const (
	TierPayload Tier = "payload" // requestedAt in the payload: only the producer resets it
	TierMessage Tier = "message" // set when the message was published: survives redelivery and redrive
	TierHop     Tier = "hop"     // set by one hop: a redrive resets it
	TierNone    Tier = "none"    // no stamp at all
)

// Stamp is the best evidence of when a logical request was first made.
type Stamp struct {
	At   time.Time // zero when Tier is none
	Tier Tier
	From string // the member it was read from, e.g. "sns.Timestamp"
}

// Trusted reports whether the stamp survives redelivery, redrive and replay, so that it may open a window or a canceled key.
func (s Stamp) Trusted() bool {
	return !s.At.IsZero() && (s.Tier == TierPayload || s.Tier == TierMessage)
}

// Delivery is one arrival of a request. Many deliveries may carry one logical request; ids in here are for logs, batch
// responses and the event-id recipe, never for the identity of the request.
type Delivery struct {
	Request        Request
	Source         Source
	Producer       string    // queue, topic or rule as the configuration names it; may be empty
	ID             string    // outermost delivery id, e.g. the SQS messageId
	Origin         string    // innermost id given by a service, e.g. the EventBridge id
	EventID        string    // the EventBridge id, for the recipe event-id
	FirstRequested Stamp     // best evidence of the logical request's age
	ReceivedAt     time.Time // on the injected clock; the engine fills it when zero
	ReceiveCount   int       // of the outermost transport; 0 when the transport has none
	Replay         string    // name of the archive replay that delivered it, empty when none did
	Trace          Trace     // of the delivery or, failing that, of the invocation
	// KeySpace is the room of the ids where the way in knows who asks, such as the HTTP API; nil leaves it to Config.KeySpace. Nothing in a
	// request's text can set it.
	KeySpace *string
}

// Limits of a request (design.md section 4; facts/amazon-connect.md section 1).
const (
	MaxIDBytes        = 1024   // per id; keeps keys and tokens bounded
	MaxAttributeBytes = 32_768 // UTF-8 bytes over all names and values of one contact
	futureTolerance   = 5 * time.Minute
)

// Validate checks everything that needs no configuration (see also [Request.ValidateFor]): required members, id characters, the attribute rules that Amazon
// Connect documents and its SDK does not check. It returns an *Error that names the first offending field.
func (r Request) Validate() error {
	ids := []struct {
		name, value string
		required    bool
	}{
		{"notificationId", r.NotificationID, true},
		{"recipientId", r.RecipientID, true},
		{"recallId", r.RecallID, false},
		{"clientToken", r.ClientToken, false},
		{"profile", r.Profile, false},
		{"timeZone", r.TimeZone, false},
	}
	for _, id := range ids {
		if err := validateID(id.name, id.value, id.required); err != nil {
			return err
		}
	}
	switch r.Action {
	case ActionCancel, ActionAck:
		return nil
	case ActionCall, "":
	default:
		return refuse(CodeFieldValue, "action", "Use call, cancel or acknowledge.", "The field action holds an unknown value.")
	}
	if err := validateEscalation(r); err != nil {
		return err
	}
	return validateAttributes(r.Attributes)
}

// Withdraws reports whether the request asks for no ring: a cancel or an acknowledgment. It needs the ids only.
func (r Request) Withdraws() bool { return r.Action == ActionCancel || r.Action == ActionAck }

// ValidateFor checks what a request needs for the kind of contact that its profile makes: a number to ring for voice. The others take a
// number too, which one message for several kinds may carry; it is part of what was asked and is not sent.
func (r Request) ValidateFor(k Kind) error {
	if !r.Withdraws() && k.NeedsNumber() && r.Destination.IsZero() {
		return refuse(CodeFieldMissing, "destinationPhoneNumber", "Add the number in E.164 form, or name a profile of another kind.", "The field destinationPhoneNumber is missing.")
	}
	return nil
}

func validateID(field, value string, required bool) error {
	if value == "" {
		if required {
			return refuse(CodeFieldMissing, field, "Every request needs it: it is part of the key.", "The field %s is missing or empty.", field)
		}
		return nil
	}
	if len(value) > MaxIDBytes {
		return refuse(CodeFieldValue, field, "Use a shorter id.", "The field %s is longer than %d bytes.", field, MaxIDBytes)
	}
	if !utf8.ValidString(value) {
		return refuse(CodeFieldValue, field, "Send valid UTF-8.", "The field %s is not valid UTF-8.", field)
	}
	blank := true
	for _, r := range value {
		if unicode.IsControl(r) {
			return refuse(CodeFieldValue, field, "Remove line feeds, tabs and other control characters.", "The field %s holds a control character.", field)
		}
		blank = blank && unicode.IsSpace(r)
	}
	if blank {
		return refuse(CodeFieldValue, field, "Send an id that names something.", "The field %s is blank.", field)
	}
	return nil
}

func validateAttributes(attributes map[string]string) error {
	total := 0
	for name, value := range attributes {
		if !attributeName(name) {
			return refuse(CodeFieldValue, "attributes", "Use letters, digits, - and _ only.", "The field attributes holds a name that Amazon Connect does not accept.")
		}
		if !utf8.ValidString(value) {
			return refuse(CodeFieldValue, "attributes."+name, "Send valid UTF-8.", "The field attributes.%s is not valid UTF-8.", name)
		}
		total += len(name) + len(value)
	}
	if total > MaxAttributeBytes {
		return refuse(CodeAttributesTooLarge, "attributes", "Send an id and let the flow look the rest up.",
			"The field attributes holds %d bytes, more than the %d that Amazon Connect takes.", total, MaxAttributeBytes)
	}
	return nil
}

func attributeName(name string) bool {
	for _, b := range []byte(name) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_':
		default:
			return false
		}
	}
	return name != ""
}

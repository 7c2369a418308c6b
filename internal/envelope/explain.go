package envelope

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Explanation is the JSON form of a record, with the names and values of the event corpus. It prints the request with the
// whole phone number, because it echoes a file that its reader has; [Text] masks it. It belongs on the terminal of the person
// who owns the file, and never in a log.
type Explanation struct {
	File                       string            `json:"file"` // the caller fills it
	Path                       string            `json:"path"`
	PayloadAt                  string            `json:"payloadAt"`
	Nesting                    []string          `json:"nesting"`
	Verdict                    Verdict           `json:"verdict"`
	Reason                     *Reason           `json:"reason"` // null for ok
	Field                      *string           `json:"field"`
	Message                    string            `json:"message,omitempty"`
	Fix                        string            `json:"fix,omitempty"`
	Request                    *ExplainedRequest `json:"request"` // null unless ok
	Identity                   ExplainedIdentity `json:"identity"`
	FirstRequestedAt           ExplainedStamp    `json:"firstRequestedAt"`
	FirstRequestedEnvelopeOnly ExplainedStamp    `json:"firstRequestedAtEnvelopeOnly"`
	ReceiveCount               *int              `json:"receiveCount"`
	MayHaveRunBefore           any               `json:"mayHaveRunBefore"` // true or "unknown"
	Flags                      []string          `json:"flags"`
	Window                     *string           `json:"window"`             // null unless ok
	BatchItemFailureID         any               `json:"batchItemFailureId"` // string, {"partition","offset"} or null
	OutcomeEvent               *ExplainedContact `json:"outcomeEvent,omitempty"`
	Mapping                    *ExplainedMapping `json:"mapping,omitempty"`
}

// ExplainedMapping is the mapping that a payload was read by, and what its expressions gave.
type ExplainedMapping struct {
	Name    string            `json:"name"`
	Members []ExplainedMapped `json:"members"`
}

// ExplainedMapped is what one expression gave. Long numbers in its value are masked.
type ExplainedMapped struct {
	Member     string `json:"member"`
	Expression string `json:"expression"`
	Gave       string `json:"gave"` // a string, a number, nothing, ...
	Value      string `json:"value,omitempty"`
}

// ExplainedRequest is the request as the payload gave it. Its requestedAt is part of firstRequestedAt.
type ExplainedRequest struct {
	NotificationID         string            `json:"notificationId"`
	RecipientID            string            `json:"recipientId"`
	DestinationPhoneNumber string            `json:"destinationPhoneNumber,omitempty"`
	ClientToken            string            `json:"clientToken,omitempty"`
	RecallID               string            `json:"recallId,omitempty"`
	Profile                string            `json:"profile,omitempty"`
	NotAfter               string            `json:"notAfter,omitempty"`
	Action                 string            `json:"action,omitempty"`
	TimeZone               string            `json:"timeZone,omitempty"`
	Urgent                 bool              `json:"urgent,omitempty"`
	Attributes             map[string]string `json:"attributes,omitzero"`
}

// ExplainedIdentity holds the ids of the delivery; those that do not exist are null.
type ExplainedIdentity struct {
	Delivery     *string           `json:"delivery"`
	DeliveryKind *string           `json:"deliveryKind"`
	Origin       *string           `json:"origin"`
	OriginKind   *string           `json:"originKind"`
	All          map[string]string `json:"all"` // the innermost one of each kind
}

// ExplainedStamp is a time stamp with its tier.
type ExplainedStamp struct {
	Value *string   `json:"value"`
	From  *string   `json:"from"`
	Tier  call.Tier `json:"tier"`
}

// ExplainedContact is what an ignored contact event tells.
type ExplainedContact struct {
	EventType        string  `json:"eventType"`
	ContactID        string  `json:"contactId"`
	InitiationMethod string  `json:"initiationMethod"`
	DisconnectReason *string `json:"disconnectReason"`
}

// Explain returns the JSON form of a record.
func Explain(r Record) Explanation {
	e := Explanation{
		Path: r.Path, PayloadAt: r.PayloadAt, Nesting: orEmpty(r.Nesting), Verdict: r.Verdict,
		Reason: orNull(r.Reason), Field: orNull(r.Field), Message: r.Message, Fix: r.Fix,
		Request: explainRequest(r), Identity: explainIdentity(r.Identity),
		FirstRequestedAt: explainStamp(r.FirstRequested), FirstRequestedEnvelopeOnly: explainStamp(r.FirstRequestedEnvelopeOnly),
		ReceiveCount: r.ReceiveCount, MayHaveRunBefore: RanBeforeUnknown, Flags: orEmpty(r.Flags), Window: orNull(r.Window),
	}
	if r.MayHaveRunBefore == RanBeforeTrue {
		e.MayHaveRunBefore = true
	}
	switch {
	case r.Position != nil:
		e.BatchItemFailureID = explainedPosition{r.Position.Partition, r.Position.Offset}
	case r.BatchItemFailureID != "":
		e.BatchItemFailureID = r.BatchItemFailureID
	}
	if r.Contact != nil {
		e.OutcomeEvent = &ExplainedContact{
			EventType: r.Contact.EventType, ContactID: r.Contact.ContactID, InitiationMethod: r.Contact.InitiationMethod,
			DisconnectReason: orNull(r.Contact.DisconnectReason),
		}
	}
	if r.Mapping != "" {
		e.Mapping = &ExplainedMapping{Name: r.Mapping, Members: []ExplainedMapped{}}
		for _, m := range r.Mapped {
			e.Mapping.Members = append(e.Mapping.Members, ExplainedMapped{Member: m.Member, Expression: m.Expression, Gave: m.Kind, Value: maskedValue(m.Value)})
		}
	}
	return e
}

type explainedPosition struct {
	Partition string `json:"partition"`
	Offset    int64  `json:"offset"`
}

func explainRequest(r Record) *ExplainedRequest {
	if r.Verdict != VerdictOK {
		return nil
	}
	q := r.Delivery.Request
	e := &ExplainedRequest{
		NotificationID: q.NotificationID, RecipientID: q.RecipientID, DestinationPhoneNumber: q.Destination.Wire(),
		ClientToken: q.ClientToken, RecallID: q.RecallID, Profile: q.Profile, Action: string(q.Action), Attributes: q.Attributes,
		TimeZone: q.TimeZone, Urgent: q.Urgent,
	}
	if !q.NotAfter.IsZero() {
		e.NotAfter = stampText(q.NotAfter)
	}
	return e
}

func explainIdentity(id Identity) ExplainedIdentity {
	e := ExplainedIdentity{
		Delivery: orNull(id.Delivery), DeliveryKind: orNull(id.DeliveryKind), Origin: orNull(id.Origin), OriginKind: orNull(id.OriginKind),
		All: make(map[string]string, len(id.All)),
	}
	for _, one := range id.All {
		e.All[one.Kind] = one.Value
	}
	return e
}

func explainStamp(s call.Stamp) ExplainedStamp {
	if s.At.IsZero() {
		return ExplainedStamp{Tier: call.TierNone}
	}
	return ExplainedStamp{Value: orNull(stampText(s.At)), From: orNull(s.From), Tier: s.Tier}
}

// stampText writes milliseconds, the finest resolution of any stamp in an envelope.
func stampText(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func orNull[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

package connect

import (
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/call"
)

// The marks by which a contact is joined to its call (protocol.md section 2).
const (
	// CallIDAttribute is the contact attribute that holds the call id.
	CallIDAttribute = "ringonceCallId"
	// NamePrefix stands before the call id in the contact's Name. SearchContacts finds names without any index to configure.
	NamePrefix = "ringonce-"
	// MaxNameLength is the longest name that SearchContacts can look for (SearchText, 128 characters).
	MaxNameLength = 128
	// MaxTokenLength is the longest ClientToken in characters (StartOutboundVoiceContact).
	MaxTokenLength = 500
)

// Prepare returns the JSON body of the operation that the profile's kind calls (StartOutboundVoiceContact, StartChatContact,
// StartTaskContact): members and attributes in byte order, nothing escaped that JSON
// does not demand, so that equal orders give equal bytes. A setting or member that Amazon Connect would not take comes back as
// an *[call.Error]; the SDK checks none of them.
//
// A profile with neither queue nor source phone is taken: the flow may set a queue of its own, which nobody can see from here.
// If it does not, Amazon Connect refuses the call.
func (d *Dialer) Prepare(o call.Order) ([]byte, error) {
	if err := checkProfile(o.Profile); err != nil {
		return nil, err
	}
	if o.Profile.Kind.NeedsNumber() && o.Destination.IsZero() {
		return nil, refuse(call.CodeFieldMissing, "destinationPhoneNumber", "Add the number in E.164 form.",
			"The field destinationPhoneNumber is missing.")
	}
	if err := checkToken(o.Token); err != nil {
		return nil, err
	}
	if o.Profile.Unmarked && !o.Profile.Kind.NeedsNumber() {
		field := "profiles." + o.Profile.Name + ".mark"
		return nil, refuse(call.CodeConfiguration, field, "Set mark: on.", "The setting %s is off, which only kind: voice permits.", field)
	}
	if !o.Profile.Unmarked {
		if o.CallID == "" || len(NamePrefix+o.CallID) > MaxNameLength || !utf8.ValidString(o.CallID) {
			return nil, refuse(call.CodeFieldValue, "callId", "Use the row id of the call.",
				"The call id does not fit into the name of a contact (1 to %d bytes).", MaxNameLength-len(NamePrefix))
		}
	}
	switch o.Profile.Kind {
	case call.KindChat:
		return encodeChat(o)
	case call.KindTask:
		return encodeTask(o)
	case call.KindVoice:
	}
	return encode(o)
}

func checkToken(token string) error {
	if n := utf8.RuneCountInString(token); n < 1 || n > MaxTokenLength || !utf8.ValidString(token) {
		return refuse(call.CodeTokenInvalid, "clientToken", "Choose a token recipe whose tokens are UTF-8 of 1 to 500 characters.",
			"The client token has %d characters or is not UTF-8.", n)
	}
	return nil
}

// encode returns the body of StartOutboundVoiceContact, with its members in the byte order of their names.
func encode(o call.Order) ([]byte, error) {
	p := o.Profile
	b := make([]byte, 0, 512)
	b, err := appendAttributes(append(b, '{'), o)
	if err != nil {
		return nil, err
	}
	b = appendMember(b, "ClientToken", o.Token)
	b = appendMember(b, "ContactFlowId", p.ContactFlowID)
	b = appendMember(b, "DestinationPhoneNumber", o.Destination.Wire())
	b = appendMember(b, "InstanceId", p.InstanceID)
	if !p.Unmarked {
		b = appendMember(b, "Name", NamePrefix+o.CallID)
	}
	if p.QueueID != "" {
		b = appendMember(b, "QueueId", p.QueueID)
	}
	if p.RingTimeout != 0 {
		b = append(b, `,"RingTimeoutInSeconds":`...)
		b = strconv.AppendInt(b, int64(p.RingTimeout/time.Second), 10)
	}
	if p.SourcePhone != "" {
		b = appendMember(b, "SourcePhoneNumber", p.SourcePhone)
	}
	return append(b, '}'), nil
}

// appendAttributes writes the member Attributes, ours included, and holds its limit to what goes on the wire: markup that was
// escaped is longer than what the producer sent.
func appendAttributes(b []byte, o call.Order) ([]byte, error) {
	names := slices.AppendSeq(make([]string, 0, len(o.Attributes)+1), maps.Keys(o.Attributes))
	if !o.Profile.Unmarked {
		names = append(names, CallIDAttribute)
	}
	slices.Sort(names)
	b = append(b, `"Attributes":{`...)
	total := 0
	for i, name := range names {
		value := o.Attributes[name]
		if name == CallIDAttribute {
			if _, taken := o.Attributes[name]; taken {
				return nil, refuse(call.CodeFieldValue, "attributes", "Rename it: the dialer writes its call id there.",
					"The field attributes holds the reserved name %s.", CallIDAttribute)
			}
			value = o.CallID
		} else if err := checkAttribute(name, value); err != nil {
			return nil, err
		} else if !o.Profile.RawMarkup {
			value = escapeMarkup(value)
		}
		total += len(name) + len(value)
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, name), ':')
		b = appendString(b, value)
	}
	if total > call.MaxAttributeBytes {
		return nil, refuse(call.CodeAttributesTooLarge, "attributes", "Send an id and let the flow look the rest up.",
			"The field attributes needs %d bytes on the wire, more than the %d that Amazon Connect takes.", total, call.MaxAttributeBytes)
	}
	return append(b, '}'), nil
}

func appendMember(b []byte, name, value string) []byte {
	b = append(append(append(b, ',', '"'), name...), '"', ':')
	return appendString(b, value)
}

// appendString writes a JSON string. Its callers have checked that the value is UTF-8, the only thing that can go wrong.
func appendString(b []byte, value string) []byte {
	b, _ = jsontext.AppendQuote(b, value)
	return b
}

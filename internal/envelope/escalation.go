package envelope

import (
	"bytes"
	"strconv"

	"github.com/ringonce/ringonce/internal/call"
)

// The members of one entry of an escalation list.
const (
	entryRecipientID = iota
	entryDestination
	entryProfile
	entryCount
)

var entryNames = [entryCount]string{"recipientId", "destinationPhoneNumber", "profile"}

// readEscalation reads a list of recipients. Its entries are read as the request itself is: names match exactly, null is absent, unknown members
// are ignored. What a list may hold beside that is for [call.Request.Validate] and the configuration to say.
func readEscalation(value raw) (list []call.Recipient, reason Reason, field string) {
	if len(value) == 0 || value.isNull() {
		return nil, "", ""
	}
	if !value.isArray() {
		return nil, ReasonFieldType, "escalation"
	}
	for entry := range value.elements() {
		if len(list) == call.MaxEscalation {
			return nil, ReasonFieldValue, "escalation"
		}
		name := "escalation[" + strconv.Itoa(len(list)) + "]"
		if !entry.isObject() {
			return nil, ReasonFieldType, name
		}
		r, reason, member := readRecipient(entry)
		if reason != "" {
			return nil, reason, name + "." + member
		}
		list = append(list, r)
	}
	return list, "", ""
}

func readRecipient(entry raw) (r call.Recipient, reason Reason, field string) {
	var m [entryCount]raw
	for name, member := range entry.members() {
		for i, known := range entryNames {
			switch {
			case string(name) == known:
				m[i] = member
			case len(name) >= len(known) && bytes.EqualFold(name, []byte(known)):
				return r, ReasonFieldCase, known
			}
		}
	}
	for i, to := range [entryCount]*string{&r.RecipientID, &r.Destination, &r.Profile} {
		if reason = textReason(m[i], i == entryRecipientID); reason != "" {
			return r, reason, entryNames[i]
		}
		if len(m[i]) > 0 && !m[i].isNull() {
			*to = m[i].text()
		}
		if hasPlaceholder(*to) {
			return r, ReasonFieldValue, entryNames[i]
		}
	}
	if r.Destination == "" {
		return r, "", ""
	}
	phone, err := call.ParsePhone(r.Destination)
	if err != nil {
		return r, ReasonFieldValue, entryNames[entryDestination]
	}
	r.Destination = phone.Wire()
	return r, "", ""
}

package envelope

import (
	"bytes"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/call"
)

// The members of a payload (design.md section 4), in the order in which they are checked.
const (
	memberNotificationID = iota
	memberRecipientID
	memberDestination
	memberRecallID
	memberClientToken
	memberProfile
	memberRequestedAt
	memberNotAfter
	memberAttributes
	memberAction
	memberTimeZone
	memberUrgent
	memberEscalation
	memberCount
)

var memberNames = [memberCount]string{
	"notificationId", "recipientId", "destinationPhoneNumber", "recallId", "clientToken",
	"profile", "requestedAt", "notAfter", "attributes", "action", "timeZone", "urgent", "escalation",
}

// payloadMarks are the names that make an object a payload. The other members have names that any object may have.
var payloadMarks = [][]byte{
	[]byte("notificationId"), []byte("recipientId"), []byte("destinationPhoneNumber"), []byte("recallId"), []byte("clientToken"),
}

const maxClientTokenRunes = 500 // StartOutboundVoiceContact, ClientToken

type members [memberCount]raw

// readPayload reads the request. Names match exactly and unknown members are ignored; a known name in another case of its
// letters is refused, because readers that match it and readers that do not would ring for different requests.
func (c *chain) readPayload(value raw) {
	if c.defect != nil {
		c.reject(c.defect.reason, "")
		return
	}
	var m members
	for name, member := range value.members() {
		index, exact := memberIndex(name)
		switch {
		case index < 0:
		case !exact:
			c.reject(ReasonFieldCase, memberNames[index])
			return
		default:
			m[index] = member
		}
	}
	c.readMembers(&m)
}

// readMembers reads the request from its members.
func (c *chain) readMembers(m *members) {
	request, reason, field := m.request(c.numberless)
	if reason == "" {
		reason, field = m.readHours(&request)
	}
	if reason == "" {
		request.Attributes, reason, field = readAttributes(m[memberAttributes])
	}
	if reason == "" {
		request.Escalation, reason, field = readEscalation(m[memberEscalation])
	}
	if reason == "" && !c.readTimes(m, &request) {
		return
	}
	if reason != "" {
		c.reject(reason, field)
		return
	}
	if err := request.Validate(); err != nil {
		c.refuse(err)
		return
	}
	c.enter("payload")
	c.record.Delivery.Request = request
	c.settle(VerdictOK, "", "")
}

func memberIndex(name []byte) (index int, exact bool) {
	for i, known := range memberNames {
		if string(name) == known {
			return i, true
		}
	}
	for i, known := range memberNames {
		if len(name) >= len(known) && bytes.EqualFold(name, []byte(known)) {
			return i, false
		}
	}
	return -1, false
}

// request reads everything but the times and the attributes.
func (m *members) request(numberless func(profile string) bool) (request call.Request, reason Reason, field string) {
	if reason = textReason(m[memberAction], false); reason != "" {
		return request, reason, memberNames[memberAction]
	}
	request.Action = call.Action(m[memberAction].text())
	targets := [...]*string{
		memberNotificationID: &request.NotificationID, memberRecipientID: &request.RecipientID, memberDestination: nil,
		memberRecallID: &request.RecallID, memberClientToken: &request.ClientToken, memberProfile: &request.Profile,
	}
	for index, target := range targets {
		required := index <= memberRecipientID ||
			index == memberDestination && !request.Withdraws() && (numberless == nil || !numberless(m.profile()))
		if reason = textReason(m[index], required); reason != "" {
			return request, reason, memberNames[index]
		}
		if m[index].isNull() || len(m[index]) == 0 {
			continue
		}
		value := m[index].text()
		if target == nil {
			phone, err := call.ParsePhone(value)
			if err != nil {
				return request, ReasonFieldValue, memberNames[index]
			}
			request.Destination = phone
			continue
		}
		if hasPlaceholder(value) {
			return request, ReasonFieldValue, memberNames[index]
		}
		*target = value
	}
	if utf8.RuneCountInString(request.ClientToken) > maxClientTokenRunes {
		return request, ReasonFieldValue, memberNames[memberClientToken]
	}
	return request, "", ""
}

// profile returns the profile that is asked for; empty when none is, or when the member is refused later.
func (m *members) profile() string {
	if textReason(m[memberProfile], true) != "" {
		return ""
	}
	return m[memberProfile].text()
}

// readHours reads what says when the recipient may be rung. Whether the name is a time zone's is asked later: that needs a list of them.
func (m *members) readHours(request *call.Request) (reason Reason, field string) {
	if reason = textReason(m[memberTimeZone], false); reason != "" {
		return reason, memberNames[memberTimeZone]
	}
	if zone := m[memberTimeZone]; len(zone) > 0 && !zone.isNull() {
		request.TimeZone = zone.text()
	}
	switch urgent := m[memberUrgent]; {
	case len(urgent) == 0 || urgent.isNull() || string(urgent) == "false":
	case string(urgent) == "true":
		request.Urgent = true
	default:
		return ReasonFieldType, memberNames[memberUrgent]
	}
	return "", ""
}

// textReason checks a member that must be a string with something in it. Null stands for absent where absence is allowed.
func textReason(value raw, required bool) Reason {
	switch {
	case len(value) == 0 && required:
		return ReasonFieldMissing
	case value.isNull() && required:
		return ReasonFieldNull
	case len(value) == 0 || value.isNull():
		return ""
	case !value.isString():
		return ReasonFieldType
	case len(bytes.TrimSpace(value.bytes())) == 0:
		return ReasonFieldValue
	}
	return ""
}

// readTimes reads requestedAt and notAfter. A requestedAt that is no time is dropped and flagged, because the request is still
// good; a notAfter that is no time refuses the request, because nobody can tell when it must no longer ring.
func (c *chain) readTimes(m *members, request *call.Request) bool {
	for _, index := range [...]int{memberRequestedAt, memberNotAfter} {
		value := m[index]
		switch {
		case len(value) == 0 || value.isNull():
			continue
		case !value.isString():
			c.reject(ReasonFieldType, memberNames[index])
			return false
		}
		at, ok := parseTime(value.text())
		switch {
		case ok && index == memberRequestedAt:
			request.RequestedAt = at
		case ok:
			request.NotAfter = at
		case index == memberRequestedAt:
			c.flag(flagUnparsable)
		default:
			c.reject(ReasonFieldValue, memberNames[index])
			return false
		}
	}
	return true
}

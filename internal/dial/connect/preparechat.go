package connect

import (
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The limits of StartChatContact (API reference: ParticipantDetails.DisplayName, InitialMessage.Content of text/plain,
// ChatDurationInMinutes).
const (
	maxDisplayName    = 256
	maxInitialMessage = 1024
	minChatMinutes    = 60
	maxChatMinutes    = 10_080
)

// encodeChat returns the body of StartChatContact. It has no Name: the call id stands in the attributes alone, where contact events lead to
// it and no search does.
func encodeChat(o call.Order) ([]byte, error) {
	p := o.Profile
	b := make([]byte, 0, 512)
	b, err := appendAttributes(append(b, '{'), o)
	if err != nil {
		return nil, err
	}
	if p.ContactDuration != 0 {
		minutes := int64(p.ContactDuration / time.Minute)
		if minutes < minChatMinutes || minutes > maxChatMinutes || p.ContactDuration%time.Minute != 0 {
			field := "profiles." + p.Name + ".contact_duration"
			return nil, refuse(call.CodeConfiguration, field, "Use whole minutes from 1h to 7d, or leave it out.", "The setting %s is %v.", field, p.ContactDuration)
		}
		b = strconv.AppendInt(append(b, `,"ChatDurationInMinutes":`...), minutes, 10)
	}
	b = appendMember(b, "ClientToken", o.Token)
	b = appendMember(b, "ContactFlowId", p.ContactFlowID)
	if p.InitialMessage != "" {
		text, err := filled(o, "initial_message", p.InitialMessage, maxInitialMessage)
		if err != nil {
			return nil, err
		}
		b = appendString(append(b, `,"InitialMessage":{"Content":`...), text)
		b = append(b, `,"ContentType":"text/plain"}`...)
	}
	b = appendMember(b, "InstanceId", p.InstanceID)
	name, err := filled(o, "display_name", p.DisplayName, maxDisplayName)
	if err != nil {
		return nil, err
	}
	if name == "" {
		field := "profiles." + p.Name + ".display_name"
		return nil, refuse(call.CodeConfiguration, field, "Write the name under which the customer appears.", "The setting %s is missing.", field)
	}
	b = appendString(append(b, `,"ParticipantDetails":{"DisplayName":`...), name)
	return append(b, "}}"...), nil
}

package connect

import (
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// maxDescription is the longest Description of StartTaskContact, in characters.
const maxDescription = 4096

// encodeTask returns the body of StartTaskContact. Its Name is the mark of the call, because a search finds nothing else; what an agent is
// to read stands in Description and in the attributes.
func encodeTask(o call.Order) ([]byte, error) {
	p := o.Profile
	b := make([]byte, 0, 512)
	b, err := appendAttributes(append(b, '{'), o)
	if err != nil {
		return nil, err
	}
	b = appendMember(b, "ClientToken", o.Token)
	if p.ContactFlowID != "" {
		b = appendMember(b, "ContactFlowId", p.ContactFlowID)
	}
	if b, err = appendText(b, o, "description", "Description", p.Description, maxDescription); err != nil {
		return nil, err
	}
	b = appendMember(b, "InstanceId", p.InstanceID)
	b = appendMember(b, "Name", NamePrefix+o.CallID)
	if p.QuickConnectID != "" {
		b = appendMember(b, "QuickConnectId", p.QuickConnectID)
	}
	if p.ContactDuration != 0 {
		minutes := int64(p.ContactDuration / time.Minute)
		if minutes < 1 || p.ContactDuration%time.Minute != 0 {
			field := "profiles." + p.Name + ".contact_duration"
			return nil, refuse(call.CodeConfiguration, field, "Use whole minutes, or leave it out.", "The setting %s is %v.", field, p.ContactDuration)
		}
		b = append(b, `,"SegmentAttributes":{"connect:ContactExpiry":{"ValueMap":{"ExpiryDuration":{"ValueInteger":`...)
		b = append(strconv.AppendInt(b, minutes, 10), "}}}}"...)
	}
	if p.TaskTemplateID != "" {
		b = appendMember(b, "TaskTemplateId", p.TaskTemplateID)
	}
	return append(b, '}'), nil
}

package connect

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Bounds of RingTimeoutInSeconds (StartOutboundVoiceContact).
const (
	MinRingTimeout = 15 * time.Second
	MaxRingTimeout = 60 * time.Second
)

// checkProfile returns an *[call.Error] that names the first setting of a profile that cannot be dialed with. The names are
// those of the configuration: profiles.<name>.<setting>.
func checkProfile(p call.Profile) error {
	ids := [...]struct {
		setting, value string
		required       bool
	}{
		{"instance_id", p.InstanceID, true},
		{"contact_flow_id", p.ContactFlowID, p.Kind != call.KindTask || p.TaskTemplateID == "" && p.QuickConnectID == ""},
		{"queue_id", p.QueueID, false},
		{"task_template_id", p.TaskTemplateID, false},
		{"quick_connect_id", p.QuickConnectID, false},
	}
	for _, id := range ids {
		if id.value == "" && !id.required || isGUID(id.value) {
			continue
		}
		return badID("profiles."+p.Name+"."+id.setting, id.value)
	}
	if p.Kind == call.KindTask && moreThanOne(p.ContactFlowID, p.TaskTemplateID, p.QuickConnectID) {
		field := "profiles." + p.Name + ".contact_flow_id"
		return refuse(call.CodeConfiguration, field, "Keep one of contact_flow_id, task_template_id and quick_connect_id.", "The setting %s is one of several ways to a flow.", field)
	}
	if p.SourcePhone != "" {
		if _, err := call.ParsePhone(p.SourcePhone); err != nil {
			field := "profiles." + p.Name + ".source_phone"
			return refuse(call.CodeConfiguration, field, "Write + and 2 to 15 digits.", "The setting %s is not an E.164 number.", field)
		}
	}
	t := p.RingTimeout
	if t != 0 && (t < MinRingTimeout || t > MaxRingTimeout || t%time.Second != 0) {
		field := "profiles." + p.Name + ".ring_timeout"
		return refuse(call.CodeConfiguration, field, "Use whole seconds from 15s to 60s, or leave it out.", "The setting %s is %v.", field, t)
	}
	return nil
}

func moreThanOne(values ...string) bool {
	n := 0
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n > 1
}

// badID tells the three ways in which an id is wrong apart, because the fix differs.
func badID(field, value string) error {
	switch {
	case value == "":
		return refuse(call.CodeConfiguration, field, "Set it to the id at the end of the ARN.", "The setting %s is missing.", field)
	case strings.HasPrefix(value, "arn:"):
		last := value[strings.LastIndexAny(value, "/:")+1:]
		return refuse(call.CodeConfiguration, field, "Use its last part: "+last+".", "The setting %s is an ARN, not an id.", field)
	}
	return refuse(call.CodeConfiguration, field, "Use the id at the end of the ARN, such as 11111111-2222-4333-8444-555555555555.",
		"The setting %s is not an id of Amazon Connect.", field)
}

// isGUID reports whether s has the form 8-4-4-4-12 of hexadecimal digits.
func isGUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
		}
	}
	return true
}

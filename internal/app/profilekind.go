package app

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
)

// longestContact is the longest chat that can be asked for (StartChatContact, ChatDurationInMinutes: 60 to 10,080 minutes). Tasks are held
// to it too: no limit of their expiry is written down.
const longestContact = 7 * 24 * time.Hour

// is reports whether the profile makes contacts of the kind.
func (p Profile) is(k call.Kind) bool {
	return p.Kind == string(k) || p.Kind == "" && k == call.KindVoice
}

// namesFlow reports whether the profile must name its flow: a task can also take it from a template or a quick connect.
func (p Profile) namesFlow() bool {
	return !p.is(call.KindTask) || p.TaskTemplateID == "" && p.QuickConnectID == ""
}

func (p Profile) longestLast() time.Duration {
	if p.is(call.KindVoice) {
		return 24 * time.Hour
	}
	return longestContact
}

func (p Profile) shortestLast() time.Duration {
	if p.is(call.KindChat) {
		return time.Hour
	}
	return time.Minute
}

// checkKind refuses settings of another kind, which would be set in vain, and those that a kind cannot keep.
func (c *Config) checkKind(p Profile, field string) error {
	if err := c.oneOf(field+".kind", p.Kind, "voice", "chat", "task"); err != nil {
		return err
	}
	settings := []struct {
		name, value string
		kinds       []call.Kind
	}{
		{"queue_id", p.QueueID, []call.Kind{call.KindVoice}},
		{"source_phone", p.SourcePhone, []call.Kind{call.KindVoice}},
		{"ring_timeout", p.RingTimeout, []call.Kind{call.KindVoice}},
		{"outcome", p.Outcome, []call.Kind{call.KindVoice}},
		{"display_name", p.DisplayName, []call.Kind{call.KindChat}},
		{"initial_message", p.InitialMessage, []call.Kind{call.KindChat}},
		{"description", p.Description, []call.Kind{call.KindTask}},
		{"task_template_id", p.TaskTemplateID, []call.Kind{call.KindTask}},
		{"quick_connect_id", p.QuickConnectID, []call.Kind{call.KindTask}},
		{"contact_duration", p.ContactDuration, []call.Kind{call.KindChat, call.KindTask}},
	}
	for _, s := range settings {
		if s.value != "" && !slices.ContainsFunc(s.kinds, p.is) {
			return c.refuse(field+"."+s.name, "Remove it, or set the kind that it belongs to.", "is no setting of kind: %s.", p.kindName())
		}
	}
	if p.is(call.KindVoice) {
		return nil
	}
	return c.checkOtherKind(p, field)
}

func (p Profile) kindName() string {
	if p.Kind == "" {
		return string(call.KindVoice)
	}
	return p.Kind
}

// checkOtherKind checks what chats and tasks need, and refuses what is safe for voice alone.
func (c *Config) checkOtherKind(p Profile, field string) error {
	switch {
	case p.Resend == string(call.ResendToken):
		return c.refuse(field+".resend", "Use evidence or never, or leave it out.", "is token, and AWS does not say for how long it honors the token of a %s.", p.Kind)
	case p.Mark == "off":
		return c.refuse(field+".mark", "Set mark: on.", "is off, which only kind: voice permits.")
	case p.is(call.KindChat) && p.DisplayName == "":
		return c.refuse(field+".display_name", "Write the name under which the customer appears in the chat.", "is missing, and kind is chat.")
	}
	flows := 0
	for _, id := range []struct{ name, value string }{
		{"contact_flow_id", p.ContactFlowID}, {"task_template_id", p.TaskTemplateID}, {"quick_connect_id", p.QuickConnectID},
	} {
		if err := c.guid(field+"."+id.name, id.value, false); err != nil {
			return err
		}
		if id.value != "" {
			flows++
		}
	}
	if flows > 1 {
		return c.refuse(field+".contact_flow_id", "Keep one of contact_flow_id, task_template_id and quick_connect_id.", "is one of several ways to a flow, and a task takes one.")
	}
	for _, text := range []struct{ name, value string }{
		{"display_name", p.DisplayName}, {"initial_message", p.InitialMessage}, {"description", p.Description},
	} {
		if err := connect.CheckText(text.value); err != nil {
			return c.refuse(field+"."+text.name, "Write {name} for an attribute of the request, with letters, digits, - and _.", "%v.", err)
		}
	}
	return nil
}

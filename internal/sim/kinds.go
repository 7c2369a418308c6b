package sim

import (
	"cmp"
	"strings"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// addProfiles gives a world of kinds a profile of each other kind. With the planted shift a deployment makes them profiles of calls.
func (w *World) addProfiles(c *app.Config, deployed string, voice app.Profile) {
	if !w.Setting.Kinds {
		return
	}
	resend := w.Setting.Resend
	if resend == "token" {
		resend = "" // which is evidence
	}
	base := app.Profile{
		Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, Window: w.Setting.Window, Resend: resend,
		MaxAttempts: w.Setting.Attempts, Deadline: w.Setting.Deadline, WindowReopen: w.Setting.Reopen,
	}
	chat, task := base, base
	chat.Kind, chat.DisplayName, chat.ContactDuration = "chat", "Customer", w.Setting.ChatTime
	task.Kind, task.Description, task.ContactDuration = "task", "Call back", w.Setting.TaskTime
	if w.options.Plant.KindShift && deployed == deployFlow {
		chat, task = voice, voice
	}
	c.Profiles["chat"], c.Profiles["task"] = chat, task
}

// kind returns the kind of a subject, which its name ends with: n1/chat, n1/task.
func (s *subject) kind() call.Kind {
	_, kind, _ := strings.Cut(s.name, "/")
	return call.Kind(cmp.Or(kind, string(call.KindVoice)))
}

// channels are the channels of the kinds.
func channelOf(kind call.Kind) connectemu.Channel {
	switch kind {
	case call.KindChat:
		return connectemu.ChannelChat
	case call.KindTask:
		return connectemu.ChannelTask
	case call.KindVoice:
	}
	return connectemu.ChannelVoice
}

// starts reports whether the operation makes contacts.
func starts(op connectemu.Operation) bool {
	return op == connectemu.OpStart || op == connectemu.OpStartChat || op == connectemu.OpStartTask
}

// judgeKinds sees that each contact is of the kind of its call, that each call is of the kind of its profile, and that no two have one token.
func (w *World) judgeKinds(rows []call.Call) {
	if !w.Setting.Kinds {
		return
	}
	for _, contact := range w.phone.rings() {
		c, known := hasRow(rows, contact.callID)
		if known && channelOf(c.Key.Kind) != contact.channel {
			w.find("%s of kind %s became a contact of %s", keyName(c.Key), c.Key.Kind, contact.channel)
		}
		w.mark("contact of " + string(contact.channel))
	}
	tokens := map[string]call.Kind{}
	for _, c := range rows {
		other := c.Profile == "chat" || c.Profile == "task"
		if kind := string(c.Key.Kind); (other && kind != c.Profile) || (!other && c.Profile != "" && c.Key.Kind != call.KindVoice) {
			w.find("%s asked for the profile %s and is of kind %s", keyName(c.Key), c.Profile, kind)
		}
		if earlier, taken := tokens[c.Token]; taken && c.Token != "" {
			w.find("a %s and a %s have one token", earlier, c.Key.Kind)
		}
		tokens[c.Token] = c.Key.Kind
		w.mark(string(c.Key.Kind) + " " + string(c.State))
		if c.AttemptCount > 1 && len(c.Open) == 0 && c.State == call.Placed {
			w.mark(string(c.Key.Kind) + " placed after several attempts")
		}
		w.mark(string(c.Key.Kind) + " by " + c.ContactFrom)
	}
}

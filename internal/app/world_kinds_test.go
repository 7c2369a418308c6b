package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const defaultKindSeeds = 160

// addKinds gives the world profiles of the other kinds, and its telephone network what AWS does not say about their tokens.
func (w *world) addKinds() {
	if !w.kinds {
		return
	}
	resend := w.resend
	if resend == "token" {
		resend = "" // which is evidence
	}
	base := app.Profile{
		Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, Window: w.window, Resend: resend,
		MaxAttempts: w.profile.MaxAttempts, Deadline: w.profile.Deadline, WindowReopen: w.profile.WindowReopen,
	}
	chat, task := base, base
	chat.Kind, chat.DisplayName, chat.ContactDuration = "chat", "Customer", pick(w, "", "1h")
	task.Kind, task.Description, task.ContactDuration = "task", "Call back", pick(w, "", "10m", "3h", "5d")
	w.others = map[string]app.Profile{"chat": chat, "task": task}
	rules := w.emu.Plan()
	for range w.rng.IntN(4) {
		rules.Rules = append(rules.Rules, connectemu.Rule{
			Fault: pick(w, connectemu.PlaceThen500, connectemu.PlaceThenReset, connectemu.PlaceThenBraces, connectemu.Fail500, connectemu.ResetBefore, connectemu.Throttle),
			Times: 1 + w.rng.IntN(5), Probability: pick(w, 0.3, 0.6, 1), Operation: pick(w, connectemu.OpStartChat, connectemu.OpStartTask),
		})
	}
	err := w.emu.SetPlan(rules)
	if err == nil {
		err = w.emu.Update(func(c *connectemu.Config) {
			c.TokensShared = w.chance(0.4)
			for _, d := range []*connectemu.Digital{&c.Chats, &c.Tasks} {
				d.TokenValidity = pick(w, connectemu.DefaultTokenValidity, time.Hour, time.Minute, connectemu.Off)
				d.MaxActive, d.Lasts = pick(w, 500, 1), pick(w, time.Minute, time.Hour, 25*time.Hour)
			}
		})
	}
	if err != nil {
		panic(err)
	}
	w.faults = rules.String()
}

// addTwins adds subjects of the other kinds with the same ids.
func (w *world) addTwins(s *subject) {
	if !w.kinds {
		return
	}
	for _, kind := range []call.Kind{call.KindChat, call.KindTask} {
		if w.chance(0.7) {
			w.subjects = append(w.subjects, &subject{name: s.name, recall: s.recall, kind: kind, profile: string(kind), number: pick(w, "", s.number)})
		}
	}
}

// starts reports whether the operation makes contacts.
func starts(op connectemu.Operation) bool {
	return op == connectemu.OpStart || op == connectemu.OpStartChat || op == connectemu.OpStartTask
}

// started returns the rings, and after them every contact of another kind, as if it had rung.
func (w *world) started() []connectemu.Ring {
	rings := w.emu.Rings()
	for _, channel := range []connectemu.Channel{connectemu.ChannelChat, connectemu.ChannelTask} {
		for _, c := range w.emu.ContactsOf(channel) {
			rings = append(rings, connectemu.Ring{At: c.InitiatedAt, ContactID: c.ID, InstanceID: c.InstanceID, Token: c.Token, Name: c.Name, Attributes: c.Attributes})
		}
	}
	return rings
}

// judgeKinds sees that each contact is of the kind of its call, that each call is of the kind of its profile, and that no two have one
// token.
func (w *world) judgeKinds(rows []call.Call) {
	if !w.kinds {
		return
	}
	channels := map[call.Kind]connectemu.Channel{
		call.KindVoice: connectemu.ChannelVoice, call.KindChat: connectemu.ChannelChat, call.KindTask: connectemu.ChannelTask,
	}
	for _, contact := range w.emu.Contacts() {
		c, known := w.hasRow(rows, contact.Attributes["ringonceCallId"])
		if known && channels[c.Key.Kind] != contact.Channel {
			w.find("%s of kind %s became a contact of %s", c.Key.NotificationID, c.Key.Kind, contact.Channel)
		}
		w.mark("contact of " + string(contact.Channel))
	}
	tokens := map[string]call.Kind{}
	for _, c := range rows {
		if other := w.others[c.Profile]; c.Profile != "" && string(c.Key.Kind) != other.Kind && (other.Kind != "" || c.Key.Kind != call.KindVoice) {
			w.find("%s asked for the profile %s and is of kind %s", c.Key.NotificationID, c.Profile, c.Key.Kind)
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

func TestNoSeedDoesSoWithContactsOfEveryKind(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultKindSeeds)
	reached := explore(t, plan{kinds: true}, first, count, complain(t, t.Name()))
	if count >= defaultKindSeeds {
		for _, name := range []string{
			"contact of VOICE", "contact of CHAT", "contact of TASK", "chat placed", "task placed", "chat in_doubt", "task in_doubt", "chat canceled", "task failed",
			"chat by event", "task by event", "task by search", "task placed after several attempts", "restored",
		} {
			if reached[name] == 0 {
				t.Errorf("no seed reached: %s", name)
			}
		}
	}
	t.Log(reached)
}

// kindDefects are what a world of kinds must see.
func kindDefects() []defect {
	return []defect{
		{name: "kinds share a token", sees: "another call has its token", kindToken: func(_ call.Kind, token string) string { return token }},
		{name: "kinds share a key", sees: "is not in the ledger", ledger: func(l call.Ledger) call.Ledger { return oneKind{l} }},
		{name: "profiles change their kind", sees: "and is of kind voice", kindShift: true},
		{name: "every contact is made as a call's", sees: "became a contact of VOICE", dialer: func(d call.Dialer) call.Dialer { return voiceDialer{d} }},
		{name: "a chat's lost answer is sent again", sees: "2 rings for one call", dialer: func(d call.Dialer) call.Dialer { return &eagerDialer{Dialer: d} }},
	}
}

// oneKind keeps the rows of all kinds under the id of the call.
type oneKind struct{ call.Ledger }

// Create implements call.Ledger.
func (l oneKind) Create(ctx context.Context, w call.Write) (call.Written, error) {
	key := w.Row.Key
	key.Kind = call.KindVoice
	w.Row.ID = call.Naming{}.Row(key, w.Row.Ring)
	w.Entry.RowID = w.Row.ID
	return l.Ledger.Create(ctx, w)
}

// voiceDialer takes every kind for a call, as a dialer would that never learned about others.
type voiceDialer struct{ call.Dialer }

// Prepare implements call.Dialer.
func (d voiceDialer) Prepare(o call.Order) ([]byte, error) {
	o.Profile.Kind, o.Profile.QueueID = call.KindVoice, "33333333-3333-4333-8333-333333333333"
	if o.Destination.IsZero() {
		o.Destination, _ = call.ParsePhone(number(1))
	}
	return d.Dialer.Prepare(o)
}

// Dial implements call.Dialer.
func (d voiceDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	s.Kind = call.KindVoice
	return d.Dialer.Dial(ctx, s)
}

func TestEachPlantedDefectOfKindsIsSeen(t *testing.T) {
	t.Parallel()
	for _, d := range kindDefects() {
		t.Run(d.name, func(t *testing.T) {
			seen := ""
			explore(t, plan{kinds: true, defect: d}, 1, defaultKindSeeds, func(seed uint64, findings []string) bool {
				i := slices.IndexFunc(findings, func(finding string) bool { return strings.Contains(finding, d.sees) })
				if i >= 0 && seen == "" {
					seen = fmt.Sprintf("seed %d: %s", seed, findings[i])
				}
				return seen == ""
			})
			if seen == "" {
				t.Fatalf("%d seeds do not see %q", defaultKindSeeds, d.sees)
			}
			t.Log(seen)
		})
	}
}

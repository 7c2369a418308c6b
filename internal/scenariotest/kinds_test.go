package scenariotest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// channels are the channels of the contacts that requests of each kind become.
var channels = map[call.Kind]connectemu.Channel{
	call.KindVoice: connectemu.ChannelVoice, call.KindChat: connectemu.ChannelChat, call.KindTask: connectemu.ChannelTask,
}

// threeKinds adds profiles that make chats and tasks.
func threeKinds(c *app.Config) {
	base := app.Profile{Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: flow}
	chat, task := base, base
	chat.Kind, chat.DisplayName = "chat", "Customer"
	task.Kind, task.Description = "task", "Call back"
	c.Profiles["chat"], c.Profiles["task"] = chat, task
}

// oneRoom is a telephone network without limits of rate, on which a token of two kinds would be answered with the contact of the other.
func oneRoom() connectemu.Config {
	unlimited := connectemu.Digital{Rate: connectemu.Unlimited}
	return connectemu.Config{TokensShared: true, Chats: unlimited, Tasks: unlimited}
}

// ofEveryKind returns a request for a call, a chat and a task, which differ in the profile alone; the chat has no number.
func ofEveryKind(request object) []object {
	return []object{request, request.with("profile", "chat").with("destinationPhoneNumber", nil), request.with("profile", "task")}
}

// silent returns the contacts that ring no phone.
func (w *world) silent() []connectemu.Contact {
	return append(w.emu.ContactsOf(connectemu.ChannelChat), w.emu.ContactsOf(connectemu.ChannelTask)...)
}

// made sees how many phones rang, and how many chats and tasks there are.
func (w *world) made(calls, chats, tasks int) {
	w.Helper()
	w.rang(calls)
	for channel, want := range map[connectemu.Channel]int{
		connectemu.ChannelVoice: calls, connectemu.ChannelChat: chats, connectemu.ChannelTask: tasks,
	} {
		if got := len(w.emu.ContactsOf(channel)); got != want {
			w.Errorf("%d contacts of %s, want %d", got, channel, want)
		}
	}
}

// misplaced returns what does not belong together: a contact of another kind or with another token than its call, and a token of two calls.
func misplaced(rows []call.Call, contacts []connectemu.Contact) (wrong []string) {
	find := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	byID, byToken := map[string]call.Call{}, map[string]string{}
	for _, c := range rows {
		byID[c.ID] = c
		if other := byToken[c.Token]; c.Token != "" && other != "" {
			find("%s and %s have one token", other, c.ID)
		}
		byToken[c.Token] = c.ID
	}
	for _, contact := range contacts {
		c, known := byID[contact.Attributes["ringonceCallId"]]
		if !known {
			continue // CheckTruth says it
		}
		if channels[c.Key.Kind] != contact.Channel {
			find("%s of kind %s became a contact of %s", c.ID, c.Key.Kind, contact.Channel)
		}
		if c.Token != "" && c.Token != contact.Token {
			find("the contact of %s carries the token of another one", c.ID)
		}
	}
	return wrong
}

func TestScenarioI5ACallAChatAndATaskAtOnceEachOwnTheirRecord(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{config: threeKinds, network: oneRoom()}, func(w *world) {
		requests := func(n int) []object { // only recallId and kind tell them apart
			return ofEveryKind(wish(7).with("recallId", fmt.Sprintf("r-%d", n)).with("attributes", object{"n": fmt.Sprint(n)}))
		}
		for _, again := range []bool{false, true} {
			var all sync.WaitGroup
			for n := range 100 {
				all.Go(func() {
					var three []message
					for i, request := range requests(n) {
						three = append(three, message{id: fmt.Sprintf("m-%d-%d", n, i), body: request.text()})
					}
					for i, r := range w.deliver(batch(three...)) { // one invocation makes all three
						w.met(r.Outcome, call.MetPlaced, call.AckDone)
						if own := w.row(requests(n)[i], 0).ID; r.Outcome.Replayed != again || again && r.Outcome.By != own {
							w.Errorf("request %d of kind %d was answered by %q and not by its own %q", n, i, r.Outcome.By, own)
						}
					}
				})
			}
			all.Wait()
			w.made(100, 100, 100)
			w.asked(300)
		}
		for n := range 100 {
			for _, request := range requests(n) {
				c := w.stands(request, call.Placed)
				contact, _ := w.emu.Contact(c.ContactID)
				if contact.Attributes["n"] != fmt.Sprint(n) || contact.Attributes["ringonceCallId"] != c.ID || contact.Channel != channels[c.Key.Kind] {
					w.Errorf("request %d of kind %s has the contact of another one", n, c.Key.Kind)
				}
			}
		}
	})
}

func TestScenarioI55ACallAChatAndATaskOfOneBusinessIDHaveRecordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{config: threeKinds, network: oneRoom(), faults: "place-then-reset op=StartTaskContact nth=1"}, func(w *world) {
		w.sweep() // there is a sweeper: what it takes over is acknowledged
		three := ofEveryKind(wish(1))
		for i, met := range []call.Situation{call.MetPlaced, call.MetPlaced, call.MetDialing} { // the answer about the task is lost
			out := w.sendAs("m-first", three[i])
			w.met(out, met, call.AckDone)
			if out.Replayed || out.By != "" {
				w.Errorf("the request for a %s was answered by the call %q", key(three[i]).Kind, out.By)
			}
		}
		w.made(1, 1, 1)
		reasons := []string{call.ReasonDuplicate, call.ReasonDuplicate, call.ReasonInProgress}
		for i, request := range three { // each duplicate is answered by the record of its kind
			w.suppressed(w.sendAs("m-second", request), reasons[i], request)
		}
		w.met(w.send(three[1].with("attributes", object{"language": "ja-JP"})), call.MetConflict, call.AckDone)
		w.sweepFor(2 * day)
		for _, request := range three {
			w.stands(request, call.Placed)
		}
		w.made(1, 1, 1)

		asked, next := time.Now(), ofEveryKind(wish(2))
		time.Sleep(time.Second)
		w.met(w.sendAs("m-cancel", cancel(2, time.Now()).with("profile", "chat")), call.MetCancelKept, call.AckDone)
		for i, met := range []call.Situation{call.MetPlaced, call.MetCanceled, call.MetPlaced} { // the cancel withdrew one key of the three
			w.met(w.sendAs("m-third", next[i].with("requestedAt", asked.UTC().Format(time.RFC3339))), met, call.AckDone)
		}
		w.made(2, 1, 2)
	})
}

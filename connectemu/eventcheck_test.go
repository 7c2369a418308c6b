package connectemu_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// told is an event document as a reader of the admin guide's schema sees it.
type told struct {
	Version    string
	ID         string
	DetailType string `json:"detail-type"`
	Source     string
	Account    string
	Time       time.Time
	Region     string
	Resources  []string
	ReplayName string `json:"replay-name"`
	Detail     toldDetail
}

type toldDetail struct {
	EventType                  string
	ContactID                  string `json:"contactId"`
	Channel                    string
	InstanceARN                string `json:"instanceArn"`
	InitiationMethod           string
	InitiationTimestamp        time.Time
	ConnectedToSystemTimestamp time.Time
	DisconnectTimestamp        time.Time
	DisconnectReason           string
	MachineStatus              string `json:"answeringMachineDetectionStatus"`
	UpdatedProperties          []string
	QueueInfo                  struct {
		QueueARN string `json:"queueArn"`
	}
	AgentInfo struct {
		ConnectedToAgentTimestamp time.Time
	}
	Tags map[string]string
}

func readEvent(t *testing.T, event connectemu.Event) told {
	t.Helper()
	var e told
	if err := json.Unmarshal(event.Document, &e); err != nil {
		t.Fatalf("%v in %s", err, event.Document)
	}
	return e
}

// lies compares what events say of a contact that has ended with what the contact was. Each event is expected once.
func lies(contact connectemu.Contact, events []told) []string {
	var found []string
	lie := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	want := []string{"INITIATED", "DISCONNECTED", "COMPLETED"}
	if !contact.ConnectedAt.IsZero() {
		want = slices.Insert(want, 1, "CONNECTED_TO_SYSTEM")
		switch contact.Fate { //nolint:exhaustive // the other fates reach no agent
		case connectemu.FateAgentEnds, connectemu.FateThirdParty, connectemu.FateBarged:
			want = slices.Insert(want, 2, "QUEUED")
			if contact.DisconnectedAt.Sub(contact.ConnectedAt) > connectemu.DefaultTalkTime/4 { // else it ended before an agent took it
				want = slices.Insert(want, 3, "CONNECTED_TO_AGENT")
			}
		default:
		}
	}
	var got []string
	for _, e := range events {
		got = append(got, e.Detail.EventType)
		d := e.Detail
		var connected, disconnected time.Time
		reason := ""
		if d.EventType != "INITIATED" {
			connected = contact.ConnectedAt
		}
		if d.EventType == "DISCONNECTED" || d.EventType == "COMPLETED" {
			disconnected, reason = contact.DisconnectedAt, contact.DisconnectReason
		}
		if d.ContactID != contact.ID || d.Channel != "VOICE" || d.InitiationMethod != "API" || !strings.HasSuffix(d.InstanceARN, ":instance/"+contact.InstanceID) {
			lie("%s is about another contact: %+v", d.EventType, d)
		}
		if !d.InitiationTimestamp.Equal(contact.InitiatedAt) || !d.ConnectedToSystemTimestamp.Equal(connected) || !d.DisconnectTimestamp.Equal(disconnected) {
			lie("%s: initiated, connected and ended at %v, %v and %v", d.EventType, d.InitiationTimestamp, d.ConnectedToSystemTimestamp, d.DisconnectTimestamp)
		}
		if d.DisconnectReason != reason {
			lie("%s: ended for %q, was %q", d.EventType, d.DisconnectReason, reason)
		}
		if e.Source != "aws.connect" || e.DetailType != "Amazon Connect Contact Event" || e.Version != "0" || len(e.Resources) != 2 || e.Time.IsZero() {
			lie("%s: the envelope is none of EventBridge: %+v", d.EventType, e)
		}
	}
	if !slices.Equal(got, want) {
		lie("events are %v, want %v", got, want)
	}
	return found
}

// endedCall is a call of a fate that has ended, and its events.
func endedCall(t *testing.T, fate connectemu.Fate) (connectemu.Contact, []told) {
	t.Helper()
	w := newWorld(t, func(c *connectemu.Config) { c.Phones = map[string]connectemu.Fate{answers: fate} })
	id := w.mustStart(answers, "token")
	w.clock.Advance(3 * time.Minute)
	var events []told
	for _, e := range w.server.TakeEvents() {
		events = append(events, readEvent(t, e))
	}
	contact, _ := w.server.Contact(id)
	return contact, events
}

func TestEventsTellTheLifeOfEveryFate(t *testing.T) {
	t.Parallel()
	for _, fate := range connectemu.Fates() {
		if fate == connectemu.FateNotAllowed || fate == connectemu.FateNotPermitted {
			continue // no contact, no event: TestRefusedStartsTellNothing
		}
		for _, lie := range lies(endedCall(t, fate)) {
			t.Errorf("%s: %s", fate, lie)
		}
	}
}

// TestLiesAreSeen plants what events could say wrongly; each has to be found.
func TestLiesAreSeen(t *testing.T) {
	t.Parallel()
	plants := map[string]func([]told) []told{
		"an answer that never was": func(e []told) []told {
			fake := e[1]
			fake.Detail.EventType = "CONNECTED_TO_SYSTEM"
			return slices.Insert(e, 1, fake)
		},
		"no end":             func(e []told) []told { return e[:1] },
		"told twice":         func(e []told) []told { return append(e, e[len(e)-1]) },
		"another reason":     func(e []told) []told { e[1].Detail.DisconnectReason = "CUSTOMER_DISCONNECT"; return e },
		"no reason":          func(e []told) []told { e[1].Detail.DisconnectReason = ""; return e },
		"a reason too early": func(e []told) []told { e[0].Detail.DisconnectReason = "TELECOM_BUSY"; return e },
		"another contact":    func(e []told) []told { e[0].Detail.ContactID = queueID; return e },
		"another channel":    func(e []told) []told { e[0].Detail.Channel = "CHAT"; return e },
		"another time":       func(e []told) []told { e[1].Detail.DisconnectTimestamp = epoch; return e },
		"another beginning":  func(e []told) []told { e[1].Detail.InitiationTimestamp = epoch.Add(time.Second); return e },
		"a connect stamp":    func(e []told) []told { e[1].Detail.ConnectedToSystemTimestamp = epoch; return e },
		"out of order":       func(e []told) []told { e[0], e[1] = e[1], e[0]; return e },
		"another source":     func(e []told) []told { e[0].Source = "aws.sqs"; return e },
	}
	for name, plant := range plants {
		contact, events := endedCall(t, connectemu.FateBusy)
		if len(lies(contact, plant(events))) == 0 {
			t.Errorf("%s was not seen", name)
		}
	}
}

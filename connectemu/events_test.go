package connectemu_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
)

// kinds are the types of events in the order of their delivery.
func kinds(events []connectemu.Event) string {
	var names []string
	for _, e := range events {
		names = append(names, string(e.Type))
	}
	return strings.Join(names, " ")
}

func eventPlan(t *testing.T, text string) func(*connectemu.Config) {
	t.Helper()
	plan, err := connectemu.ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	if again := plan.String(); again != text {
		t.Errorf("%q prints itself as %q", text, again)
	}
	return func(c *connectemu.Config) { c.Faults = plan }
}

func TestEventsComeWhenTheyHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustStart(answers, "")
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "INITIATED"}, {8*time.Second - 1, ""}, {1, "CONNECTED_TO_SYSTEM"}, {30*time.Second - 1, ""}, {1, "DISCONNECTED COMPLETED"}, {time.Hour, ""},
	} {
		w.clock.Advance(step.after)
		if got := kinds(w.server.TakeEvents()); got != step.want {
			t.Errorf("%v later: %q, want %q", step.after, got, step.want)
		}
	}
	if n := len(w.server.Events()); n != 4 {
		t.Errorf("%d events in the log, want 4", n)
	}
}

func TestAStopTellsItsOwnEnd(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]string{
		3 * time.Second:  "INITIATED DISCONNECTED COMPLETED TELECOM_ORIGINATOR_CANCEL",
		10 * time.Second: "INITIATED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED OTHER",
	} {
		w := newWorld(t)
		id := w.mustStart(answers, "")
		w.clock.Advance(after)
		stop := &connect.StopContactInput{InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(id)}
		if _, err := w.client.StopContact(t.Context(), stop); err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Hour)
		events := w.server.TakeEvents()
		last := readEvent(t, events[len(events)-1])
		if got := kinds(events) + " " + last.Detail.DisconnectReason; got != want || !last.Detail.DisconnectTimestamp.Equal(epoch.Add(after)) {
			t.Errorf("stopped after %v: %q at %v", after, got, last.Detail.DisconnectTimestamp)
		}
	}
}

func TestPhonesAreAnsweredAndHungUpByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced, func(c *connectemu.Config) { c.MaxConcurrentCalls = 3 })
	const silent = "+819000000091"
	answered, declined, ended := w.mustStart(silent, ""), w.mustStart(silent, ""), w.mustStart(answers, "")
	w.clock.Advance(10 * time.Second)
	for id, act := range map[string]func(string) error{answered: w.server.Answer, declined: w.server.HangUp, ended: w.server.HangUp} {
		if err := act(id); err != nil {
			t.Fatal(err)
		}
	}
	for name, err := range map[string]error{
		"answered twice": w.server.Answer(answered), "answered after the end": w.server.Answer(ended), "nobody": w.server.HangUp(nowhere),
	} {
		if !errors.Is(err, connectemu.ErrContact) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.mustStart(silent, "") // two have left the count of three
	w.mustStart(silent, "")
	if _, err := w.start(silent, ""); codeOf(err) != connectemu.CodeLimitExceeded {
		t.Errorf("the call that was answered by hand has left the count: %v", err)
	}
	w.clock.Advance(time.Hour)
	got := map[string]string{}
	for _, e := range w.server.TakeEvents() {
		read := readEvent(t, e)
		got[e.ContactID] += string(e.Type) + read.Detail.DisconnectReason + " "
	}
	for id, want := range map[string]string{
		answered: "INITIATED CONNECTED_TO_SYSTEM DISCONNECTEDCUSTOMER_DISCONNECT COMPLETEDCUSTOMER_DISCONNECT ",
		declined: "INITIATED DISCONNECTEDTELECOM_BUSY COMPLETEDTELECOM_BUSY ",
		ended:    "INITIATED CONNECTED_TO_SYSTEM DISCONNECTEDCUSTOMER_DISCONNECT COMPLETEDCUSTOMER_DISCONNECT ",
	} {
		if got[id] != want {
			t.Errorf("%q, want %q", got[id], want)
		}
	}
	contact, _ := w.server.Contact(answered)
	if contact.ConnectedAt != epoch.Add(10*time.Second) || contact.DisconnectedAt != epoch.Add(40*time.Second) {
		t.Errorf("answered by hand: %+v", contact)
	}
}

func TestRefusedStartsTellNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.start("+819000000098", "a")
	wantCode(t, err, connectemu.CodeNotAllowed, 403)
	w.mustStart(answers, "b")
	w.mustStart(answers, "b")
	w.clock.Advance(time.Hour)
	if got := kinds(w.server.TakeEvents()); got != "INITIATED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" {
		t.Errorf("got %q", got)
	}
}

func TestUpdatesOfAttributesAreToldWithoutTheAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(answers)
	in.Attributes = map[string]string{"secret": "attribute-value"}
	out, err := w.client.StartOutboundVoiceContact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.update(*out.ContactId, map[string]string{"secret": "other-value"}); err != nil {
		t.Fatal(err)
	}
	events := w.server.TakeEvents()
	if kinds(events) != "INITIATED CONTACT_DATA_UPDATED" || fmt.Sprint(readEvent(t, events[1]).Detail.UpdatedProperties) != "[UserDefinedAttributes]" {
		t.Errorf("got %q: %s", kinds(events), events[1].Document)
	}
	for _, e := range events {
		if strings.Contains(string(e.Document), "-value") {
			t.Errorf("the event carries an attribute: %s", e.Document)
		}
	}
}

// eventCheck judges the events of one answered call.
type eventCheck func(t *testing.T, events []connectemu.Event)

func deliveryFaults() map[string]eventCheck {
	return map[string]eventCheck{
		"lose-event event=DISCONNECTED": func(t *testing.T, events []connectemu.Event) {
			if got := kinds(events); got != "INITIATED CONNECTED_TO_SYSTEM COMPLETED" {
				t.Errorf("got %q", got)
			}
		},
		"delay-event(1m0s) event=INITIATED": func(t *testing.T, events []connectemu.Event) {
			if got := kinds(events); got != "CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED INITIATED" {
				t.Errorf("got %q", got)
			}
		},
		"repeat-event(5s) event=CONNECTED_TO_SYSTEM": func(t *testing.T, events []connectemu.Event) {
			if kinds(events) != "INITIATED CONNECTED_TO_SYSTEM CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" ||
				events[1].ID != events[2].ID || string(events[1].Document) != string(events[2].Document) || events[2].Due.Sub(events[1].Due) != 5*time.Second {
				t.Errorf("got %q", kinds(events))
			}
		},
		"replay-event event=INITIATED": func(t *testing.T, events []connectemu.Event) {
			first, second := readEvent(t, events[0]), readEvent(t, events[1])
			if first.ID == second.ID || second.ReplayName == "" || first.ReplayName != "" || first.Detail.ContactID != second.Detail.ContactID {
				t.Errorf("got %s", events[1].Document)
			}
		},
	}
}

func shapeFaults() map[string]eventCheck {
	return map[string]eventCheck{
		"mixed-keys": func(t *testing.T, events []connectemu.Event) {
			for _, e := range events {
				capital := strings.Count(string(e.Document), `"ContactId"`) + strings.Count(string(e.Document), `"EventType"`)
				if capital != 1 || !strings.Contains(string(e.Document), `"Voice"`) {
					t.Errorf("got %s", e.Document)
				}
				if readEvent(t, e).Detail.ContactID != e.ContactID { // encoding/json matches names in any case
					t.Errorf("got %s", e.Document)
				}
			}
		},
		"unset-1970": func(t *testing.T, events []connectemu.Event) {
			if n := strings.Count(string(events[0].Document), "1970-01-01T00:00:00.001Z"); n != 2 {
				t.Errorf("INITIATED has %d stamps of 1970: %s", n, events[0].Document)
			}
			if strings.Contains(string(events[2].Document), "1970-") {
				t.Errorf("DISCONNECTED has a stamp of 1970: %s", events[2].Document)
			}
		},
		"hide-reason event=COMPLETED": func(t *testing.T, events []connectemu.Event) {
			if readEvent(t, events[2]).Detail.DisconnectReason != "CUSTOMER_DISCONNECT" || strings.Contains(string(events[3].Document), "disconnectReason") {
				t.Errorf("got %s", events[3].Document)
			}
		},
		"other-reason(TELECOM_WEATHER) event=DISCONNECTED": func(t *testing.T, events []connectemu.Event) {
			if readEvent(t, events[2]).Detail.DisconnectReason != "TELECOM_WEATHER" {
				t.Errorf("got %s", events[2].Document)
			}
		},
		"unknown-event event=INITIATED": func(t *testing.T, events []connectemu.Event) {
			if got := kinds(events); got != "INITIATED CONTACT_REIMAGINED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" ||
				readEvent(t, events[1]).Detail.EventType != "CONTACT_REIMAGINED" || readEvent(t, events[0]).Detail.EventType != "INITIATED" {
				t.Errorf("got %q", got)
			}
		},
		"lose-event number=+12025550100; lose-event token=other; lose-event nth=9": func(t *testing.T, events []connectemu.Event) {
			if got := kinds(events); got != "INITIATED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" {
				t.Errorf("a rule about others took something: %q", got)
			}
		},
	}
}

func TestEachFaultOfEvents(t *testing.T) {
	t.Parallel()
	checks := deliveryFaults()
	maps.Copy(checks, shapeFaults())
	for plan, check := range checks {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, eventPlan(t, plan))
			w.mustStart(answers, "token")
			w.clock.Advance(time.Hour)
			check(t, w.server.TakeEvents())
		})
	}
}

func TestAnUnluckySeedIsUnluckyAgain(t *testing.T) {
	t.Parallel()
	run := func(seed string) (string, []int) {
		w := newWorld(t, unpaced, eventPlan(t, "seed="+seed+"; lose-event p=0.3; delay-event(40s) p=0.3; repeat-event(2s) p=0.3; mixed-keys p=0.5"))
		for range 30 {
			w.mustStart(answers, "")
		}
		w.clock.Advance(time.Hour)
		var all strings.Builder
		for _, e := range w.server.TakeEvents() {
			all.Write(e.Document)
		}
		return all.String(), w.server.EventFaultCounts()
	}
	one, counts := run("7")
	if again, _ := run("7"); again != one {
		t.Error("the same seed told another story")
	}
	if other, _ := run("8"); other == one {
		t.Error("another seed told the same story")
	}
	if slices.Min(counts) < 15 || slices.Max(counts) > 90 {
		t.Errorf("of 120 events the rules met %v", counts)
	}
}

func TestSwitchesOfEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.EventReasons, c.EventInstanceFirst = connectemu.ReasonsOfCampaigns, true })
	w.mustStart(busy, "")
	w.clock.Advance(time.Hour)
	events := w.server.TakeEvents()
	if e := readEvent(t, events[1]); e.Detail.DisconnectReason != "" || !strings.HasSuffix(e.Resources[0], connectemu.DefaultInstance) {
		t.Errorf("got %s", events[1].Document)
	}
}

// drain is a sink that notes what it gets; it may refuse the first deliveries.
type drain struct {
	mu      sync.Mutex
	refuse  int
	got     []connectemu.Event
	deliver func(connectemu.Event)
}

func (d *drain) Deliver(_ context.Context, e connectemu.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse > 0 {
		d.refuse--
		return errors.New("not now")
	}
	d.got = append(d.got, e)
	if d.deliver != nil {
		d.deliver(e)
	}
	return nil
}

func (d *drain) kinds() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return kinds(d.got)
}

// delivering is a world without a socket whose events go to the sink.
func delivering(t *testing.T, sink *drain, changes ...func(*connectemu.Config)) (*world, <-chan error) {
	t.Helper()
	config := connectemu.Config{Clock: connectemu.NewManualClock(epoch), EventSink: sink}
	for _, change := range changes {
		change(&config)
	}
	w := newBubbleWith(t, config)
	ended := make(chan error, 1)
	go func() { ended <- w.server.DeliverEvents(t.Context()) }()
	return w, ended
}

func TestEventsAreDeliveredAsTheClockMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sink := &drain{}
		w, ended := delivering(t, sink)
		synctest.Wait()
		w.mustStart(answers, "a")
		synctest.Wait()
		if got := sink.kinds(); got != "INITIATED" {
			t.Errorf("at once: %q", got)
		}
		w.clock.Advance(time.Hour)
		synctest.Wait()
		if got := sink.kinds(); got != "INITIATED CONNECTED_TO_SYSTEM DISCONNECTED COMPLETED" {
			t.Errorf("after an hour: %q", got)
		}
		if left := w.server.TakeEvents(); len(left) != 0 {
			t.Errorf("%d events are left", len(left))
		}
		t.Cleanup(func() {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
		})
	})
}

func TestARefusedEventIsTriedAgainAndThenGivenUp(t *testing.T) {
	t.Parallel()
	for refuse, want := range map[int]connectemu.EventOutcome{3: connectemu.EventDelivered, 4: connectemu.EventFailed} {
		synctest.Test(t, func(t *testing.T) {
			sink := &drain{refuse: refuse}
			w, _ := delivering(t, sink, func(c *connectemu.Config) { c.RingTime = 30 * time.Second })
			w.mustStart(answers, "a")
			for range 8 {
				synctest.Wait()
				w.clock.Advance(time.Second)
			}
			synctest.Wait()
			log := w.server.Events()
			if len(log) != 1 || log[0].Outcome != want || log[0].Type != connectemu.EventInitiated || (want == connectemu.EventFailed) != (log[0].Error == "not now") {
				t.Errorf("refused %d times: %+v", refuse, log)
			}
		})
	}
}

func TestInitiatedCanArriveBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for plan, first := range map[string]bool{"early-event": true, "delay-event(1s)": false} {
		synctest.Test(t, func(t *testing.T) {
			var rung, wired int
			sink := &drain{}
			w, _ := delivering(t, sink, eventPlan(t, plan))
			sink.deliver = func(connectemu.Event) {
				if rung == 0 { // the request is logged as it is answered
					rung, wired = w.server.RingCount(), len(w.server.Requests())
				}
			}
			synctest.Wait()
			w.mustStart(answers, "a")
			w.clock.Advance(time.Minute)
			synctest.Wait()
			if rung != 1 || (wired == 0) != first {
				t.Errorf("%s: at the first event there were %d rings and %d answers", plan, rung, wired)
			}
		})
	}
}

func TestDeliveryNeedsASink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.server.DeliverEvents(t.Context()); !errors.Is(err, connectemu.ErrConfig) {
		t.Errorf("got %v", err)
	}
}

func TestEventRulesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"delay-event", "delay-event(-1s)", "lose-event(1s)", "other-reason", "hide-reason(X)", "lose-event event=RINGING", "early-event event=COMPLETED",
		"lose-event number=12", "lose-event nth=-1", "lose-event p=2", "lose-event op=StopContact", "lose-event soon", "repeat-event(1s", "repeat-event(x)", "lose-event nth=x",
	} {
		if plan, err := connectemu.ParsePlan(text); !errors.Is(err, connectemu.ErrConfig) {
			t.Errorf("%s: got %v, %v", text, plan, err)
		}
	}
}

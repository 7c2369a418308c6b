package app_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// lostCall is a call whose answer was lost, to a phone with this fate, under a profile that never sends again: only evidence can tell
// what became of it.
func lostCall(t *testing.T, fate connectemu.Fate, events string) (*meter, call.Call) {
	t.Helper()
	m := newMeter(t, nil)
	if err := m.emu.Update(func(c *connectemu.Config) { c.DescribeRate = connectemu.Unlimited }); err != nil {
		t.Fatal(err)
	}
	if err := m.emu.SetPhone(number(1), fate); err != nil {
		t.Fatal(err)
	}
	plan, err := connectemu.ParsePlan("place-then-reset; " + events)
	if err == nil {
		err = m.emu.SetPlan(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	report, err := m.app.Handler.Process(t.Context(), []byte(batch(request(1, object{"profile": "never"}))))
	if err != nil {
		t.Fatal(err)
	}
	row := report.Results[0].Outcome.Call
	if row.State.Final() || row.ContactID != "" || m.emu.RingCount() != 1 {
		t.Fatalf("the answer was not lost: %+v after %d rings", row, m.emu.RingCount())
	}
	return m, row
}

// tell delivers what the emulator tells, and returns the row as the last event left it.
func (m *meter) tell(row call.Call, wrap func(string) string) call.Call {
	m.t.Helper()
	time.Sleep(2 * time.Minute)
	for _, event := range m.emu.TakeEvents() {
		document := string(event.Document)
		if wrap != nil {
			document = wrap(document)
		}
		report, err := m.app.Handler.Process(m.t.Context(), []byte(document))
		if err != nil || len(report.Results) != 1 {
			m.t.Fatalf("%s: %v, %+v", document, err, report)
		}
		if got := report.Results[0].Outcome; got.Call.ID != row.ID {
			m.t.Errorf("%s led to %+v", document, got)
		}
		row = report.Results[0].Outcome.Call
	}
	return row
}

func (m *meter) wantPlaced(row call.Call) {
	m.t.Helper()
	rings := m.emu.Rings()
	if len(rings) != 1 || row.State != call.Placed || row.ContactID != rings[0].ContactID {
		m.t.Errorf("%s with contact %q after %d rings", row.State, row.ContactID, len(rings))
	}
}

func TestContactEventsOfEveryFateDecideALostAnswer(t *testing.T) {
	t.Parallel()
	for _, fate := range connectemu.Fates() {
		if fate == connectemu.FateNotAllowed || fate == connectemu.FateNotPermitted {
			continue // they create no contact
		}
		synctest.Test(t, func(t *testing.T) {
			m, row := lostCall(t, fate, "")
			m.wantPlaced(m.tell(row, nil))
		})
	}
}

func TestContactEventsThatMisbehaveDecideALostAnswer(t *testing.T) {
	t.Parallel()
	toQueue := func(event string) string { return batch(event) }
	for plan, wrap := range map[string]func(string) string{
		"lose-event event=INITIATED; lose-event event=DISCONNECTED":                nil,
		"delay-event(90s) event=INITIATED; repeat-event(1s)":                       nil,
		"replay-event(30s); unknown-event":                                         nil,
		"mixed-keys; unset-1970; other-reason(TELECOM_WEATHER)":                    nil,
		"hide-reason; seed=3; lose-event p=0.5":                                    nil,
		"seed=4; repeat-event(5s) p=0.5; delay-event(40s) p=0.5; mixed-keys p=0.5": toQueue,
	} {
		synctest.Test(t, func(t *testing.T) {
			m, row := lostCall(t, connectemu.FateAgentEnds, plan)
			m.wantPlaced(m.tell(row, wrap))
		})
	}
}

// TestAnEventIsNotBelievedButLookedUp plants an event that lies: it names a contact that rang for nobody.
func TestAnEventIsNotBelievedButLookedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, row := lostCall(t, connectemu.FateAnswers, "")
		truth := m.emu.Rings()[0].ContactID
		lie := strings.ReplaceAll(string(m.emu.TakeEvents()[0].Document), truth, goodFlow)
		report, err := m.app.Handler.Process(t.Context(), []byte(lie))
		if err != nil || report.Results[0].Outcome.Call.ID == row.ID {
			t.Errorf("the lie led to %+v, %v", report.Results, err)
		}
		after, err := m.app.Engine.Ledger.Get(t.Context(), row.ID)
		if err != nil || after.ContactID != "" || after.State.Final() {
			t.Errorf("the lie decided: %+v, %v", after, err)
		}
	})
}

// TestInitiatedBeforeTheAnswerIsNoSecondContact delivers INITIATED to the function while it still waits for the answer to its start.
func TestInitiatedBeforeTheAnswerIsNoSecondContact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		early := &feedback{t: t}
		plan, err := connectemu.ParsePlan("early-event")
		if err != nil {
			t.Fatal(err)
		}
		emu, err := connectemu.New(connectemu.Config{Flows: []string{goodFlow}, Faults: plan, EventSink: early})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(emu.Close)
		m := newMeter(t, func(_ *app.Config, o *app.Options) { o.HTTPClient = &http.Client{Transport: emu.RoundTripper()} })
		early.app = m.app
		report, err := m.app.Handler.Process(t.Context(), []byte(batch(request(1, nil))))
		if err != nil {
			t.Fatal(err)
		}
		row := report.Results[0].Outcome.Call
		if early.row.ID != row.ID || early.row.ContactID == "" {
			t.Errorf("the event came too late: %+v", early.row)
		}
		if row.State != call.Placed || row.ContactID != early.row.ContactID || len(row.Anomalies) != 0 || emu.RingCount() != 1 {
			t.Errorf("%+v after %d rings", row, emu.RingCount())
		}
	})
}

// TestAnEarlyEventOfAnUnmarkedContactIsRepairedByDescribeContact delivers the whole life of a contact whose id no row has yet, and whose mark
// is off: nothing can tell whose it is.
func TestAnEarlyEventOfAnUnmarkedContactIsRepairedByDescribeContact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(c *app.Config, _ *app.Options) {
			p := c.Profiles["alert"]
			p.Mark = "off"
			c.Profiles["alert"] = p
		})
		if err := m.emu.SetPhone(number(1), connectemu.FateBusy); err != nil {
			t.Fatal(err)
		}
		m.plan(connectemu.Rule{Fault: connectemu.PlaceThenReset, Times: 8}) // of all that one delivery tries
		report, err := m.app.Handler.Process(t.Context(), []byte(batch(request(1, nil))))
		if err != nil {
			t.Fatal(err)
		}
		row := report.Results[0].Outcome.Call
		if row.State != call.Dialing || m.emu.RingCount() != 1 {
			t.Fatalf("the answer was not lost: %s after %d rings", row.State, m.emu.RingCount())
		}
		time.Sleep(20 * time.Second)
		for _, event := range m.emu.TakeEvents() {
			report, err := m.app.Handler.Process(t.Context(), event.Document)
			if err != nil || !report.Results[0].Acknowledged() || report.Results[0].Outcome.Call.ID != "" {
				t.Errorf("an event of nobody: %+v, %v", report.Results, err)
			}
		}
		for range 30 {
			time.Sleep(time.Minute)
			if _, err := m.app.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		row, err = m.app.Engine.Ledger.Get(t.Context(), row.ID)
		if err != nil || row.State != call.Placed || row.Outcome != call.OutcomeBusy || !row.DueAt().IsZero() || m.emu.RingCount() != 1 {
			t.Errorf("%s, outcome %q, due %s after %d rings, %v", row.State, row.Outcome, row.DueAt(), m.emu.RingCount(), err)
		}
	})
}

// TestContactEventsOverHTTPAreTaken delivers events as an API destination of EventBridge does, to a function URL and to API Gateway.
func TestContactEventsOverHTTPAreTaken(t *testing.T) {
	t.Parallel()
	for form, wrap := range map[string]func(body string) string{
		"function URL": func(body string) string {
			return object{
				"version": "2.0", "rawPath": "/", "headers": object{"content-type": "application/json"}, "body": body, "isBase64Encoded": false,
				"requestContext": object{"requestId": "r-1", "timeEpoch": time.Now().UnixMilli(), "http": object{"method": "POST", "path": "/"}},
			}.text()
		},
		"REST API": func(body string) string {
			return object{
				"httpMethod": "POST", "path": "/", "headers": object{"content-type": "application/json"}, "body": body, "isBase64Encoded": false,
				"requestContext": object{"requestId": "r-1", "requestTimeEpoch": time.Now().UnixMilli(), "httpMethod": "POST"},
			}.text()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			m, row := lostCall(t, connectemu.FateAgentEnds, "mixed-keys; unset-1970")
			time.Sleep(2 * time.Minute)
			for _, event := range append(m.emu.TakeEvents(), connectemu.Event{Document: []byte(strings.ReplaceAll(foreignEvent, "T0", time.Now().UTC().Format(time.RFC3339)))}) {
				answer, err := m.app.Invoke(t.Context(), []byte(wrap(string(event.Document))))
				if text := string(answer); err != nil || !strings.Contains(text, `"statusCode":202`) {
					t.Errorf("%s: %s is answered %s, %v", form, event.Type, text, err)
				}
			}
			row, err := m.app.Engine.Ledger.Get(t.Context(), row.ID)
			if err != nil || row.State != call.Placed || row.Outcome != call.OutcomeAnswered || row.Sight.Agent.IsZero() {
				t.Errorf("%s: %s, outcome %q, %+v, %v", form, row.State, row.Outcome, row.Sight, err)
			}
		})
	}
}

// foreignEvent is about an inbound contact.
const foreignEvent = `{"version":"0","id":"e","detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":"111122223333","time":"T0",` +
	`"region":"us-east-1","resources":[],"detail":{"eventType":"INITIATED","contactId":"07d2fed9-f518-442f-aa77-8e6329a54e0a","initiationMethod":"INBOUND",` +
	`"instanceArn":"arn:aws:connect:us-east-1:111122223333:instance/81f08542-e514-4dde-9dce-78f5d9276ffb"}}`

package connectemu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/connectemu/deliver"
)

// desk is the function that a flow invokes.
type desk struct {
	mu     sync.Mutex
	got    []map[string]any
	answer string
	err    error
}

func (d *desk) invoke(_ context.Context, document []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var event struct{ Details map[string]any }
	if err := json.Unmarshal(document, &event); err != nil {
		return nil, err
	}
	d.got = append(d.got, event.Details)
	return []byte(d.answer), d.err
}

func (d *desk) parameters() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	said := make([]string, len(d.got))
	for i, details := range d.got {
		text, _ := json.Marshal(details["Parameters"])
		said[i] = string(text)
	}
	return said
}

func flowing(d *desk, change ...func(*connectemu.Config)) func(*connectemu.Config) {
	return func(c *connectemu.Config) {
		unpaced(c)
		c.FlowFunction = d.invoke
		for _, f := range change {
			f(c)
		}
	}
}

func TestAFlowReportsThatSomebodyPickedUpAndEachKey(t *testing.T) {
	t.Parallel()
	d := &desk{answer: `{"wanted":"yes","confirmed":"no"}`}
	w := newWorld(t, flowing(d, func(c *connectemu.Config) { c.Keys = map[string]string{answers: "519"} }))
	id := w.mustStart(answers, "t-1")
	if n := w.server.StepFlows(t.Context()); n != 0 {
		t.Fatalf("%d reports while it rings", n)
	}
	w.clock.Advance(connectemu.DefaultRingTime)
	if n := w.server.StepFlows(t.Context()); n != 1 {
		t.Fatalf("%d reports when it is answered", n)
	}
	w.clock.Advance(time.Hour)
	if n := w.server.StepFlows(t.Context()); n != 3 || w.server.StepFlows(t.Context()) != 0 {
		t.Fatalf("%d reports of keys", n)
	}
	want := []string{
		`{"ringonce":"check-in"}`, `{"key":"5","ringonce":"pressed"}`, `{"confirms":"yes","key":"1","ringonce":"pressed"}`, `{"key":"9","opts_out":"yes","ringonce":"pressed"}`,
	}
	if got := d.parameters(); !slices.Equal(got, want) {
		t.Errorf("reported %q", got)
	}
	data, _ := d.got[0]["ContactData"].(map[string]any)
	if data["ContactId"] != id || data["InitiationMethod"] != "API" || data["InstanceARN"] != "arn:aws:connect:us-east-1:111122223333:instance/"+connectemu.DefaultInstance {
		t.Errorf("the document is about %v", data)
	}
	reports := w.server.FlowReports()
	if len(reports) != 4 || !reports[0].Played || reports[0].HungUp || reports[0].Answer["wanted"] != "yes" || reports[2].Key != "1" {
		t.Errorf("%+v", reports)
	}
	if c, _ := w.server.Contact(id); c.DisconnectReason != "CUSTOMER_DISCONNECT" {
		t.Errorf("ended by %s", c.DisconnectReason)
	}
}

func TestAFlowThatIsToldNoHangsUpBeforeTheMessage(t *testing.T) {
	t.Parallel()
	d := &desk{answer: `{"wanted":"no"}`}
	w := newWorld(t, flowing(d, func(c *connectemu.Config) { c.Keys = map[string]string{answers: "1"} }))
	id := w.mustStart(answers, "t-1")
	w.clock.Advance(connectemu.DefaultRingTime)
	w.server.StepFlows(t.Context())
	c, _ := w.server.Contact(id)
	if c.State != connectemu.StateDisconnected || c.DisconnectReason != "CONTACT_FLOW_DISCONNECT" || !c.DisconnectedAt.Equal(w.clock.Now()) {
		t.Errorf("%+v", c)
	}
	w.clock.Advance(time.Hour)
	if n := w.server.StepFlows(t.Context()); n != 0 {
		t.Errorf("%d keys were pressed after the end", n)
	}
	if r := w.server.FlowReports(); len(r) != 1 || r[0].Played || !r[0].HungUp {
		t.Errorf("%+v", r)
	}
	ended := slices.ContainsFunc(w.server.TakeEvents(), func(e connectemu.Event) bool {
		return e.Type == connectemu.EventDisconnected && e.At.Equal(c.DisconnectedAt)
	})
	if !ended {
		t.Error("no event tells of the end")
	}
}

func TestAFlowWhoseFunctionFailsTriesThreeTimesAndPlaysItsMessage(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*desk{
		"an error": {err: errors.New("throttled")}, "no object": {answer: `"yes"`}, "no texts": {answer: `{"wanted":true}`}, "nothing": {},
		"too much": {answer: `{"wanted":"` + fmt.Sprintf("%033000d", 0) + `"}`},
	} {
		w := newWorld(t, flowing(d))
		w.mustStart(answers, "t-1")
		w.clock.Advance(connectemu.DefaultRingTime)
		w.server.StepFlows(t.Context())
		if r := w.server.FlowReports(); len(r) != 1 || r[0].Invocations != 3 || len(d.got) != 3 || !r[0].Played || r[0].Error == "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestAFlowMayInvokeItsFunctionTwice(t *testing.T) {
	t.Parallel()
	d := &desk{answer: `{"wanted":"yes"}`}
	w := newWorld(t, flowing(d, func(c *connectemu.Config) { c.FlowTwice = true }))
	w.mustStart(answers, "t-1")
	w.clock.Advance(connectemu.DefaultRingTime)
	w.server.StepFlows(t.Context())
	if r := w.server.FlowReports(); len(r) != 1 || r[0].Invocations != 2 || len(d.got) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestNoFlowRunsForACallThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	d := &desk{answer: `{}`}
	w := newWorld(t, flowing(d))
	w.mustStart(busy, "t-1")
	stopped := w.mustStart(answers, "t-2")
	if err := w.server.HangUp(stopped); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Hour)
	if n := w.server.StepFlows(t.Context()); n != 0 || len(d.got) != 0 {
		t.Errorf("%d reports", n)
	}
}

func TestFlowsRunByThemselvesAndTheirKeysCanBeChanged(t *testing.T) {
	t.Parallel()
	d := &desk{answer: `{"wanted":"yes"}`}
	function := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var document json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&document)
		answer, _ := d.invoke(r.Context(), document)
		_, _ = rw.Write(answer)
	}))
	defer function.Close()
	invoke, err := deliver.Function(function.URL, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, flowing(d, func(c *connectemu.Config) { c.FlowFunction = invoke }))
	if err := w.server.SetKeys(answers, "1"); err != nil {
		t.Fatal(err)
	}
	if err := w.server.SetKeys(answers, "x"); !errors.Is(err, connectemu.ErrConfig) {
		t.Errorf("a letter: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.server.RunFlows(ctx) }()
	w.mustStart(answers, "t-1")
	for len(w.server.FlowReports()) < 2 {
		w.clock.Advance(time.Second)
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if got := d.parameters(); len(got) != 2 || got[1] != `{"confirms":"yes","key":"1","ringonce":"pressed"}` {
		t.Errorf("reported %q", got)
	}
}

func TestAFunctionElsewhereOrBrokenIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://192.0.2.1/", "127.0.0.1:9001", "sqs+http://127.0.0.1/a/b", "http://"} {
		if _, err := deliver.Function(address, deliver.Options{}); !errors.Is(err, connectemu.ErrConfig) {
			t.Errorf("%s: %v", address, err)
		}
	}
	failing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
		_, _ = w.Write([]byte(`{"errorMessage":"x"}`))
	}))
	defer failing.Close()
	invoke, err := deliver.Function(failing.URL, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := invoke(t.Context(), []byte(`{}`)); err == nil {
		t.Errorf("a function that failed answered %s", answer)
	}
}

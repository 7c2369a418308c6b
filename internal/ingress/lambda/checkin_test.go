package lambda

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// desk stands in for the core's side of flows.
type desk struct {
	asked  []call.CheckIn
	answer call.CheckInAnswer
	act    func(ctx context.Context) error
}

func (d *desk) CheckIn(ctx context.Context, q call.CheckIn) (call.CheckInAnswer, error) {
	d.asked = append(d.asked, q)
	if d.act != nil {
		return d.answer, d.act(ctx)
	}
	return d.answer, nil
}

func flowHandler(tb testing.TB, d *desk) (*Handler, *diary, *core) {
	tb.Helper()
	c := &core{}
	h, log := handlerOn(tb, c, func(o *Options) {
		o.CheckIns = d
		o.Instance = func(t call.Target) bool { return t.Region == "ap-northeast-1" && t.InstanceID == instanceID }
	})
	return h, log, c
}

func flowReport(tb testing.TB, name string) string {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "envelope", "testdata", "flow", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

// flat fails the test unless the answer is one object of texts, as a flow reads it, and returns it.
func flat(tb testing.TB, response []byte, err error) map[string]string {
	tb.Helper()
	var answer map[string]string
	if err != nil || json.Unmarshal(response, &answer) != nil {
		tb.Fatalf("the flow got %s, %v", response, err)
	}
	return answer
}

func TestAFlowGetsAFlatObjectOfTexts(t *testing.T) {
	t.Parallel()
	d := &desk{answer: call.CheckInAnswer{CallID: "row", Ring: 2, State: call.Placed, Wanted: true, Confirmed: true, OptedOut: true}}
	h, _, c := flowHandler(t, d)
	response, err := h.Invoke(t.Context(), []byte(flowReport(t, "pressed-1")))
	flat(t, response, err)
	if want := `{"wanted":"yes","why":"","callId":"row","ring":"2","state":"placed","confirmed":"yes","optedOut":"yes"}`; string(response) != want {
		t.Errorf("got %s, want %s", response, want)
	}
	d.answer = call.CheckInAnswer{Why: call.WhyCanceled}
	response, err = h.Invoke(t.Context(), []byte(flowReport(t, "check-in")))
	if answer := flat(t, response, err); answer["wanted"] != "no" || answer["why"] != "canceled" || answer["confirmed"] != "no" || answer["optedOut"] != "no" {
		t.Errorf("got %s", response)
	}
	if len(c.started()) != 0 {
		t.Errorf("a flow's report was placed as a request: %q", c.started())
	}
	pressed := d.asked[0]
	if pressed.Target != (call.Target{Region: "ap-northeast-1", InstanceID: instanceID}) || pressed.ContactID != contactID || pressed.Key != "1" ||
		!pressed.Confirms || pressed.OptsOut || pressed.CallID == "" || pressed.At.IsZero() {
		t.Errorf("the core was asked %+v", pressed)
	}
}

func TestAFlowIsAnsweredOverHTTP(t *testing.T) {
	t.Parallel()
	d := &desk{answer: call.CheckInAnswer{CallID: "row", Wanted: true}}
	h, _, _ := flowHandler(t, d)
	response, err := h.Invoke(t.Context(), httpDocument(t, flowReport(t, "check-in"), balancer()))
	var reply struct {
		StatusCode int
		Headers    map[string]string
		Body       string
	}
	if err != nil || json.Unmarshal(response, &reply) != nil || reply.StatusCode != http.StatusOK || reply.Headers["content-type"] != "application/json" {
		t.Fatalf("got %s, %v", response, err)
	}
	if answer := flat(t, []byte(reply.Body), nil); answer["wanted"] != "yes" || len(d.asked) != 1 {
		t.Errorf("got %s", reply.Body)
	}
}

func TestOnlyFlowsOfAConfiguredInstanceAreBelieved(t *testing.T) {
	t.Parallel()
	report := flowReport(t, "pressed-1")
	for name, arn := range map[string]string{
		"another instance": strings.Replace(instanceARN, instanceID, contactID, 1),
		"another Region":   strings.Replace(instanceARN, "ap-northeast-1", "us-east-1", 1),
		"another service":  strings.Replace(instanceARN, "connect", "sqs", 1),
		"a contact's ARN":  instanceARN + "/contact/" + contactID,
		"none":             "",
	} {
		d := &desk{}
		h, log, _ := flowHandler(t, d)
		response, err := h.Invoke(t.Context(), []byte(strings.Replace(report, instanceARN, arn, 1)))
		answer := flat(t, response, err)
		if answer["wanted"] != "yes" || answer["why"] != "unknown_instance" || answer["confirmed"] != "no" || len(d.asked) != 0 {
			t.Errorf("%s: got %s after %+v", name, response, d.asked)
		}
		if lines := log.all("check-in-unheard"); len(lines) != 1 || !lines[0].Alarm {
			t.Errorf("%s: logged %+v", name, lines)
		}
	}
	d := &desk{}
	h, _, _ := flowHandler(t, d)
	h.Instance = nil
	if response, err := h.Invoke(t.Context(), []byte(report)); flat(t, response, err)["why"] != "unknown_instance" || len(d.asked) != 0 {
		t.Errorf("with no instance configured: got %s", response)
	}
}

func TestATransferredContactIsReportedAsTheOneItCameFromAndAnInboundOneAsNone(t *testing.T) {
	t.Parallel()
	d := &desk{answer: call.CheckInAnswer{Wanted: true}}
	h, _, _ := flowHandler(t, d)
	for _, name := range []string{"transferred", "inbound"} {
		if _, err := h.Invoke(t.Context(), []byte(flowReport(t, name))); err != nil {
			t.Fatal(err)
		}
	}
	if d.asked[0].ContactID != contactID || d.asked[0].CallID == "" {
		t.Errorf("transferred: %+v", d.asked[0])
	}
	if d.asked[1].CallID != "" {
		t.Errorf("inbound: %+v", d.asked[1])
	}
	marked := strings.Replace(flowReport(t, "check-in"), `"API"`, `"INBOUND"`, 1)
	if _, err := h.Invoke(t.Context(), []byte(marked)); err != nil || d.asked[2].CallID != "" {
		t.Errorf("an inbound contact with our attribute: %+v, %v", d.asked[2], err)
	}
}

func TestAFlowIsAnsweredWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	report := []byte(flowReport(t, "check-in"))
	broken := map[string]func(ctx context.Context) error{
		"panicked":      func(context.Context) error { panic("call +12025550101 was lost") },
		"field_missing": func(context.Context) error { return &call.Error{Code: call.CodeFieldMissing, Message: "No contact."} },
	}
	for why, act := range broken {
		h, log, _ := flowHandler(t, &desk{act: act})
		response, err := h.Invoke(t.Context(), report)
		if answer := flat(t, response, err); answer["wanted"] != "yes" || answer["why"] != why {
			t.Errorf("%s: got %s", why, response)
		}
		if lines := log.all("check-in-unheard"); len(lines) != 1 || strings.Contains(lines[0].Reason, "12025550101") {
			t.Errorf("%s: logged %+v", why, lines)
		}
	}
	h, _, _ := flowHandler(t, &desk{})
	noContact := strings.ReplaceAll(string(report), contactID, "")
	if response, err := h.Invoke(t.Context(), []byte(noContact)); flat(t, response, err)["why"] != "no_contact" {
		t.Errorf("got %s", response)
	}
	without, log := handlerOn(t, &core{mode: call.ModeNone})
	if response, err := without.Invoke(t.Context(), report); flat(t, response, err)["why"] != "no_ledger" || log.all("check-in-unheard")[0].Alarm {
		t.Errorf("got %s", response)
	}
}

func TestALedgerThatHangsKeepsAFlowWaitingForTwoSecondsAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{answer: call.CheckInAnswer{Wanted: true, Why: call.WhyUnavailable}, act: func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}}
		h, _, _ := flowHandler(t, d)
		began := time.Now()
		response, err := h.Invoke(t.Context(), []byte(flowReport(t, "check-in")))
		if took := time.Since(began); took != 2*time.Second || flat(t, response, err)["wanted"] != "yes" {
			t.Errorf("answered %s after %s", response, took)
		}
	})
}

func TestAFlowsReportInAQueueIsIgnored(t *testing.T) {
	t.Parallel()
	d := &desk{}
	h, _, c := flowHandler(t, d)
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(flowReport(t, "pressed-1"))...)))
	if len(d.asked) != 0 || len(c.started()) != 0 {
		t.Errorf("a report out of a queue was believed: %+v", d.asked)
	}
}

package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// flowReport is what a flow sends: of a contact of an instance, with the call that it carries and the parameters of its block.
func flowReport(instance, contactID, callID, parameters string) string {
	return fmt.Sprintf(`{"Name":"ContactFlowEvent","Details":{"ContactData":{"Attributes":{"ringonceCallId":%q},"Channel":"VOICE","ContactId":%q,"InitialContactId":%q,
		"CustomerEndpoint":{"Address":"+819000000001","Type":"TELEPHONE_NUMBER"},"InitiationMethod":"API",
		"InstanceARN":"arn:aws:connect:us-east-1:111122223333:instance/%s"},"Parameters":{%s}}}`, callID, contactID, contactID, instance, parameters)
}

const confirms = `"ringonce":"pressed","key":"1","confirms":"yes"`

// rung places a call that has rung, and returns it.
func (w *world) rung(notification string) call.Call {
	w.t.Helper()
	id := w.do(&shop, "POST", "/v1/calls", request(notification, 1), "Prefer", "wait=10").text("callId")
	row, err := w.app.Store.Ledger.Get(w.t.Context(), id)
	if err != nil || row.ContactID == "" {
		w.t.Fatalf("%+v, %v", row, err)
	}
	return row
}

func (w *world) row(id string) call.Call {
	w.t.Helper()
	row, err := w.app.Store.Ledger.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

func TestAConfirmationOfAFlowIsKeptForWhoeverForwardsItAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	row := w.rung("n")
	for _, who := range []access.Principal{reporter, access.Local()} { // the second one, the same again, writes nothing
		a := w.do(&who, "POST", "/v1/flow-reports", flowReport(connectemu.DefaultInstance, row.ContactID, row.ID, confirms))
		want := fmt.Sprintf(`{"wanted":"yes","why":"","callId":%q,"ring":"0","state":"placed","confirmed":"yes","optedOut":"no"}`, row.ID)
		if a.Status != http.StatusOK || a.Text != want {
			t.Errorf("%d %s, not %s", a.Status, a.Text, want)
		}
	}
	if c := w.row(row.ID); c.Acknowledged.IsZero() || c.Sight == nil || c.Sight.Confirmed.IsZero() {
		t.Errorf("%+v", c)
	}
	i := slices.IndexFunc(w.acts, func(a httpapi.Act) bool { return a.Action == "reportFlow" })
	if i < 0 || w.acts[i].Actor != "flow" || w.acts[i].Kind != "reporter" || w.acts[i].CallID != row.ID || w.acts[i].Reason != "confirms" || w.acts[i].Answer != "ok" {
		t.Errorf("written down: %+v", w.acts)
	}
}

func TestOnlyAConfiguredInstanceIsBelievedOverTheService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	row := w.rung("n")
	for instance, why := range map[string]string{"99999999-2222-4333-8444-555555555555": "unknown_instance", "": "unknown_instance"} {
		a := w.do(&reporter, "POST", "/v1/flow-reports", flowReport(instance, row.ContactID, row.ID, confirms))
		if a.Status != http.StatusOK || a.text("wanted") != "yes" || a.text("why") != why || a.text("confirmed") != "no" {
			t.Errorf("%q: %d %s", instance, a.Status, a.Text)
		}
	}
	if a := w.do(&reporter, "POST", "/v1/flow-reports", flowReport(connectemu.DefaultInstance, "no contact", row.ID, confirms)); a.text("why") != "no_contact" {
		t.Error(a.Text)
	}
	if !w.row(row.ID).Acknowledged.IsZero() {
		t.Error("a report from elsewhere was believed")
	}
	if last := w.acts[len(w.acts)-1]; last.Action != "reportFlow" || last.Answer != "no_contact" {
		t.Errorf("written down: %+v", last)
	}
}

func TestWhatIsNoReportIsRefusedAndWhoeverForwardsReportsMayDoNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, body := range []string{
		request("n", 1), `{}`, `{"Name":"ContactFlowEvent"}`, `{"Name":"Other","Details":{"ContactData":{}}}`,
		`{"Records":[{"eventSource":"aws:sqs","body":"{}"}]}`, `{"Name":"ContactFlowEvent","Name":"ContactFlowEvent","Details":{"ContactData":{}}}`,
	} {
		w.want(w.do(&reporter, "POST", "/v1/flow-reports", body), http.StatusUnprocessableEntity, "not_a_flow_report")
	}
	if a := w.do(&reporter, "POST", "/v1/flow-reports", `{`); a.Status != http.StatusBadRequest {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&reporter, "POST", "/v1/calls", request("n", 1)), http.StatusForbidden, "forbidden")
	w.rings(0)
}

// A ledger that answers nothing: somebody has picked up, and hears the message.
func TestAFlowIsAnsweredByTheServiceWhateverGoesWrong(t *testing.T) {
	t.Parallel()
	for why, spoiled := range map[string]call.Ledger{"unavailable": absent{}, "panicked": panicking{}} {
		w := newWorld(t)
		row := w.rung("n")
		ledger := w.app.Engine.Ledger
		w.app.Engine.Ledger = spoiled
		a := w.do(&reporter, "POST", "/v1/flow-reports", flowReport(connectemu.DefaultInstance, row.ContactID, row.ID, ""))
		w.app.Engine.Ledger = ledger
		if a.Status != http.StatusOK || a.text("wanted") != "yes" || a.text("why") != why {
			t.Errorf("%s: %d %s", why, a.Status, a.Text)
		}
	}
}

type absent struct{ call.Ledger }

func (absent) Get(context.Context, string) (call.Call, error) {
	return call.Call{}, errors.New("no route to host")
}

type panicking struct{ call.Ledger }

func (panicking) Get(context.Context, string) (call.Call, error) { panic(strings.Repeat("x", 3)) }

package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

const withAttributes = `{"notificationId":"n","recipientId":"user-1","destinationPhoneNumber":"+819000000001","attributes":{"language":"ja-JP","text":"<b>boiler</b> 漏れ"}}`

func TestScenarioV71ADryRunShowsTheRequestThatIsSentAndTheTimelineItsAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dry := w.do(&shop, "POST", "/v1/explain", withAttributes)
	w.rings(0)
	body := dry.text("request", "body")
	for _, part := range []string{
		`"DestinationPhoneNumber":"+81******0001"`, `"language":"<5 bytes>"`, `"text":"<32 bytes>"`, `"ringonceCallId":"<43 bytes>"`, `"ContactFlowId":"`, `"ClientToken":"`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is missing in %s", part, body)
		}
	}
	if dry.text("request", "operation") != "StartOutboundVoiceContact" || dry.count("request", "attributes") != 3 || dry.text("request", "region") == "" {
		t.Error(dry.Text)
	}
	id := w.do(&shop, "POST", "/v1/calls", withAttributes, "Prefer", "wait=10").text("callId")
	w.rings(1)
	sent := ""
	for _, r := range w.phone.Requests() {
		if r.Operation == connectemu.OpStart {
			sent = r.BodyHash
		}
	}
	if sent == "" || dry.text("request", "sha256") != sent || dry.text("callId") != id {
		t.Errorf("the dry run showed %s of call %s, sent was %s of call %s", dry.text("request", "sha256"), dry.text("callId"), sent, id)
	}
	shown := w.do(&shop, "GET", "/v1/calls/"+id, "")
	if !strings.Contains(shown.Text, " for Amazon Connect, attributes language (5 bytes), ringonceCallId (43 bytes), text (32 bytes)") {
		t.Error(shown.Text)
	}
	for _, text := range []string{dry.Text, shown.Text} { // names and sizes, and no value
		if strings.Contains(text, "ja-JP") || strings.Contains(text, "boiler") || strings.Contains(text, "819000000001") {
			t.Errorf("a value is shown: %s", text)
		}
	}
	again := w.do(&shop, "POST", "/v1/explain", withAttributes)
	if again.Status != http.StatusOK || again.at("dials") != false || again.at("request") != nil {
		t.Errorf("nothing would be sent, and this is shown: %s", again.Text)
	}
}

func TestScenarioV82CallsAreFoundByAWholeNumberThatIsToldNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := map[string]bool{}
	for i := range 6 {
		id := w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint("n", i), i%2)).text("callId")
		mine[id] = i%2 == 1
	}
	w.do(&clinic, "POST", "/v1/calls", request("theirs", 1))
	const search = `{"number":"+819000000001"`
	found, cursor := 0, ""
	for range 5 {
		a := w.do(&shop, "POST", "/v1/calls:search", search+`,"limit":2,"cursor":"`+cursor+`"}`)
		for _, id := range ids(a) {
			if found++; !mine[id] {
				t.Errorf("%s is not a call to this number", id)
			}
		}
		if cursor = a.text("nextCursor"); cursor == "" {
			break
		}
	}
	all, other := w.do(&reader, "POST", "/v1/calls:search", search+"}"), w.do(&reader, "POST", "/v1/calls:search", `{"number":"+819000000000"}`)
	if found != 3 || len(ids(all)) != 4 || len(ids(other)) != 3 {
		t.Errorf("found %d of the shop, %d and %d of all", found, len(ids(all)), len(ids(other)))
	}
	if got := ids(w.do(&reader, "POST", "/v1/calls:search", search+`,"keySpace":"shop","notificationId":"n3"}`)); len(got) != 1 || !mine[got[0]] {
		t.Errorf("with other filters: %q", got)
	}
	hash := all.text("numberHash")
	if all.text("number") != "+81******0001" || len(hash) != 16 || hash == other.text("numberHash") || hash != w.do(&shop, "POST", "/v1/calls:search", search+"}").text("numberHash") {
		t.Errorf("the number is told as %q and %q", all.text("number"), hash)
	}
	wrong := w.want(w.do(&reader, "POST", "/v1/calls:search", `{"number":"+81 90-0000-0001"}`), http.StatusUnprocessableEntity, "field_value")
	misspelled := w.do(&reader, "POST", "/v1/calls:search", `{"phone":"+819000000001"}`) // would list every call
	if misspelled.Status != http.StatusBadRequest && misspelled.Status != http.StatusUnprocessableEntity {
		t.Errorf("an unknown member: %d %s", misspelled.Status, misspelled.Text)
	}
	for _, text := range append([]string{all.Text, wrong.Text, misspelled.Text}, fmt.Sprint(w.acts)) {
		if strings.Contains(text, "90000000") || strings.Contains(text, "90-0000") {
			t.Errorf("the number is told: %s", text)
		}
	}
}

func TestScenarioV85AnOrderOfManyCallsNeedsAReasonAndIsHeldToWhatItsDryRunShowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 3 {
		w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint("n", i), i), "Prefer", "wait=10")
	}
	order := func(more string) string {
		return `{"filter":{"state":["placed"]},"reason":"wrong recording"` + more + `}`
	}
	w.want(w.do(&admin, "POST", "/v1/recalls", `{"filter":{"state":["placed"]},"reason":" "}`), http.StatusUnprocessableEntity, "reason_missing")
	w.want(w.do(&admin, "POST", "/v1/recalls", `{"filter":{},"reason":"all of them"}`), http.StatusUnprocessableEntity, "filter_empty")
	dry := w.do(&admin, "POST", "/v1/recalls", order(`,"dryRun":true`))
	if dry.at("count") != 3.0 || dry.text("digest") == "" {
		t.Fatal(dry.Text)
	}
	w.do(&shop, "POST", "/v1/calls", request("late", 4), "Prefer", "wait=10")
	changed := w.want(w.do(&admin, "POST", "/v1/recalls", order(`,"seen":"`+dry.text("digest")+`"`)), http.StatusConflict, "order_changed")
	if !strings.Contains(changed.Text, "4 match now") {
		t.Error(changed.Text)
	}
	w.sweep()
	w.rings(4)
	dry = w.do(&admin, "POST", "/v1/recalls", order(`,"dryRun":true`))
	for range 2 {
		if made := w.do(&admin, "POST", "/v1/recalls", order(`,"seen":"`+dry.text("digest")+`"`)); made.text("state") != "done" || made.at("recalled") != 4.0 {
			t.Error(made.Text)
		}
		w.sweep()
		w.rings(8)
	}
}

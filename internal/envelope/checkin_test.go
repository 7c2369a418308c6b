package envelope

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	flowContact = "07d2fed9-f518-442f-aa77-8e6329a54e0a"
	flowARN     = "arn:aws:connect:ap-northeast-1:111122223333:instance/81f08542-e514-4dde-9dce-78f5d9276ffb"
)

func readFlow(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "flow", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// overHTTP is the document as a function URL hands it over.
func overHTTP(tb testing.TB, body string) []byte {
	tb.Helper()
	content, err := json.Marshal(map[string]any{
		"version": "2.0", "headers": map[string]string{"content-type": "application/json"}, "body": body, "isBase64Encoded": false,
		"requestContext": map[string]any{"requestId": "r-1", "timeEpoch": processedAt.UnixMilli(), "http": map[string]string{"method": "POST"}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func TestAFlowsReportIsReadFromTheDocumentAndOverHTTP(t *testing.T) {
	t.Parallel()
	plain := CheckIn{ContactID: flowContact, InitialContactID: flowContact, InitiationMethod: "API", InstanceARN: flowARN, CallID: wakeRow}
	confirmed, optedOut, moved := plain, plain, plain
	confirmed.Key, confirmed.Confirms = "1", true
	optedOut.Key, optedOut.OptsOut = "9", true
	moved.ContactID, moved.InitiationMethod = "63894628-b10a-453b-a3c9-d6ac91df012e", "TRANSFER"
	inbound := CheckIn{ContactID: moved.ContactID, InitialContactID: moved.ContactID, InitiationMethod: "INBOUND", InstanceARN: flowARN}
	for name, want := range map[string]CheckIn{
		"check-in": plain, "no-parameters": plain, "pressed-1": confirmed, "pressed-9": optedOut, "transferred": moved, "inbound": inbound,
	} {
		document := readFlow(t, name)
		for source, content := range map[call.Source][]byte{call.SourceDirect: document, call.SourceHTTP: overHTTP(t, string(document))} {
			doc := Decode(content, at(processedAt))
			r := only(t, doc)
			if r.CheckIn == nil || *r.CheckIn != want || doc.Source != source || r.Verdict != VerdictIgnore || r.Reason != ReasonConnectFlowEvent {
				t.Errorf("%s, %s: got %s %s %+v", name, source, r.Verdict, r.Reason, r.CheckIn)
			}
		}
	}
}

func TestAFlowsReportInAnEnvelopeIsIgnored(t *testing.T) {
	t.Parallel()
	report := string(readFlow(t, "pressed-1"))
	for _, document := range [][]byte{
		sqsBatch(t, report), []byte(eventBridge("com.example", report)), []byte(snsRecords(t, report)), []byte("[" + report + "]"),
		overHTTP(t, eventBridge("com.example", report)),
	} {
		if r := only(t, Decode(document, at(processedAt))); r.CheckIn != nil || r.Verdict == VerdictOK {
			t.Errorf("%.60s: got %s %s %+v", document, r.Verdict, r.Reason, r.CheckIn)
		}
	}
}

func TestOfAFlowsReportOnlyWhatIsSoundIsBelieved(t *testing.T) {
	t.Parallel()
	report := string(readFlow(t, "pressed-1"))
	change := func(from, to string) string {
		if !strings.Contains(report, from) {
			t.Fatalf("the report has no %s", from)
		}
		return strings.Replace(report, from, to, 1)
	}
	cases := map[string]struct {
		document string
		sound    func(in CheckIn) bool
	}{
		"several digits are no key":        {change(`"key": "1"`, `"key": "12025550101"`), func(in CheckIn) bool { return in.Key == "" && in.Confirms }},
		"a letter is no key":               {change(`"key": "1"`, `"key": "x"`), func(in CheckIn) bool { return in.Key == "" }},
		"a key alone confirms nothing":     {change(`"confirms": "yes"`, `"confirms": "no"`), func(in CheckIn) bool { return in.Key == "1" && !in.Confirms }},
		"true is not yes":                  {change(`"confirms": "yes"`, `"confirms": true`), func(in CheckIn) bool { return !in.Confirms }},
		"a check-in presses nothing":       {change(`"pressed"`, `"check-in"`), func(in CheckIn) bool { return in.Key == "" && !in.Confirms }},
		"an unknown report is a check-in":  {change(`"pressed"`, `"danced"`), func(in CheckIn) bool { return in.CallID == wakeRow && !in.Confirms }},
		"what is no row id is no call":     {change(wakeRow, "+819000000001"), func(in CheckIn) bool { return in.CallID == "" }},
		"a call id that is no text":        {change(`"`+wakeRow+`"`, "7"), func(in CheckIn) bool { return in.CallID == "" }},
		"an endless contact id":            {change(`"ContactId": "`+flowContact, `"ContactId": "`+strings.Repeat("a", 300)), func(in CheckIn) bool { return in.ContactID == "" }},
		"attributes that are null":         {change(`"Attributes": {`, `"Attributes": null, "X": {`), func(in CheckIn) bool { return in.CallID == "" && in.ContactID == flowContact }},
		"parameters that are missing":      {change(`"Parameters"`, `"Others"`), func(in CheckIn) bool { return in.CallID == wakeRow && !in.Confirms }},
		"contact data that is no object":   {`{"Name":"ContactFlowEvent","Details":{"ContactData":7}}`, func(in CheckIn) bool { return in == CheckIn{} }},
		"members that do not exist yet":    {change(`"Name":`, `"Future": {"a": [1]}, "Name":`), func(in CheckIn) bool { return in.Confirms && in.CallID == wakeRow }},
		"attributes of a call request too": {change(`"language"`, `"notificationId"`), func(in CheckIn) bool { return in.CallID == wakeRow }},
	}
	for name, c := range cases {
		if r := only(t, Decode([]byte(c.document), at(processedAt))); r.CheckIn == nil || !c.sound(*r.CheckIn) {
			t.Errorf("%s: got %s %s %+v", name, r.Verdict, r.Reason, r.CheckIn)
		}
	}
}

func TestAFlowsReportThatIsNotOneTextIsRefused(t *testing.T) {
	t.Parallel()
	report := string(readFlow(t, "check-in"))
	for name, document := range map[string]string{
		"beside a request": strings.Replace(report, `"Name"`, `"notificationId": "n", "Name"`, 1),
		"a member twice":   strings.Replace(report, `"Details"`, `"Name": "ContactFlowEvent", "Details"`, 1),
		"cut off":          report[:len(report)/2],
	} {
		if r := only(t, Decode([]byte(document), at(processedAt))); r.CheckIn != nil || r.Verdict != VerdictReject {
			t.Errorf("%s: got %s %s", name, r.Verdict, r.Reason)
		}
	}
}

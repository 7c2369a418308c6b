package lambda

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// httpAnswer is a response as a gateway reads it.
type httpAnswer struct {
	StatusCode        int
	StatusDescription string
	Headers           map[string]string
	MultiValueHeaders map[string][]string
	Body              string
	IsBase64Encoded   *bool
}

func post(tb testing.TB, h *Handler, document []byte) (httpAnswer, map[string]any) {
	tb.Helper()
	response, err := h.Invoke(tb.Context(), document)
	if err != nil {
		tb.Fatalf("an HTTP request ended in an error: %v", err)
	}
	var answer httpAnswer
	var body map[string]any
	if err := json.Unmarshal(response, &answer); err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answer.Body), &body); err != nil || answer.IsBase64Encoded == nil || *answer.IsBase64Encoded {
		tb.Fatalf("response %s: %v", response, err)
	}
	return answer, body
}

func functionURL(tb testing.TB, body string) []byte {
	tb.Helper()
	return everySource["function URL"].document(tb, published, body)
}

// TestTheStatusSaysWhatBecameOfTheRequest is protocol.md section 8.
func TestTheStatusSaysWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(90 * time.Second)
		for name, c := range map[string]struct {
			mode  call.Mode
			out   call.Outcome
			want  int
			retry string
		}{
			"new, placed":               {call.ModeLedger, call.Outcome{Met: call.MetPlaced}, http.StatusAccepted, ""},
			"new, held":                 {call.ModeLedger, call.Outcome{Met: call.MetReceived, Ack: call.AckDone}, http.StatusAccepted, ""},
			"duplicate":                 {call.ModeLedger, call.Outcome{Met: call.MetPlaced, Replayed: true}, http.StatusOK, ""},
			"duplicate of a failure":    {call.ModeLedger, call.Outcome{Met: call.MetFailed, Replayed: true}, http.StatusOK, ""},
			"in progress":               {call.ModeLedger, call.Outcome{Met: call.MetDialing, Replayed: true, Call: call.Call{Due: soon}}, http.StatusConflict, "90"},
			"conflict":                  {call.ModeLedger, call.Outcome{Met: call.MetConflict}, http.StatusConflict, ""},
			"refused":                   {call.ModeLedger, call.Outcome{Met: call.MetRefused}, http.StatusUnprocessableEntity, ""},
			"failed, no ledger":         {call.ModeNone, call.Outcome{Met: call.MetFailed}, http.StatusUnprocessableEntity, ""},
			"stale":                     {call.ModeNone, call.Outcome{Met: call.MetStale}, http.StatusUnprocessableEntity, ""},
			"paced":                     {call.ModeNone, call.Outcome{Met: call.MetRetryLater, Code: "pacing"}, http.StatusTooManyRequests, "5"},
			"throttled, no sweeper":     {call.ModeLedger, call.Outcome{Met: call.MetReceived, Call: call.Call{DueReason: "throttled", Due: soon}}, http.StatusTooManyRequests, "90"},
			"received, no sweeper":      {call.ModeLedger, call.Outcome{Met: call.MetReceived, Call: call.Call{Due: soon}}, http.StatusServiceUnavailable, "90"},
			"answer lost, no ledger":    {call.ModeNone, call.Outcome{Met: call.MetUnknown}, http.StatusServiceUnavailable, "5"},
			"ledger unavailable":        {call.ModeLedger, call.Outcome{Met: call.MetUnavailable}, http.StatusServiceUnavailable, "5"},
			"due long ago":              {call.ModeLedger, call.Outcome{Met: call.MetReceived, Call: call.Call{Due: soon.Add(-time.Hour)}}, http.StatusServiceUnavailable, "1"},
			"due in a month":            {call.ModeLedger, call.Outcome{Met: call.MetReceived, Call: call.Call{Due: soon.AddDate(0, 1, 0)}}, http.StatusServiceUnavailable, "3600"},
			"a situation nobody listed": {call.ModeLedger, call.Outcome{Met: "surprise"}, http.StatusServiceUnavailable, "5"},
		} {
			h, _ := handlerOn(t, answering(c.mode, c.out))
			answer, body := post(t, h, functionURL(t, wish(1)))
			if answer.StatusCode != c.want || answer.Headers["retry-after"] != c.retry {
				t.Errorf("%s: %d, Retry-After %q; want %d, %q", name, answer.StatusCode, answer.Headers["retry-after"], c.want, c.retry)
			}
			if answer.StatusCode < 400 {
				if body["situation"] != string(c.out.Met) || answer.Headers["content-type"] != "application/json" || (body["replayed"] == true) != c.out.Replayed {
					t.Errorf("%s: %s %v", name, answer.Headers, body)
				}
			} else if body["type"] != "about:blank" || body["title"] == "" || body["detail"] == "" || body["code"] == "" ||
				body["status"] != float64(c.want) || answer.Headers["content-type"] != "application/problem+json" {
				t.Errorf("%s: %s %v", name, answer.Headers, body)
			}
		}
	})
}

func TestWhatIsNoCallRequestIsRefusedOverHTTPAndDialsNothing(t *testing.T) {
	t.Parallel()
	method := func(name string) []byte {
		request := httpv2(published, "abc123.lambda-url.us-east-1.on.aws")
		request["requestContext"] = map[string]any{"http": map[string]any{"method": name}, "requestId": "r-1"}
		return httpDocument(t, wish(1), request)
	}
	for name, c := range map[string]struct {
		document []byte
		want     int
		code     string
	}{
		"no JSON":          {functionURL(t, "notificationId=1"), http.StatusUnprocessableEntity, "json_syntax"},
		"no number":        {functionURL(t, `{"notificationId":"n","recipientId":"r"}`), http.StatusUnprocessableEntity, "field_missing"},
		"an alarm":         {functionURL(t, `{"AlarmName":"a","NewStateValue":"ALARM","AlarmArn":"arn"}`), http.StatusUnprocessableEntity, "alarm"},
		"GET":              {method("GET"), http.StatusMethodNotAllowed, "http_method"},
		"DELETE":           {method("DELETE"), http.StatusMethodNotAllowed, "http_method"},
		"no method":        {method(""), http.StatusMethodNotAllowed, "http_method"},
		"a CORS preflight": {method("OPTIONS"), http.StatusMethodNotAllowed, "http_preflight"},
	} {
		c1 := &core{}
		h, _ := handlerOn(t, c1)
		answer, body := post(t, h, c.document)
		if answer.StatusCode != c.want || body["code"] != c.code || len(c1.started()) > 0 || (answer.Headers["allow"] == "POST") != (c.want == http.StatusMethodNotAllowed) {
			t.Errorf("%s: %d %v %v, placed %q", name, answer.StatusCode, body, answer.Headers, c1.started())
		}
		if field, _ := body["field"].(string); name == "no number" && field != "destinationPhoneNumber" {
			t.Errorf("%s names the field %q", name, field)
		}
	}
}

func TestALoadBalancerReadsItsHeadersInTheFormThatItSentThem(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, answering(call.ModeLedger, call.Outcome{Met: call.MetUnavailable}))
	request := balancer()
	request["multiValueHeaders"] = map[string][]string{"content-type": {"application/json"}}
	answer, _ := post(t, h, httpDocument(t, wish(1), request))
	if answer.Headers != nil || strings.Join(answer.MultiValueHeaders["retry-after"], ",") != "5" || answer.StatusDescription != "503 Service Unavailable" {
		t.Errorf("got %+v", answer)
	}
	if answer, _ = post(t, h, httpDocument(t, wish(1), balancer())); answer.MultiValueHeaders != nil || answer.Headers["retry-after"] != "5" {
		t.Errorf("got %+v", answer)
	}
}

package httpapi_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func TestACallTellsItsAttemptsWithTokenAndWireSends(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=10").text("callId")
	a := w.do(&reader, "GET", "/v1/calls/"+id, "")
	token := a.text("call", "clientToken")
	if a.count("attempts") != 1 || a.at("attemptCount") != 1.0 || a.at("attempts", 0, "ring") != 0.0 || a.text("attempts", 0, "state") != "ok" || token == "" ||
		a.text("attempts", 0, "clientToken") != token || a.at("attempts", 0, "wireSends") != 1.0 || a.text("attempts", 0, "contactId") != a.text("call", "contactId") ||
		a.text("contactFrom") != "answer" || a.text("rings", 0, "cause") != "request" {
		t.Error(a.Text)
	}
	if opened, err := time.Parse(time.RFC3339, a.text("attempts", 0, "openedAt")); err != nil || opened.IsZero() {
		t.Error(err, a.Text)
	}
}

func TestAnAttemptWhoseAnswerWasLostIsAmbiguousAndOneThatWasRefusedSaysWhy(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string][2]string{
		"place-then-reset": {"ambiguous", ""},
		"throttle":         {"throttled", ""},
	} {
		w := newWorld(t)
		plan, err := connectemu.ParsePlan(fault)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.phone.SetPlan(plan); err != nil {
			t.Fatal(err)
		}
		id := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=10").text("callId")
		a := w.do(&reader, "GET", "/v1/calls/"+id, "")
		if a.text("attempts", 0, "state") != want[0] || a.text("attempts", 0, "code") != want[1] && want[1] != "" {
			t.Errorf("%s: %s", fault, a.Text)
		}
	}
}

func TestTokensAreToldToOperatorsAndToTheirOwnProducerOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=10").text("callId")
	token := w.do(&reader, "GET", "/v1/calls/"+id, "").text("call", "clientToken")
	for _, path := range []string{"/v1/calls/" + id, "/v1/calls"} {
		if a := w.do(&shop, "GET", path, ""); !strings.Contains(a.Text, token) {
			t.Errorf("%s does not tell its producer the token: %s", path, a.Text)
		}
		if a := w.do(&clinic, "GET", path, ""); a.Status != 200 || !strings.Contains(a.Text, id) || strings.Contains(a.Text, token) {
			t.Errorf("%s tells a token to a producer that may only look: %s", path, a.Text)
		}
	}
}

// instants finds what an answer says of time.
var instants = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[^"]+"`)

func TestInstantsHaveMillisecondsAndNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=10").text("callId")
	fine := 0
	for range 50 { // each instant ends in 000 once in a thousand
		for _, found := range instants.FindAllString(w.do(&shop, "GET", "/v1/calls/"+id, "").Text, -1) {
			switch dot := strings.IndexByte(found, '.'); {
			case dot > 0 && len(found)-dot > len(`.000Z"`):
				t.Fatalf("%s is finer than milliseconds", found)
			case dot > 0:
				fine++
			}
		}
		if fine > 0 {
			break
		}
		id = w.do(&shop, "POST", "/v1/calls", request(id, 1), "Prefer", "wait=10").text("callId")
	}
	if fine == 0 {
		t.Error("no instant has a fraction")
	}
	at := w.do(&shop, "GET", "/v1/calls/"+id, "").text("call", "acceptedAt")
	accepted, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	late := accepted.Add(time.Millisecond).Format(time.RFC3339Nano)
	if a := w.do(&shop, "GET", "/v1/calls?acceptedAfter="+at+"&acceptedBefore="+late, ""); !strings.Contains(a.Text, id) {
		t.Errorf("a window of one millisecond does not hold the call of %s: %s", at, a.Text)
	}
}

// Every instant of the document is written with milliseconds: one that is forgotten would be cut to seconds by the generated code.
func TestEveryInstantOfTheDocumentHasMilliseconds(t *testing.T) {
	t.Parallel()
	if found := coarse(t, httpapi.Document()); len(found) > 0 {
		t.Errorf("cut to seconds: %s", strings.Join(found, ", "))
	}
	planted := strings.Replace(string(httpapi.Document()), `, x-ogen-time-format: "2006-01-02T15:04:05.999Z07:00"`, "", 1)
	if found := coarse(t, []byte(planted)); len(found) != 1 {
		t.Errorf("the planted instant was not found: %v", found)
	}
}

func coarse(t *testing.T, document []byte) (found []string) {
	t.Helper()
	var d any
	if err := yaml.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	var look func(at string, v any)
	look = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["format"] == "date-time" && v["x-ogen-time-format"] == nil && !strings.Contains(at, "/CallRequest/") {
				found = append(found, at)
			}
			for name, inner := range v {
				look(at+"/"+name, inner)
			}
		case []any:
			for _, inner := range v {
				look(at, inner)
			}
		}
	}
	look("", d)
	return found
}

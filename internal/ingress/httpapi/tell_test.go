package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// producerTold is a producer that was told three events of every call and took the first ones.
type producerTold struct {
	taken int
	again []string // events that were to be told again
}

func (p *producerTold) options(o *httpapi.Options) {
	o.Told = func(context.Context, string) (httpapi.Telling, bool, error) {
		t := httpapi.Telling{Receiver: "shop.example.com"}
		for i, id := range []string{"e1", "e2", "e3"} {
			t.Events = append(t.Events, httpapi.ToldEvent{ID: id, Type: "call.placed", At: time.Unix(1_900_000_000, 0), Taken: i < p.taken})
		}
		return t, true, nil
	}
	o.TellAgain = func(_ context.Context, _, event string) error {
		p.again = append(p.again, event)
		return nil
	}
}

func TestAProducerIsToldAgainFromWhereTheOperatorSays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		taken      int
		body, from string
		again      float64
	}{
		{1, `{"reason":"it was away"}`, "e2", 2},
		{0, `{"reason":"it was away"}`, "e1", 3},
		{3, `{"reason":"it lost its data","all":true}`, "e1", 3},
		{3, `{"reason":"it lost its data","from":"e3"}`, "e3", 1},
		{1, `{"reason":"it lost its data","from":"e1"}`, "e1", 3},
	} {
		p := &producerTold{taken: c.taken}
		w := newWorld(t, p.options)
		id := w.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
		a := w.want(w.do(&keeper, "POST", "/v1/calls/"+id+"/tell", c.body), http.StatusOK, "")
		if len(p.again) != 1 || p.again[0] != c.from || a.at("again") != c.again || a.at("events", 2, "taken") != false || a.text("receiver") != "shop.example.com" {
			t.Errorf("%d taken, %s: from %v, %s", c.taken, c.body, p.again, a.Text)
		}
		if act := w.last(); act.Action != "tellCall" || act.CallID != id || act.Actor != "olga" || act.Reason == "" || act.Answer != "ok" {
			t.Errorf("%+v", act)
		}
	}
}

func TestWhatCannotBeToldAgainIsRefusedAndWrittenDown(t *testing.T) {
	t.Parallel()
	p := &producerTold{taken: 3}
	w := newWorld(t, p.options)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
	for body, want := range map[string]struct {
		status int
		code   string
	}{
		`{"reason":"it was away"}`:              {http.StatusConflict, "nothing_to_tell"},
		`{"reason":" "}`:                        {http.StatusUnprocessableEntity, "reason_missing"},
		`{"reason":"x","from":"e9"}`:            {http.StatusUnprocessableEntity, "field_value"},
		`{"reason":"x","from":"e1","all":true}`: {http.StatusUnprocessableEntity, "field_value"},
		`{"reason":"x","form":"e1"}`:            {http.StatusBadRequest, "bad_request"},
	} {
		w.want(w.do(&keeper, "POST", "/v1/calls/"+id+"/tell", body), want.status, want.code)
		if act := w.last(); act.Action != "tellCall" || act.Answer != want.code {
			t.Errorf("%s: %+v", body, act)
		}
	}
	if len(p.again) > 0 {
		t.Errorf("told again: %v", p.again)
	}
	a := w.want(w.do(&reader, "GET", "/v1/calls/"+id+"/told", ""), http.StatusOK, "")
	if a.count("events") != 3 || a.at("events", 0, "taken") != true {
		t.Error(a.Text)
	}

	silent := newWorld(t)
	id = silent.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
	silent.want(silent.do(&keeper, "POST", "/v1/calls/"+id+"/tell", `{"reason":"x"}`), http.StatusConflict, "not_told")
	if a := silent.do(&reader, "GET", "/v1/calls/"+id+"/told", ""); a.count("events") != 0 || a.at("receiver") != nil {
		t.Error(a.Text)
	}
}

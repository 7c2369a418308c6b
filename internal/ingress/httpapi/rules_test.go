package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/rules"
)

func TestHeldCallsAreCountedAlsoBehindTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.do(&shop, "POST", "/v1/calls", request(name, 1))
	}
	w.do(&clinic, "POST", "/v1/calls", request("d", 1))
	for query, want := range map[string][3]int{ // shown, kinds of reasons, counted of the first
		"":                                      {3, 0, 0},
		"?counts=true":                          {3, 1, 3},
		"?counts=true&limit=1":                  {1, 1, 3},
		"?limit=5000&profile=alert&counts=true": {3, 1, 3},
		"?profile=other&counts=true":            {0, 0, 0},
		"?reason=quiet_hours&counts=true":       {0, 0, 0},
		"?reason=quiet_hours&reason=accepted":   {3, 0, 0},
	} {
		a := w.do(&shop, "GET", "/v1/held"+query, "")
		counted, _ := a.at("counts", 0, "calls").(float64)
		if got := [3]int{a.count("calls"), max(a.count("counts"), 0), int(counted)}; a.Status != http.StatusOK || got != want || a.at("onlyLookedAt") != nil {
			t.Errorf("%s: %v, want %v: %d %s", query, got, want, a.Status, a.Text)
		}
	}
	if a := w.do(&shop, "GET", "/v1/held?limit=5001", ""); a.Status != http.StatusBadRequest {
		t.Error(a.Status, a.Text)
	}
}

func TestAPauseOfWhatTheConfigurationLostIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if changed, err := pauseBeside(w, "gone"); err != nil || !changed {
		t.Fatal(changed, err)
	}
	w.want(w.do(&keeper, "POST", "/v1/pauses", `{"target":"profile","name":"gone","reason":"x"}`), http.StatusUnprocessableEntity, "profile_unknown")
	if a := w.do(&keeper, "POST", "/v1/pauses/resume", `{"target":"profile","name":"gone","reason":"over"}`); a.Status != http.StatusOK || a.at("changed") != true {
		t.Error(a.Status, a.Text)
	}
	for _, wish := range []string{`{"target":"profile","reason":"x"}`, `{"target":"all","name":"x","reason":"x"}`} {
		w.want(w.do(&keeper, "POST", "/v1/pauses/resume", wish), http.StatusUnprocessableEntity, "field_value")
		w.want(w.do(&keeper, "POST", "/v1/pauses", wish), http.StatusUnprocessableEntity, "field_value")
	}
	w.do(&admin, "POST", "/v1/do-not-call", `{"number":"+819000000007","reason":"asked"}`)
	w.do(&admin, "POST", "/v1/do-not-call/remove", `{"number":"+819000000007","reason":"wants calls"}`)
	a := w.do(&reader, "GET", "/v1/do-not-call?removed=true", "")
	if a.text("entries", 0, "reason") != "asked" || a.text("entries", 0, "removed", "reason") != "wants calls" || a.text("entries", 0, "removed", "by") != "ada" || a.at("entries", 0, "listed") != false {
		t.Error(a.Text)
	}
	if a := w.do(&reader, "GET", "/v1/do-not-call", ""); a.count("entries") != 0 {
		t.Error(a.Text)
	}
}

// pauseBeside pauses a profile as a command beside the service does.
func pauseBeside(w *world, profile string) (changed bool, err error) {
	return rules.Pause(w.t.Context(), w.app.Store.Cells, rules.Switch{Target: rules.Target{Kind: rules.TargetProfile, Name: profile}, By: "kim", At: time.Now(), Why: "storm"})
}

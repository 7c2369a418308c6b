package httpapi_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func scopes() []access.Scope {
	return []access.Scope{
		{Producer: "shop", KeySpace: "shop", Profiles: []string{"alert"}, Rate: access.Rate{PerSecond: 5, Burst: 10}},
		{Producer: "quiet", KeySpace: "calls", Reads: []string{"shop"}},
	}
}

func knowing(o *httpapi.Options) { o.Producers = scopes }

// named returns the one producer of a list that is called so.
func named(t *testing.T, a answer, producer string) answer {
	t.Helper()
	for i := range a.count("producers") {
		if a.text("producers", i, "producer") == producer {
			one, _ := a.at("producers", i).(map[string]any)
			return answer{Text: a.Text, Body: one}
		}
	}
	t.Fatalf("there is no %s in %s", producer, a.Text)
	return answer{}
}

func TestAnOperatorSeesTheProducersOfTheConfigurationAndOfTheCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, knowing)
	w.do(&shop, "POST", "/v1/calls", request("a", 1), "Prefer", "wait=10")
	w.do(&shop, "POST", "/v1/calls", request("b", 1))
	w.do(&clinic, "POST", "/v1/calls", request("c", 1))
	w.do(&keeper, "POST", "/v1/calls", request("d", 1))
	w.do(&keeper, "POST", "/v1/pauses", `{"target":"producer","name":"api:clinic/clinic","reason":"storm"}`)
	a := w.do(&reader, "GET", "/v1/producers", "")
	if a.count("producers") != 4 || a.at("more") != false {
		t.Error(a.Text)
	}
	p := named(t, a, "api:shop/shop")
	if p.text("name") != "shop" || p.text("keySpace") != "shop" || p.text("profiles", 0) != "alert" || p.at("perSecond") != 5.0 || p.at("burst") != 10.0 ||
		p.at("configured") != true || p.at("paused") != false || p.at("openRequests") != 1.0 {
		t.Error(a.Text)
	}
	p = named(t, a, "api:calls/quiet")
	if p.text("keySpace") != "calls" || p.text("reads", 0) != "shop" || p.at("openRequests") != 0.0 || p.at("perSecond") != nil {
		t.Error(a.Text)
	}
	p = named(t, a, "api:clinic/clinic")
	if p.text("name") != "clinic" || p.at("configured") != false || p.at("paused") != true || p.at("openRequests") != 1.0 {
		t.Error(a.Text)
	}
	if p = named(t, a, "operator:olga"); p.text("name") != "olga" || p.text("keySpace") != "" || p.at("paused") != false {
		t.Error(a.Text)
	}
	w.do(&keeper, "POST", "/v1/pauses", `{"target":"all","reason":"storm"}`)
	if a := w.do(&reader, "GET", "/v1/producers", ""); strings.Contains(a.Text, `"paused":false`) {
		t.Error(a.Text)
	}
}

func TestAProducerSeesItselfOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, knowing)
	w.do(&shop, "POST", "/v1/calls", request("a", 1))
	w.do(&clinic, "POST", "/v1/calls", request("c", 1))
	a := w.do(&shop, "GET", "/v1/producers", "")
	if a.count("producers") != 1 || a.text("producers", 0, "producer") != "api:shop/shop" || a.at("producers", 0, "perSecond") != 5.0 || strings.Contains(a.Text, "clinic") || strings.Contains(a.Text, "quiet") {
		t.Error(a.Text)
	}
	a = w.do(&clinic, "GET", "/v1/producers", "") // granted to see the shop's calls, known to no configuration
	if a.count("producers") != 1 || a.text("producers", 0, "producer") != "api:clinic/clinic" || a.text("producers", 0, "reads", 0) != "shop" || a.at("producers", 0, "openRequests") != 1.0 {
		t.Error(a.Text)
	}
}

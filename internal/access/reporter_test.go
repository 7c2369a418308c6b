package access_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

func TestANameThatWasGrantedReportsOfFlowsIsNoProducerWhateverItsCredentialSays(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	key, _ := l.add(access.Scope{Producer: "flow", KeySpace: "flow", Reads: []string{"flow"}, Profiles: []string{"alert"}, Rate: access.Rate{PerSecond: 1, Burst: 1}}, time.Time{})
	other, _ := l.add(access.Scope{Producer: "shop"}, time.Time{})
	granted := func(names ...string) func(*access.Options) {
		return func(o *access.Options) { o.Reporters, o.Rate = names, access.Rate{PerSecond: 1, Burst: 1} }
	}
	h := l.guard(granted("flow", "crm"))
	for name, bearers := range map[string][]string{"flow": {key, key, key}, "crm": {l.token(nil)}} { // without a rate: each report counts
		for _, text := range bearers {
			if who := whoOf(t, ask(h, bearer(text))); !reflect.DeepEqual(who, access.Principal{Kind: access.Reporter, Name: name}) || who.May(access.RoleRead) || who.Sees(name) || who.Uses("alert") {
				t.Errorf("%+v", who)
			}
		}
	}
	if who := whoOf(t, ask(h, bearer(other))); who.Kind != access.Producer {
		t.Errorf("%+v", who)
	}
	if who := whoOf(t, ask(l.guard(granted()), bearer(key))); who.Kind != access.Producer {
		t.Errorf("nobody was granted anything: %+v", who)
	}
}

package app

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const dialed = `
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`

func TestRealTelephonesNeedAListOfDestinations(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"production: true":                "destinations.allow",
		"production: false":               "destinations.allow", // no emulator either
		"destinations: {deny: ['+1900']}": "destinations.allow",
		"destinations: {allow: [US]}":     "",
		"production: false\nconnect: {endpoint: 'http://127.0.0.1:7465'}":         "",
		"destinations: {allow: [XX]}":                                             "destinations.allow",
		"destinations: {allow: [US], deny: [JP]}":                                 "destinations.deny",
		"destinations: {allow: [US], kinds: [ordinary]}":                          "destinations.kinds",
		"destinations: {allow: 4420}":                                             "destinations.allow",
		"destinations: {allow: {US: true}}":                                       "destinations.allow",
		"destinations: {allow: 'US,+4420, JP', kinds: toll-free, deny: '+15005'}": "",

		"destinations: {allow: [US], producers: [{producer: q, allow: '+1202'}]}":                          "",
		"destinations: {producers: [{producer: q, allow: [US]}]}":                                          "destinations.allow",
		"destinations: {allow: [US], producers: [{allow: [US]}]}":                                          "destinations.producers[0].producer",
		"destinations: {allow: [US], producers: [{producer: q}]}":                                          "destinations.producers[0].allow",
		"destinations: {allow: [US], producers: [{producer: q, allow: [XX]}]}":                             "destinations.producers[0].allow",
		"destinations: {allow: [US], producers: [{producer: q, allow: [US], deny: [JP]}]}":                 "destinations.producers[0].deny",
		"destinations: {allow: [US], producers: [{producer: q, allow: [US], kinds: [ordinary]}]}":          "destinations.producers[0].kinds",
		"destinations: {allow: [US], producers: [{producer: q, allow: [US]}, {producer: q, allow: [US]}]}": "destinations.producers[1].producer",
	} {
		config, err := Parse("test.yaml", []byte(text+dialed))
		if err == nil {
			_, err = New(t.Context(), config, Options{Random: rand.Reader, LookupEnv: LookupNothing})
		}
		refused, ok := errors.AsType[*call.Error](err)
		if (field == "") != (err == nil) || (field != "" && (!ok || refused.Field != field)) {
			t.Errorf("%s: %v, want a refusal of %q", text, err, field)
		}
	}
}

func TestTheRefusalNamesTheRuleAndMasksTheNumber(t *testing.T) {
	t.Parallel()
	config, err := Parse("test.yaml", []byte("destinations: {allow: 'US, +4420'}"+dialed))
	if err != nil {
		t.Fatal(err)
	}
	permit, _, err := config.permit(Options{}, &App{})
	if err != nil {
		t.Fatal(err)
	}
	for digits, rule := range map[string]string{
		"+12025550100": "", "+447700900000": "no rule allows it", "+1900" + "2000000": "it is premium", "+819000000001": "no rule allows it",
	} {
		number, err := call.ParsePhone(digits)
		if err != nil {
			t.Fatal(err)
		}
		err = permit(number, "")
		if (rule == "") != (err == nil) || (err != nil && (!strings.Contains(err.Error(), rule) || strings.Contains(err.Error(), digits[1:]) || call.CodeOf(err) != call.CodeDestinationDenied)) {
			t.Errorf("%s: %v, want %q", digits, err, rule)
		}
	}
}

// orders may ring fewer numbers than all may, and what is not allowed for all it may not ring either.
const limitedOrders = `destinations:
  allow: [US, JP, "+4477"]
  deny: ["+447700"]
  producers:
    - {producer: orders, allow: [US, GB, "+8190"], deny: ["+12025550"], kinds: [premium]}
    - {producer: alerts, allow: ["+12025550"]}
    - {producer: texts, allow: ["+4477"]}
`

func TestANumberNeedsTheRulesForAllAndThoseOfItsProducer(t *testing.T) {
	t.Parallel()
	config, err := Parse("test.yaml", []byte(limitedOrders+dialed))
	if err != nil {
		t.Fatal(err)
	}
	permit, _, err := config.permit(Options{}, &App{})
	if err != nil {
		t.Fatal(err)
	}
	const own, all = "for this producer", "may not be rung: "
	for _, c := range []struct{ producer, digits, refused string }{
		{"", "+12025550100", ""},
		{"another", "+819000000001", ""},
		{"another", "+447700900000", all}, // denied by more digits than it is allowed by
		{"orders", "+12025550100", own},   // its own denial is longer than its region
		{"orders", "+819000000001", ""},   // its own digits, and a region of all
		{"orders", "+447700900000", all},  // allowed for it alone
		{"alerts", "+12025550100", ""},
		{"alerts", "+819000000001", own},     // allowed for all alone
		{"orders", "+1900" + "2000000", all}, // its kinds do not open what is closed for all
	} {
		number, err := call.ParsePhone(c.digits)
		if err != nil {
			t.Fatal(err)
		}
		err = permit(number, c.producer)
		if (err == nil) != (c.refused == "") || (err != nil && (!strings.Contains(err.Error(), c.refused) || strings.Contains(err.Error(), c.digits[1:]))) {
			t.Errorf("%s for %q: %v, want %q", c.digits, c.producer, err, c.refused)
		}
	}
}

// With rules of producers alone, which only an emulator is good for, every other producer rings any number.
func TestBesideAnEmulatorAProducerMayHaveTheOnlyRules(t *testing.T) {
	t.Parallel()
	const text = "production: false\nconnect: {endpoint: 'http://127.0.0.1:7465'}\ndestinations: {producers: [{producer: orders, allow: [US]}]}"
	config, err := Parse("test.yaml", []byte(text+dialed))
	if err != nil {
		t.Fatal(err)
	}
	permit, _, err := config.permit(Options{}, &App{})
	if err != nil || permit == nil {
		t.Fatal(err)
	}
	number, err := call.ParsePhone("+819000000001")
	if err != nil {
		t.Fatal(err)
	}
	if permit(number, "") != nil || permit(number, "another") != nil || permit(number, "orders") == nil {
		t.Error("the rules of one producer hold for another, or for none")
	}
}

func TestWhatIsRefusedForAProducerAlarmsForIt(t *testing.T) {
	t.Parallel()
	config, err := Parse("test.yaml", []byte(limitedOrders+dialed))
	if err != nil {
		t.Fatal(err)
	}
	a := &App{Observer: NewObserver(slog.New(slog.DiscardHandler), nil)}
	_, denied, err := config.permit(Options{Clock: SystemClock{}}, a)
	if err != nil {
		t.Fatal(err)
	}
	number, err := call.ParsePhone("+12025550100")
	if err != nil {
		t.Fatal(err)
	}
	for _, producer := range []string{"orders", "orders", "texts"} {
		denied(t.Context(), number, producer)
	}
	if n := a.Observer.Counts()[Metric{What: "prefix-refused", Code: string(call.CodeDestinationDenied)}]; n != 2 {
		t.Errorf("%d alarms, want one for each producer", n)
	}
}

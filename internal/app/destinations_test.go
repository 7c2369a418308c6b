package app

import (
	"crypto/rand"
	"errors"
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
		err = permit(number)
		if (rule == "") != (err == nil) || (err != nil && (!strings.Contains(err.Error(), rule) || strings.Contains(err.Error(), digits[1:]) || call.CodeOf(err) != call.CodeDestinationDenied)) {
			t.Errorf("%s: %v, want %q", digits, err, rule)
		}
	}
}

package app_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const good = `production: false
connect:
  endpoint: http://127.0.0.1:7465
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-1111-4111-8111-111111111111
    contact_flow_id: 22222222-2222-4222-8222-222222222222
    queue_id: 33333333-3333-4333-8333-333333333333
    window: 30d
ledger: {driver: sqlite, path: calls.db}
`

func TestAGoodConfigurationIsRead(t *testing.T) {
	t.Parallel()
	c, err := app.Parse("ringonce.yaml", []byte(good))
	if err != nil || c.IsProduction() || c.Profiles["alert"].Window != "30d" {
		t.Fatalf("config = %+v, %v", c, err)
	}
}

func TestABadConfigurationIsOneSentenceWithItsPlaceAndItsKey(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, field, place string }{
		{"unknown key", "production: false", "prodction: false", "prodction", ":1:1:"},
		{"unknown nested key", "window: 30d", "windw: 30d", "profiles.alert.windw", ":10:5:"},
		{"wrong type", "production: false", "production: [1]", "production", ":1:13:"},
		{"text where a number belongs", "profiles:\n", "pacing:\n  burst: many\nprofiles:\n", "pacing.burst", ":5:10:"},
		{"no duration", "window: 30d", "window: a month", "profiles.alert.window", ":10:13:"},
		{"an ARN where a GUID belongs", "11111111-1111-4111-8111-111111111111", "arn:aws:connect:us-east-1:111122223333:instance/11111111-1111-4111-8111-111111111111", "profiles.alert.instance_id", ":7:18:"},
		{"a missing id", "    instance_id: 11111111-1111-4111-8111-111111111111\n", "", "profiles.alert.instance_id", ":6:"},
		{"no region", "region: us-east-1", "region: here", "profiles.alert.region", ":6:13:"},
		{"an endpoint in production", "production: false", "production: true", "connect.endpoint", ":3:13:"},
		{"an endpoint that is not on loopback", "http://127.0.0.1:7465", "http://192.0.2.7:7465", "connect.endpoint", ":3:13:"},
		{"an unknown policy", "window: 30d", "resend: always", "profiles.alert.resend", ":10:13:"},
		{"an unknown recipe", "profiles:\n", "token:\n  recipe: md5\nprofiles:\n", "token.recipe", ":5:11:"},
		{"a ledger without its path", ", path: calls.db", "", "ledger.path", ":11:"},
		{"a window without a ledger", "ledger: {driver: sqlite, path: calls.db}\n", "", "profiles.alert.window", ":10:13:"},
		{"a default profile that is none", "profiles:\n", "default_profile: reminder\nprofiles:\n", "default_profile", ":4:18:"},
		{"evidence without a mark", "window: 30d", "resend: evidence\n    mark: off", "profiles.alert.mark", ":11:11:"},
		{"an unknown kind", "window: 30d", "kind: mail", "profiles.alert.kind", ":10:11:"},
		{"a setting of another kind", "window: 30d", "display_name: Anna", "profiles.alert.display_name", ":10:19:"},
		{"a setting of voice in a chat", "window: 30d", "kind: chat\n    display_name: Anna", "profiles.alert.queue_id", ":9:15:"},
		{"a chat without a name", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: chat", "profiles.alert.display_name", ":6:"},
		{"a chat that is resent by its token", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: chat\n    display_name: Anna\n    resend: token", "profiles.alert.resend", ":11:13:"},
		{"a task without its mark", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: task\n    mark: off", "profiles.alert.mark", ":10:11:"},
		{"a task with two flows", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: task\n    task_template_id: 44444444-4444-4444-8444-444444444444", "profiles.alert.contact_flow_id", ":8:22:"},
		{"a brace that is no placeholder", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: task\n    description: 'Call {customer'", "profiles.alert.description", ":10:18:"},
		{"a chat that is too short", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: chat\n    display_name: Anna\n    contact_duration: 59m", "profiles.alert.contact_duration", ":11:23:"},
		{"a task of half a minute", "queue_id: 33333333-3333-4333-8333-333333333333", "kind: task\n    contact_duration: 90s", "profiles.alert.contact_duration", ":10:23:"},
		{"no profile", good[strings.Index(good, "profiles:"):], "", "profiles", ""},
		{"no YAML", "production: false", "production: \"", "", ":"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(good, test.old, test.new, 1)
			_, err := app.Parse("ringonce.yaml", []byte(text))
			if call.CodeOf(err) != call.CodeConfiguration {
				t.Fatalf("err = %v, want a configuration error", err)
			}
			sentence := err.Error()
			if !strings.Contains(sentence, test.field) || !strings.Contains(sentence, test.place) || strings.Contains(sentence, "\n") {
				t.Errorf("%q does not name %q at %q", sentence, test.field, test.place)
			}
		})
	}
}

func TestAWrongTypeIsSaidInWordsOfTheFile(t *testing.T) {
	t.Parallel()
	for added, want := range map[string]string{
		"pacing: {burst: many}":      "pacing.burst: must be a whole number",
		"pacing: {per_second: fast}": "pacing.per_second: must be a number",
		"default_profile: {a: b}":    "default_profile: ",
	} {
		_, err := app.Parse("ringonce.yaml", []byte(good+added+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go struct") {
			t.Errorf("%s: err = %v, want %q", added, err, want)
		}
	}
	_, err := app.Parse("ringonce.yaml", []byte(strings.Replace(good, "production: false", "production: no way", 1)))
	if err == nil || !strings.Contains(err.Error(), "production: must be true or false") {
		t.Errorf("err = %v", err)
	}
}

package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// kinds is a configuration with a profile of each kind.
const kinds = `production: false
default_profile: alert
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-1111-4111-8111-111111111111
    contact_flow_id: 22222222-2222-4222-8222-222222222222
    queue_id: 33333333-3333-4333-8333-333333333333
  chat:
    kind: chat
    region: us-east-1
    instance_id: 11111111-1111-4111-8111-111111111111
    contact_flow_id: 22222222-2222-4222-8222-222222222222
    display_name: "{customer}"
    initial_message: "About {topic}"
    contact_duration: 2h
  task:
    kind: task
    region: us-east-1
    instance_id: 11111111-1111-4111-8111-111111111111
    quick_connect_id: 44444444-4444-4444-8444-444444444444
    description: "Call {customer} back"
`

func TestAProfileSaysItsKindAndItsDefaults(t *testing.T) {
	t.Parallel()
	c, err := app.Parse("ringonce.yaml", []byte(kinds+"ledger: {driver: sqlite, path: calls.db}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		kind    call.Kind
		resend  call.Resend
		longest time.Duration
	}{
		"alert": {call.KindVoice, call.ResendToken, 4 * time.Hour},
		"chat":  {call.KindChat, call.ResendEvidence, 2 * time.Hour},
		"task":  {call.KindTask, call.ResendEvidence, 7 * 24 * time.Hour},
	}
	for _, p := range c.CallProfiles() {
		if p = p.WithDefaults(); p.Kind != want[p.Name].kind || p.Resend != want[p.Name].resend || p.LongestCall != want[p.Name].longest {
			t.Errorf("%s: kind %s, resend %s, longest %s", p.Name, p.Kind, p.Resend, p.LongestCall)
		}
	}
	numberless := c.Numberless()
	for name, needs := range map[string]bool{"": true, "alert": true, "chat": false, "task": false, "gone": true} {
		if numberless(name) == needs {
			t.Errorf("profile %q: needs a number: %t", name, !needs)
		}
	}
}

func TestWithoutALedgerAChatIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	_, err := app.Parse("ringonce.yaml", []byte(kinds))
	if call.CodeOf(err) != call.CodeConfiguration || !strings.Contains(err.Error(), "profiles.chat.kind") {
		t.Errorf("err = %v, want a refusal of profiles.chat.kind", err)
	}
}

func TestTokensOfKindsDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range call.Kinds() {
		token := app.KindToken(k, "call-notification-12345-user-67890")
		if token == "" || seen[token] {
			t.Errorf("%s has the token %q", k, token)
		}
		seen[token] = true
	}
	if !seen["call-notification-12345-user-67890"] {
		t.Error("the token of voice is not that of the recipe")
	}
}

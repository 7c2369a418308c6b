package app

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const recallFile = `production: false
ledger: {driver: sqlite, path: /var/lib/ringonce/calls.db}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    queue_id: bbbbbbbb-cccc-4ddd-8eee-ffffffffffff
    recall:
`

func TestScenarioV53ARecallRuleOutOfRangeIsRefusedWithItsPlaceAndTheRange(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"      {budget: 2, wait: {failed: 2h}}":               "r.yaml:10:34: profiles.alert.recall.wait.failed: is 2h0m0s, outside the allowed 1s to 1h0m0s.",
		"      {budget: 2, wait: {no_answer: 10s}}":           "outside the allowed 5m0s to 24h0m0s.",
		"      {budget: 2, wait: {busy: soon}}":               "is no duration.",
		"      {budget: 2, wait: {invalid_number: 5m}}":       "never rings again: the number stays invalid.",
		"      {budget: 2, wait: {confirmed: 5m}}":            "never rings again: somebody knows.",
		"      {budget: 2, wait: {happy: 5m}}":                "is no outcome that can ring again",
		"      {budget: 21, wait: {busy: 5m}}":                "profiles.alert.recall.budget: is not from 0 to 20.",
		"      {budget: -1}":                                  "is not from 0 to 20.",
		"      {budget: 2}":                                   "profiles.alert.recall.wait: is missing.",
		"      {wait: {busy: 5m}}":                            "profiles.alert.recall.budget: is missing",
		"      {budget: 1, wait: {busy: 5m}, dialing: fixed}": "profiles.alert.recall.dialing",
	} {
		c, err := Parse("r.yaml", []byte(recallFile+rule+"\n"))
		if err == nil {
			err = c.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) || call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%s: %v\n\twant %s", strings.TrimSpace(rule), err, want)
		}
	}
}

func TestARecallRuleReachesTheEngine(t *testing.T) {
	t.Parallel()
	c, err := Parse("r.yaml", []byte(recallFile+"      {budget: 2, wait: {busy: 5m}}\n"))
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	core := call.Config{Tracks: func(p call.Profile) (bool, bool) { return p.Name == "alert", false }}
	c.recalls(&core)
	busy := call.Call{State: call.Placed, Outcome: call.OutcomeBusy}
	if got := core.Again(busy, call.Profile{Name: "alert"}); !got.Again || !got.Pinned || got.Why == "" {
		t.Errorf("%+v", got)
	}
	if got := core.Again(busy, call.Profile{Name: "gone"}); got.Again {
		t.Errorf("a profile without a rule rings again: %+v", got)
	}
	if tracked, follows := core.Tracks(call.Profile{Name: "alert"}); !tracked || !follows {
		t.Error("the profile with a rule is not followed")
	}
	if tracked, follows := core.Tracks(call.Profile{Name: "other"}); tracked || follows {
		t.Error("a profile that is not tracked is followed")
	}
}

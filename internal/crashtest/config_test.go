package crashtest

import (
	"strings"

	"github.com/ringonce/ringonce/connectemu"
)

// The profiles beside the default one: a re-call rule, and one that gives up after one attempt.
const (
	profileAlert = "alert"
	profileAgain = "again"
	profileTired = "tired"
)

// config is the configuration of every process: outcomes are tracked, which is the default, a rule rings again, a limit counts some calls, and what cannot be
// read is parked.
func (w *world) config(endpoint string) string {
	lines := []string{
		"production: false", "connect:", "  endpoint: " + endpoint, "pacing: " + w.setting.pacing, "sweep: {every: 1s, limit: 1000}",
		"metrics: {format: none}", "log: {level: warn, format: text}",
		"ledger:", "  driver: sqlite", "  path: " + w.path("ledger/calls.db"), "  witness: " + w.path("witness/calls.witness"), "  on_poison: park",
		"limits:", "  velocity: [{prefix: \"" + limitPrefix + "\", most: 6, per: 1m, then: hold}]",
		"default_profile: " + profileAlert, "profiles:",
	}
	for name, more := range map[string][]string{
		profileAlert: nil, profileAgain: {"recall: {budget: 1, wait: {busy: 1m}}"}, profileTired: {"max_attempts: 1", "outcome: \"off\""},
	} {
		lines = append(lines, "  "+name+":")
		for _, line := range append(more, "region: "+connectemu.DefaultRegion, "instance_id: "+connectemu.DefaultInstance,
			"contact_flow_id: 22222222-3333-4444-8555-666666666666", "queue_id: 33333333-4444-4555-8666-777777777777", "window: "+window.String()) {
			lines = append(lines, "    "+line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

package app

import (
	"strings"
	"testing"
)

const accessBase = `
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
ledger: {driver: sqlite, path: data/calls.db}
`

func TestTheAccessSectionIsReadStrictlyAndItsSlipsAreNamed(t *testing.T) {
	t.Parallel()
	good := `access:
  keys_file: keys.json
  producers: [{name: crm, key_space: calls, profiles: [alert], per_second: 5, burst: 10, max_open: 7}, {name: reports, reads: [calls]}]
  key_spaces: [{name: calls, producers: [crm, shop], readers: [reports]}]
  issuers:
    - {issuer: "https://a", audience: r, kind: operator, jwks_url: "https://a/k", roles: {ops: operate}}
    - {issuer: "https://b", audience: r, kind: producer, jwks_file: k, producers: {svc: crm}, algorithms: [ES256]}
  certificates: [{san: "uri:spiffe://e/crm", producer: crm}]
  fetch_allow: ["10.0.0.0/8"]
  max_open: 9
  audit_keep_days: 400
`
	c, err := Parse("t.yaml", []byte(accessBase+good))
	two := strings.NewReplacer("ops: operate", "ops: admin", "  fetch_allow", "  two_person: true\n  fetch_allow").Replace(good)
	if c, err := Parse("t.yaml", []byte(accessBase+two)); err != nil || !c.Access.TwoPerson {
		t.Errorf("two people: %v", err)
	}
	if err != nil || !c.Access.Credentials() || c.AuditDir() != "data/audit" || c.AuditHeadsDir() != "data/audit-heads" {
		t.Fatalf("%v", err)
	}
	if listed, other := c.Access.OpenLimits(); listed["crm"] != 7 || len(listed) != 1 || other != 9 {
		t.Errorf("%v, %d", listed, other)
	}
	for field, change := range map[string][2]string{
		"access.producers[0].name":       {"{name: crm,", `{name: "c/m",`},
		"access.producers[1].name":       {"{name: reports,", "{name: crm,"},
		"access.producers[0].key_space":  {"producers: [crm, shop]", "producers: [shop]"},
		"access.producers[1].reads":      {"readers: [reports]", "readers: [x]"},
		"access.producers[0].profiles":   {"profiles: [alert]", "profiles: [other]"},
		"access.producers[0].per_second": {", burst: 10", ""},
		"access.key_spaces[0].name":      {"[{name: calls, producers", "[{name: '', producers"},
		"access.issuers[0].issuer":       {`issuer: "https://a", `, ""},
		"access.issuers[0].audience":     {`"https://a", audience: r`, `"https://a", audience: ""`},
		"access.issuers[0].kind":         {"kind: operator", "kind: root"},
		"access.issuers[0].jwks_file":    {`jwks_url: "https://a/k"`, `jwks_url: "https://a/k", jwks_file: k`},
		"access.issuers[0].jwks_url":     {`jwks_url: "https://a/k"`, `jwks_url: "http://a/k"`},
		"access.issuers[0].roles":        {"ops: operate", "ops: root"},
		"access.issuers[1].producers":    {"producers: {svc: crm}", "producers: {}"},
		"access.issuers[1].algorithms":   {"[ES256]", "[HS256]"},
		"access.certificates[0].san":     {"uri:spiffe", "cn:spiffe"},
		"access.producers[0].max_open":   {"max_open: 7", "max_open: -7"},
		"access.max_open":                {"max_open: 9", "max_open: 1000001"},
		"access.audit_keep_days":         {"audit_keep_days: 400", "audit_keep_days: 6"},
		"access.fetch_allow":             {"10.0.0.0/8", "10.0.0.0"},
		"access.two_person":              {"keys_file: keys.json", "two_person: true"},
		"access.anonymous":               {"  fetch_allow", "  anonymous: true\n  fetch_allow"},
		"access.flow_reporters":          {"  fetch_allow", "  flow_reporters: [crm]\n  fetch_allow"},
		"access.keysfile":                {"keys_file", "keysfile"},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if text == good {
			t.Fatalf("%s: nothing was changed", field)
		}
		if _, err := Parse("t.yaml", []byte(accessBase+text)); err == nil || field != "access.keysfile" && !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestTheAuditLogLiesBesideWhatTheLedgerKeepsOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ledger     Ledger
		dir, heads string
	}{
		{Ledger{Path: "data/calls.db", Witness: "other/witness"}, "data/audit", "data/audit-heads"},
		{Ledger{Driver: "postgres", Witness: "other/witness"}, "other/witness.audit", "other/witness.audit-heads"},
		{Ledger{Driver: "dynamodb", Table: "calls"}, "", ""},
	} {
		set := Config{Ledger: c.ledger}
		if set.AuditDir() != c.dir || set.AuditHeadsDir() != c.heads {
			t.Errorf("%+v: %q, %q", c.ledger, set.AuditDir(), set.AuditHeadsDir())
		}
		set.Access.AuditDir = "named"
		if set.AuditDir() != "named" || set.AuditHeadsDir() != "named-heads" {
			t.Errorf("%+v: %q, %q although one was named", c.ledger, set.AuditDir(), set.AuditHeadsDir())
		}
	}
}

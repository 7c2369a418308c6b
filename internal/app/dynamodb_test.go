package app

import (
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const head = "profiles: {a: {region: us-east-1, instance_id: 7d9f1b1c-3b5e-4a57-9c53-3f2b8f6d0a11, contact_flow_id: c1f5a0de-54a7-4c9b-8f63-0c9f9f2b7a22, queue_id: 5a3c7e9f-1d2b-4c6d-8e0f-9a1b2c3d4e5f}}\n"

func TestTheSettingsOfATableAreCheckedByName(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"ledger: {driver: dynamodb, table: calls}":                                                                        "",
		"ledger: {driver: dynamodb}":                                                                                      "ledger.table",
		"ledger: {driver: dynamodb, table: a/b}":                                                                          "ledger.table",
		"ledger: {driver: dynamodb, table: calls, path: x}":                                                               "ledger.path",
		"ledger: {driver: dynamodb, table: calls, witness: x}":                                                            "ledger.witness",
		"ledger: {driver: dynamodb, table: calls, remember: -1}":                                                          "ledger.remember",
		"ledger: {driver: dynamodb, table: calls, create_table: true}":                                                    "ledger.create_table",
		"ledger: {driver: dynamodb, table: calls, endpoint: 'http://127.0.0.1:1'}":                                        "ledger.endpoint",
		"{production: false, ledger: {driver: dynamodb, table: calls, endpoint: 'http://203.0.113.1'}}":                   "ledger.endpoint",
		"{production: false, ledger: {driver: dynamodb, table: t-1, endpoint: 'http://127.0.0.1:1', create_table: true}}": "",
		"ledger: {driver: sqlite, path: x, region: us-east-1}":                                                            "ledger.region",
		"ledger: {driver: dynamodb, table: calls, kms_key: 'arn:aws:kms:eu-west-1:111122223333:key/1-a'}":                 "",
		"ledger: {driver: dynamodb, table: calls, kms_key: 'arn:aws-cn:kms:cn-north-1:111122223333:alias/a/b_c-1'}":       "",
		"ledger: {driver: dynamodb, table: calls, kms_key: off}":                                                          "",
		"ledger: {driver: dynamodb, table: calls, kms_key: alias/ringonce}":                                               "ledger.kms_key",
		"ledger: {driver: dynamodb, table: calls, kms_key: 'arn:aws:kms:eu-west-1:111122223333:grant/1'}":                 "ledger.kms_key",
		"ledger: {driver: dynamodb, table: calls, kms_key: 'arn:aws:kms:evil.example/:111122223333:key/1'}":               "ledger.kms_key",
		"ledger: {driver: sqlite, path: x, kms_key: off}":                                                                 "ledger.kms_key",
		"ledger: {table: calls}": "ledger.table",
	} {
		if text[0] == '{' {
			text = text[1 : len(text)-1]
			text = "production: false\n" + text[len("production: false, "):]
		}
		_, err := Parse("test.yaml", []byte(head+text+"\n"))
		refused, ok := errors.AsType[*call.Error](err)
		if (field == "") != (err == nil) || (ok && refused.Field != field) {
			t.Errorf("%s: %v, want a refusal of %q", text, err, field)
		}
	}
}

func TestTheCheapWayOfADuplicateFollowsDriverAndRecipe(t *testing.T) {
	t.Parallel()
	no, five := false, 5
	for name, c := range map[string]struct {
		config            Config
		readFirst, unique bool
		remember          int
	}{
		"sqlite":                   {Config{Ledger: Ledger{Driver: "sqlite"}}, true, false, 0},
		"dynamodb":                 {Config{Ledger: Ledger{Driver: "dynamodb"}}, false, false, 1000},
		"dynamodb, templates":      {Config{Ledger: Ledger{Driver: "dynamodb"}, Token: Token{Recipe: "template"}}, true, true, 1000},
		"dynamodb, own tokens":     {Config{Ledger: Ledger{Driver: "dynamodb"}, Token: Token{Recipe: "message"}}, true, true, 1000},
		"dynamodb, hmac":           {Config{Ledger: Ledger{Driver: "dynamodb"}, Token: Token{Recipe: "hmac-sha256"}}, false, false, 1000},
		"dynamodb, key spaces":     {Config{Ledger: Ledger{Driver: "dynamodb"}, Producers: []Producer{{ARN: "a", KeySpace: "k"}}}, true, true, 1000},
		"dynamodb, a producer":     {Config{Ledger: Ledger{Driver: "dynamodb"}, Producers: []Producer{{ARN: "a"}}}, false, false, 1000},
		"templates, as configured": {Config{Ledger: Ledger{Driver: "dynamodb", ReadFirst: &no, Remember: &five}, Token: Token{Recipe: "template"}}, false, true, 5},
	} {
		if c.config.readFirst() != c.readFirst || c.config.tokensCanClash() != c.unique || c.config.remember() != c.remember {
			t.Errorf("%s: read first %t, unique %t, remember %d", name, c.config.readFirst(), c.config.tokensCanClash(), c.config.remember())
		}
	}
}

func TestATableNeedsARegion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		region, variable, field string
	}{
		"region in the file":        {region: "us-east-1"},
		"region in the environment": {variable: "AWS_REGION"},
		"no region":                 {field: "ledger.region"},
	} {
		l := Ledger{Region: c.region}
		o := Options{LookupEnv: func(n string) (string, bool) { return map[string]string{c.variable: "us-east-1"}[n], n == c.variable }}
		err := (&Config{}).completeTable(o, &l)
		refused, ok := errors.AsType[*call.Error](err)
		if (c.field == "") != (err == nil) || (ok && refused.Field != c.field) || (err == nil && l.Region != "us-east-1") {
			t.Errorf("%s: %v, Region %q", name, err, l.Region)
		}
	}
}

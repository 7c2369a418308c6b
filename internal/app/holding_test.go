package app_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const holdingAll = good + `holding: {hours: ["mon-fri 09:00-20:00"], closed: ["01-01"], time_zone: Europe/London}
limits:
  per_number: ["3 per 1h", "10 per 7d"]
  velocity:
    - {prefix: "+8190", most: 500, per: 1d}
    - {producer: "arn:aws:sqs:us-east-1:111122223333:orders", most: 10, per: 1h, then: hold}
    - {caller_id: each, most: 60, per: 1h}
    - {caller_id: 33333333-3333-4333-8333-333333333333, most: 20, per: 1h}
  cost:
    currency: USD
    prices:
      - {per_call: 0.01, per_minute: "0.05"}
      - {prefix: "+8190", per_minute: 0.2}
    ceilings:
      - {per_day: 500}
      - {producer: each, per_day: "100.50"}
  concurrent: 10
  slot_lease: 30m
do_not_call: {key_file: dnc.key}
pacing: {shared: true}
`

func TestWhatHoldsCallsIsRead(t *testing.T) {
	t.Parallel()
	c, err := app.Parse("ringonce.yaml", []byte(strings.Replace(holdingAll, "window: 30d", "window: 30d\n    hours: [\"00:00-24:00\"]\n    urgent: on\n    caps: off", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Limits.PerNumber) != 2 || len(c.Limits.Velocity) != 4 || c.Limits.Cost.Prices[1].PerMinute != "0.2" || c.Limits.Cost.Ceilings[1].PerDay != "100.50" || c.Profiles["alert"].Urgent != "on" || c.Holding.TimeZone != "Europe/London" {
		t.Errorf("%+v", c)
	}
	if _, err := app.Parse("ringonce.yaml", []byte(strings.Replace(holdingAll, `["3 per 1h", "10 per 7d"]`, "3 per 1h, 10 per 7d", 1))); err != nil {
		t.Errorf("one text with commas: %v", err)
	}
}

func TestWhatCannotHoldACallIsRefusedByItsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, field string }{
		"hours":                    {`"mon-fri 09:00-20:00"`, `"weekdays"`, "holding.hours"},
		"a closed day":             {`"01-01"`, `"13-01"`, "holding.closed"},
		"a zone":                   {"Europe/London", "Europe/Londn", "holding.time_zone"},
		"no zone":                  {", time_zone: Europe/London", "", "holding.time_zone"},
		"a profile's hours":        {"window: 30d", "hours: [\"25:00-26:00\"]", "profiles.alert.hours"},
		"a profile's zone":         {"window: 30d", "time_zone: JST", "profiles.alert.time_zone"},
		"a profile's urgency":      {"window: 30d", "urgent: always", "profiles.alert.urgent"},
		"a profile's caps":         {"window: 30d", "caps: none", "profiles.alert.caps"},
		"a cap":                    {"3 per 1h", "3 an hour", "limits.per_number"},
		"a prefix":                 {`"+8190"`, `"8190"`, "limits.velocity[0].prefix"},
		"a count":                  {"most: 500", "most: 0", "limits.velocity[0].most"},
		"no stretch":               {", per: 1d", "", "limits.velocity[0].per"},
		"a stretch":                {"per: 1d", "per: 90d", "limits.velocity[0].per"},
		"what then":                {"then: hold", "then: panic", "limits.velocity[1].then"},
		"two limits of one":        {"    - {caller_id: each", "    - {prefix: \"+8190\", most: 5, per: 1d}\n    - {caller_id: each", "limits.velocity[2]"},
		"two of a caller id":       {"    - {caller_id: each, most: 60", "    - {caller_id: each, most: 5, per: 1h}\n    - {caller_id: each, most: 60", "limits.velocity[3]"},
		"a caller id":              {"caller_id: 3333", "caller_id: 4333", "limits.velocity[3].caller_id"},
		"a currency":               {"currency: USD", "currency: dollars", "limits.cost.currency"},
		"an amount":                {`per_minute: "0.05"`, "per_minute: 5 cents", "limits.cost.prices[0].per_minute"},
		"a negative amount":        {"per_call: 0.01", "per_call: -1", "limits.cost.prices[0].per_call"},
		"a price's prefix":         {`prefix: "+8190", per_minute`, `prefix: "8190", per_minute`, "limits.cost.prices[1].prefix"},
		"no amount":                {`prefix: "+8190", per_minute: 0.2`, `prefix: "+8190"`, "limits.cost.prices[1].per_call"},
		"two prices of one":        {`{prefix: "+8190", per_minute: 0.2}`, "{per_call: 1}", "limits.cost.prices[1].prefix"},
		"no price of the rest":     {`{per_call: 0.01, per_minute`, `{prefix: "+81", per_minute`, "limits.cost.prices"},
		"no prices":                {"    prices:\n      - {per_call: 0.01, per_minute: \"0.05\"}\n      - {prefix: \"+8190\", per_minute: 0.2}\n", "", "limits.cost.prices"},
		"no ceilings":              {"    ceilings:\n      - {per_day: 500}\n      - {producer: each, per_day: \"100.50\"}\n", "", "limits.cost.ceilings"},
		"a ceiling":                {"per_day: 500", "per_day: much", "limits.cost.ceilings[0].per_day"},
		"no amount of a ceiling":   {", per_day: \"100.50\"", "", "limits.cost.ceilings[1].per_day"},
		"a ceiling below a call":   {"per_day: 500", "per_day: 47.99", "limits.cost.ceilings[0].per_day"}, // 240 minutes at 0.2
		"a ceiling of nothing":     {"per_day: 500", "per_day: 0", "limits.cost.ceilings[0].per_day"},
		"two ceilings of one":      {"{per_day: 500}", "{producer: each, per_day: 500}", "limits.cost.ceilings[1].producer"},
		"slots":                    {"concurrent: 10", "concurrent: -1", "limits.concurrent"},
		"a new country":            {"concurrent: 10", "concurrent: 10\n  new_country: call", "limits.new_country"},
		"a lease":                  {"slot_lease: 30m", "slot_lease: 1s", "limits.slot_lease"},
		"two keys":                 {"key_file: dnc.key", "key_file: dnc.key, key_secret: arn:aws:ssm:us-east-1:111122223333:parameter/k", "do_not_call.key_secret"},
		"hours without a ledger":   {"ledger: {driver: sqlite, path: calls.db}\n", "", "holding.hours"},
		"urgency without a ledger": {"    window: 30d\nledger: {driver: sqlite, path: calls.db}\n", "    urgent: on\n", "profiles.alert.urgent"},
	} {
		text := strings.Replace(holdingAll, c.old, c.new, 1)
		if name == "hours without a ledger" {
			text = strings.Replace(text, "    window: 30d\n", "", 1)
		}
		_, err := app.Parse("ringonce.yaml", []byte(text))
		refusal, ok := errors.AsType[*call.Error](err)
		if !ok || refusal.Code != call.CodeConfiguration || refusal.Field != c.field {
			t.Errorf("%s: %v, want a refusal of %s", name, err, c.field)
		}
	}
}

package app

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	wakeURL  = "https://sqs.eu-west-1.amazonaws.com/111122223333/wake"
	wakeARN  = "arn:aws:sqs:eu-west-1:111122223333:wake"
	wakeRole = "arn:aws:iam::111122223333:role/service/ringonce-wake"
)

func TestTheSettingsOfHintsAreCheckedByName(t *testing.T) {
	t.Parallel()
	const table = "ledger: {driver: dynamodb, table: calls}\n"
	for text, field := range map[string]string{
		table + "wake: {queue_url: '" + wakeURL + "'}": "",
		table + "wake: {queue_url: '" + wakeURL + "', queue_arn: '" + wakeARN + "', role_arn: '" + wakeRole + "', schedule_group: calls.a-b_c, region: eu-west-1}": "",
		"ledger: {driver: sqlite, path: x}\nwake: {queue_url: '" + wakeURL + "'}":                                                                                  "",
		"wake: {queue_url: '" + wakeURL + "'}":                                                                                 "wake.queue_url",
		table + "wake: {queue_url: '" + wakeURL + ".fifo'}":                                                                    "wake.queue_url",
		table + "wake: {queue_url: '" + wakeARN + "'}":                                                                         "wake.queue_url",
		table + "wake: {queue_url: 'https://sqs.eu-west-1.amazonaws.com/wake'}":                                                "wake.queue_url",
		table + "wake: {queue_url: 'https://sqs.eu-west-1.amazonaws.com/1/a/b'}":                                               "wake.queue_url",
		table + "wake: {queue_url: 'http://sqs.eu-west-1.amazonaws.com/111122223333/wake'}":                                    "wake.queue_url",
		table + "wake: {queue_url: 'https://a:b@sqs.eu-west-1.amazonaws.com/111122223333/wake'}":                               "wake.queue_url",
		table + "wake: {role_arn: '" + wakeRole + "'}":                                                                         "wake.role_arn",
		table + "wake: {queue_url: '" + wakeURL + "', role_arn: admin}":                                                        "wake.role_arn",
		table + "wake: {queue_url: '" + wakeURL + "', role_arn: 'arn:aws:iam::111122223333:user/ann'}":                         "wake.role_arn",
		table + "wake: {queue_url: '" + wakeURL + "', queue_arn: wake}":                                                        "wake.queue_arn",
		table + "wake: {queue_url: '" + wakeURL + "', queue_arn: '" + wakeARN + "2'}":                                          "wake.queue_arn",
		table + "wake: {queue_url: '" + wakeURL + "', queue_arn: 'arn:aws:sqs:eu-west-2:111122223333:wake'}":                   "wake.queue_arn",
		table + "wake: {queue_url: '" + wakeURL + "', region: eu-west-2}":                                                      "wake.region",
		table + "wake: {queue_url: '" + wakeURL + "', schedule_group: calls}":                                                  "wake.schedule_group",
		table + "wake: {queue_url: '" + wakeURL + "', role_arn: '" + wakeRole + "', schedule_group: 'a b'}":                    "wake.schedule_group",
		table + "wake: {queue_url: '" + wakeURL + "', endpoint: 'http://127.0.0.1:5000'}":                                      "wake.endpoint",
		"production: false\n" + table + "wake: {queue_url: '" + wakeURL + "', endpoint: 'http://203.0.113.1'}":                 "wake.endpoint",
		"production: false\n" + table + "wake: {queue_url: 'http://127.0.0.1:5000/1/wake', endpoint: 'http://127.0.0.1:5000'}": "",
	} {
		_, err := Parse("test.yaml", []byte(head+text+"\n"))
		refused, ok := errors.AsType[*call.Error](err)
		if (field == "") != (err == nil) || (ok && (refused.Field != field || refused.Fix == "")) {
			t.Errorf("%s: %v, want a refusal of %q", text, err, field)
		}
	}
}

// wakeOptions is a binary that gives hints, in an environment.
func wakeOptions(asked *WakerRequest, env map[string]string) Options {
	return Options{
		LookupEnv: func(n string) (string, bool) { v, ok := env[n]; return v, ok },
		Waker: func(r WakerRequest) (call.Waker, error) {
			*asked = r
			return nil, nil //nolint:nilnil // only the request matters
		},
	}
}

func TestTheRegionAndTheARNOfTheQueueAreFilledIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wake             Wake
		variable, region string
		arn              string
	}{
		"of the URL":            {Wake{QueueURL: wakeURL}, "us-east-1", "eu-west-1", wakeARN},
		"of an old URL":         {Wake{QueueURL: "https://eu-west-1.queue.amazonaws.com/111122223333/wake"}, "us-east-1", "eu-west-1", wakeARN},
		"of the file":           {Wake{QueueURL: "https://vpce-1.example.com/111122223333/wake", Region: "eu-west-1"}, "us-east-1", "eu-west-1", wakeARN},
		"of the ARN":            {Wake{QueueURL: "https://vpce-1.example.com/x/wake", QueueARN: wakeARN, RoleARN: wakeRole}, "us-east-1", "eu-west-1", wakeARN},
		"of the environment":    {Wake{QueueURL: "https://vpce-1.example.com/111122223333/wake"}, "eu-west-1", "eu-west-1", wakeARN},
		"in China":              {Wake{QueueURL: "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/wake"}, "", "cn-north-1", "arn:aws-cn:sqs:cn-north-1:111122223333:wake"},
		"of another government": {Wake{QueueURL: "https://sqs.us-gov-west-1.amazonaws.com/111122223333/wake"}, "", "us-gov-west-1", "arn:aws-us-gov:sqs:us-gov-west-1:111122223333:wake"},
	} {
		var asked WakerRequest
		_, err := (&Config{Wake: c.wake}).openWaker(wakeOptions(&asked, map[string]string{"AWS_REGION": c.variable}))
		if err != nil || asked.Config.Region != c.region || asked.Config.QueueARN != c.arn {
			t.Errorf("%s: %v: %+v", name, err, asked.Config)
		}
	}
}

func TestHintsThatCannotBeGivenAreRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config Config
		field  string
	}{
		"no Region":  {Config{Wake: Wake{QueueURL: "https://vpce-1.example.com/111122223333/wake"}}, "wake.region"},
		"no account": {Config{Wake: Wake{QueueURL: "https://sqs.eu-west-1.amazonaws.com/x/wake", RoleARN: wakeRole}}, "wake.queue_arn"},
	} {
		var asked WakerRequest
		_, err := c.config.openWaker(wakeOptions(&asked, nil))
		refused, ok := errors.AsType[*call.Error](err)
		if (c.field == "") != (err == nil) || (ok && refused.Field != c.field) {
			t.Errorf("%s: %v, want a refusal of %q", name, err, c.field)
		}
	}
	_, err := (&Config{Wake: Wake{QueueURL: wakeURL}}).openWaker(Options{})
	if refused, ok := errors.AsType[*call.Error](err); !ok || refused.Field != "wake.queue_url" {
		t.Errorf("a binary without hints: %v", err)
	}
	if waker, err := (&Config{Wake: Wake{QueueURL: wakeURL}}).openWaker(Options{ReadOnly: true}); waker != nil || err != nil {
		t.Errorf("a reader gives hints: %v, %v", waker, err)
	}
}

func TestOnlyKeysOfHintsThatAreSetAreNamed(t *testing.T) {
	t.Parallel()
	all := map[string]Wake{
		"wake.queue_arn": {QueueARN: "x"}, "wake.role_arn": {RoleARN: "x"}, "wake.schedule_group": {ScheduleGroup: "x"}, "wake.region": {Region: "x"},
		"wake.endpoint": {Endpoint: "x"},
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if got := all[key].set(); got != key {
			t.Errorf("%s: %s", key, got)
		}
	}
	if (Wake{}).set() != "" {
		t.Error("an empty section names a key")
	}
}

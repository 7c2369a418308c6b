package deploytest

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// required are the parameters without a default.
var required = map[string]string{
	"InstanceId": "11111111-2222-4333-8444-555555555555", "ContactFlowId": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "AllowedDestinations": "JP,US,+4420",
}

// optional are values for everything that is off or empty by itself.
var optional = map[string]map[string]string{
	"caller":   {"QueueId": "bbbbbbbb-cccc-4ddd-8eee-ffffffffffff", "SourcePhone": "+12025550100", "InstanceRegion": "ap-northeast-1"},
	"topic":    {"TopicArn": "arn:aws:sns:us-east-1:444455556666:orders"},
	"events":   {"EventSource": "com.example.orders", "EventBusName": "orders"},
	"defaults": {"EventSource": "com.example.orders"},
	"direct":   {"TopicArn": "arn:aws:sns:us-east-1:111122223333:orders", "EventSource": "com.example.orders", "DirectDelivery": "true"},
	"raw":      {"TopicArn": "arn:aws:sns:us-east-1:111122223333:orders", "RawMessageDelivery": "true"},
	"identity": {"IdentityKeySecretArn": "arn:aws:secretsmanager:us-east-1:111122223333:secret:ringonce/identity-a1B2c3"},
	"field":    {"EncryptCalls": "true"},
	"flow":     {"FlowCheckIn": "true"},
	"no hints": {"WakeHints": "false"},
	"stopped":  {"ReservedConcurrency": "0"},
	"reserved": {"ReservedConcurrency": "20", "MaximumConcurrency": "10", "PerSecond": "0.5", "Burst": "3"},
	"settings": {"ProfileName": "night", "Window": "30d", "Resend": "never", "LogRetentionDays": "30"},
	"alarms":   {"AlarmTopicArn": "arn:aws:sns:us-east-1:111122223333:night-watch"},
	"nothing":  {},
}

// sets are the sets of parameters that everything is tried with: each option by itself, and those that go together at once.
func sets() map[string]map[string]string {
	found := map[string]map[string]string{}
	for name, values := range optional {
		found[name] = maps.Clone(required)
		maps.Copy(found[name], values)
	}
	everything := maps.Clone(required)
	for _, name := range []string{"caller", "topic", "events", "identity", "field", "flow", "reserved", "settings", "alarms"} {
		maps.Copy(everything, optional[name])
	}
	found["everything"] = everything
	return found
}

const root = "../../deploy/"

// source is the text of both forms.
type source struct {
	sam       []byte
	terraform map[string][]byte // .tf files by name, and policy
}

func read(t testing.TB) source {
	t.Helper()
	file := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	s := source{sam: file(root + "sam/template.yaml"), terraform: map[string][]byte{"policy": file(root + "policies/deny-other-dialers.json")}}
	names, err := filepath.Glob(root + "terraform/*.tf")
	if err != nil || len(names) == 0 {
		t.Fatalf("find the module: %d files, %v", len(names), err)
	}
	for _, name := range names {
		s.terraform[filepath.Base(name)] = file(name)
	}
	return s
}

// stacks evaluates both forms.
func (s source) stacks(t testing.TB, given map[string]string) (sam, terraform *Stack) {
	t.Helper()
	sam, err := ReadSAM(s.sam, given)
	if err != nil {
		t.Fatalf("deploy/sam: %v", err)
	}
	if terraform, err = ReadTerraform(s.terraform, given); err != nil {
		t.Fatalf("deploy/terraform: %v", err)
	}
	return sam, terraform
}

// planted replaces text in one form; "" as file means the SAM form. The text must be there once, else the plant is none.
func (s source) planted(t testing.TB, file, old, fresh string) source {
	t.Helper()
	text := string(s.sam)
	if file != "" {
		text = string(s.terraform[file])
	}
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q is %d times in %q, not once", old, strings.Count(text, old), file)
	}
	text = strings.Replace(text, old, fresh, 1)
	if file == "" {
		return source{sam: []byte(text), terraform: s.terraform}
	}
	files := maps.Clone(s.terraform)
	files[file] = []byte(text)
	return source{sam: s.sam, terraform: files}
}

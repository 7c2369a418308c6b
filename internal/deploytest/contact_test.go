package deploytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheContactRuleTakesTheContactEventsOfTheInstance gives the documents of the corpus to the rule's pattern.
func TestTheContactRuleTakesTheContactEventsOfTheInstance(t *testing.T) {
	t.Parallel()
	given := maps.Clone(required)
	given["InstanceId"] = "81f08542-e514-4dde-9dce-78f5d9276ffb" // of the corpus
	sam, terraform := read(t).stacks(t, given)
	names, err := filepath.Glob("../envelope/testdata/events/connect-contact-event-*.json")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d documents, %v", len(names), err)
	}
	for _, stack := range []*Stack{sam, terraform} {
		rule := stack.Resources["AWS::Events::Rule ringonce-contacts"]
		if targets := rule.list("Targets"); len(targets) != 1 || walk(targets[0], []string{"Arn"}) != "arn:aws:sqs:us-east-1:111122223333:ringonce-contacts" {
			t.Errorf("the targets are %v", targets)
		}
		pattern := rule.Properties["EventPattern"]
		for _, name := range names {
			event := contactEvent(t, name)
			if !matches(pattern, event) {
				t.Errorf("%s is not taken", name)
			}
			for path, value := range map[string]string{
				"instanceArn":      "arn:aws:connect:ap-northeast-1:111122223333:instance/11111111-2222-4333-8444-555555555555",
				"initiationMethod": "INBOUND",
			} {
				other := contactEvent(t, name)
				detail, ok := other["detail"].(map[string]any)
				if !ok {
					t.Fatalf("%s has no detail", name)
				}
				if detail[path] = value; matches(pattern, other) {
					t.Errorf("%s with %s %s is taken", name, path, value)
				}
			}
		}
	}
}

// contactEvent returns the event within a document of the corpus, which may be the body of a queue's message.
func contactEvent(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	for range 4 {
		document = nil
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		records, _ := document["Records"].([]any)
		switch message, _ := document["Message"].(string); {
		case len(records) > 0:
			body, _ := walk(records[0], []string{"body"}).(string)
			text = []byte(body)
		case message != "":
			text = []byte(message)
		default:
			return document
		}
	}
	return document
}

// matches judges an event by a pattern of the two kinds that the rule uses: a value, and the end of one (Amazon EventBridge User Guide,
// "Creating event patterns").
func matches(pattern, event any) bool {
	members, ok := pattern.(map[string]any)
	if !ok {
		alternatives, _ := pattern.([]any)
		return slices.ContainsFunc(alternatives, func(alternative any) bool {
			if suffix, ok := walk(alternative, []string{"suffix"}).(string); ok {
				return strings.HasSuffix(fmt.Sprint(event), suffix)
			}
			return alternative == event
		})
	}
	for name, inner := range members {
		values, _ := event.(map[string]any)
		if !matches(inner, values[name]) {
			return false
		}
	}
	return true
}

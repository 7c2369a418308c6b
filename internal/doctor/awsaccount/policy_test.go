package awsaccount_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/doctor/awsaccount"
)

// measuring are the actions of the second policy in the documentation, for doctor --measure-token alone.
var measuring = []string{"connect:StartOutboundVoiceContact", "connect:DescribeContact"}

// TestThePolicyInTheDocumentationAllowsWhatIsReadAndNoMore compares the policies in docs/doctor.md with the operations that are sent.
func TestThePolicyInTheDocumentationAllowsWhatIsReadAndNoMore(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "```json\n")
	text, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/doctor.md holds no policy")
	}
	var policy struct {
		Statement []struct {
			Effect, Resource string
			Action           []string
		}
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		t.Fatalf("read the policy: %v", err)
	}
	allowed := map[string][]string{} // by resource
	for _, s := range policy.Statement {
		if s.Effect != "Allow" {
			t.Errorf("a statement says %q", s.Effect)
		}
		allowed[s.Resource] = append(allowed[s.Resource], s.Action...)
	}
	want := map[string][]string{}
	for _, read := range awsaccount.Reads() {
		want[read.On] = append(want[read.On], read.Action)
	}
	// The ledger itself is read with what a worker needs for reading.
	want["arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"] = append(want["arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE"], "dynamodb:GetItem", "dynamodb:BatchGetItem")
	want["arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE/index/*"] = []string{"dynamodb:Query"}
	want["arn:aws:kms:REGION:ACCOUNT:key/KEY"] = []string{"kms:Decrypt"} // asked for by DynamoDB in the name of the caller
	for resource, actions := range want {
		got := allowed[resource]
		slices.Sort(got)
		slices.Sort(actions)
		if !slices.Equal(got, actions) {
			t.Errorf("on %s the policy allows %q, and %q are sent", resource, got, actions)
		}
		delete(allowed, resource)
	}
	for resource := range allowed {
		t.Errorf("the policy speaks of %s, which nothing is sent to", resource)
	}
	for _, action := range measuring {
		if strings.Contains(text, `"`+action+`"`) || !strings.Contains(string(page), action) {
			t.Errorf("%s belongs into the text about measuring, not into the policy of the looks", action)
		}
	}
}

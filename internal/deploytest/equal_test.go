package deploytest

import (
	"reflect"
	"slices"
	"testing"
)

func TestBothFormsMakeTheSameResources(t *testing.T) {
	t.Parallel()
	s := read(t)
	for name, given := range sets() {
		sam, terraform := s.stacks(t, given)
		for _, difference := range differences(sam, terraform) {
			t.Errorf("%s: %s", name, difference)
		}
		left, err := sam.Deployment()
		if err != nil {
			t.Fatal(err)
		}
		right, err := terraform.Deployment()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(left, right) {
			t.Errorf("%s: deployments differ:\n%+v\n%+v", name, left, right)
		}
		if len(sam.Resources) < 34 || len(sam.Outputs) < 8 {
			t.Errorf("%s: only %d resources and %d outputs", name, len(sam.Resources), len(sam.Outputs))
		}
	}
}

func TestNothingIsWrongWithEitherForm(t *testing.T) {
	t.Parallel()
	s := read(t)
	for name, given := range sets() {
		sam, terraform := s.stacks(t, given)
		for _, problem := range slices.Concat(Problems(sam), Problems(terraform)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// TestADifferenceIsSeen changes one thing of one form at a time.
func TestADifferenceIsSeen(t *testing.T) {
	t.Parallel()
	s := read(t)
	for name, plant := range map[string][3]string{
		"a figure":         {"alarms.tf", "threshold   = 900", "threshold   = 901"},
		"a text":           {"alarms.tf", "The log has the error.", "The log has it."},
		"an action":        {"iam.tf", `"connect:StopContact"`, `"connect:StartChatContact"`},
		"a resource more":  {"schedule.tf", "count = var.wake_hints ? 1 : 0", "count = 1"},
		"retention":        {"table.tf", "prevent_destroy = true", "prevent_destroy = false"},
		"an index":         {"table.tf", `non_key_attributes = ["l"]`, `non_key_attributes = ["l", "x"]`},
		"an output":        {"outputs.tf", `output "table_name"`, `output "table"`},
		"a pattern":        {"events.tf", `initiationMethod = ["API"]`, `initiationMethod = ["OUTBOUND"]`},
		"configuration":    {"function.tf", `"    resend: ${var.resend}",`, `"    resend: token ",`},
		"a target":         {"events.tf", "arn            = aws_sqs_queue.contacts.arn", "arn            = aws_sqs_queue.requests.arn"},
		"another template": {"", "MaximumConcurrency: !Ref MaximumConcurrency", "MaximumConcurrency: 3"},
	} {
		sam, terraform := s.planted(t, plant[0], plant[1], plant[2]).stacks(t, sets()["no hints"])
		if len(differences(sam, terraform)) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
}

// TestThePackageIsTheOneOfTheArchitecture: the names are those that make lambda gives (tools/lambdazip).
func TestThePackageIsTheOneOfTheArchitecture(t *testing.T) {
	t.Parallel()
	s := read(t)
	packageOf := func(stack *Stack) string { return stack.of("AWS::Lambda::Function")[0].text("Code") }
	sam, terraform := s.stacks(t, required)
	if packageOf(sam) != "ringonce-lambda-arm64.zip" || packageOf(terraform) != packageOf(sam) {
		t.Errorf("%s and %s", packageOf(sam), packageOf(terraform))
	}
	given := sets()["nothing"]
	given["Architecture"] = "x86_64"
	// docs/deploy.md has this replacement for the SAM form, whose file name cannot depend on a parameter.
	sam, terraform = s.planted(t, "", "ringonce-lambda-arm64", "ringonce-lambda-amd64").stacks(t, given)
	if packageOf(terraform) != "ringonce-lambda-amd64.zip" || len(differences(sam, terraform)) != 0 {
		t.Errorf("%q", differences(sam, terraform))
	}
}

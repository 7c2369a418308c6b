package deploytest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := read(t)
	if found := dangling(t, s.terraform); len(found) > 0 {
		t.Errorf("nothing is declared for %q", found)
	}
	for _, plant := range [][3]string{
		{"function.tf", "batch_size                         = 10\n  maximum_batching_window_in_seconds = 0\n  function_response_types            = [\"ReportBatchItemFailures\"] #", "batch_size = var.batch #"},
		{"queue.tf", "deadLetterTargetArn = aws_sqs_queue.dead_letter.arn\n    maxReceiveCount     = 10 #", "deadLetterTargetArn = aws_sqs_queue.dead.arn #"},
		{"queue.tf", "visibility       = 6 * local.function_timeout", "visibility       = 6 * local.timeout"},
		{"iam.tf", "Resource = aws_dynamodb_table.calls.arn\n", "Resource = data.aws_dynamodb_table.calls.arn\n"},
	} {
		if found := dangling(t, s.planted(t, plant[0], plant[1], plant[2]).terraform); len(found) == 0 {
			t.Errorf("%q: not seen", plant[2])
		}
	}
}

// dangling returns the references of a module to what it does not declare, and the variables and locals that nothing uses.
func dangling(t *testing.T, files map[string][]byte) []string {
	t.Helper()
	m, err := parseModule(files)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, blocks := range []map[string]*hclsyntax.Block{m.resources, m.outputs, m.variables, m.data} {
		for _, block := range blocks {
			for _, traversal := range traversals(block.Body) {
				used[address(traversal)] = true
			}
		}
	}
	for _, attribute := range m.attributes {
		for _, traversal := range attribute.Expr.Variables() {
			used[address(traversal)] = true
		}
	}
	declared := map[string]bool{"path.module": true}
	for name := range m.variables {
		declared["var."+name] = true
	}
	for name := range m.attributes {
		declared["local."+name] = true
	}
	for name := range m.resources {
		declared[name] = true
	}
	for name := range m.data {
		declared["data."+name] = true
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(used)) {
		keyword := !strings.Contains(name, ".") // a type such as string
		if !declared[name] && !keyword && !strings.HasPrefix(name, "each.") {
			found = append(found, name)
		}
	}
	for name := range declared {
		if !used[name] && (strings.HasPrefix(name, "var.") || strings.HasPrefix(name, "local.")) {
			found = append(found, "unused "+name)
		}
	}
	return found
}

func traversals(body *hclsyntax.Body) []hcl.Traversal {
	var found []hcl.Traversal
	for _, attribute := range body.Attributes {
		found = append(found, attribute.Expr.Variables()...)
	}
	for _, block := range body.Blocks {
		found = append(found, traversals(block.Body)...)
	}
	return found
}

// address returns what a traversal names: var.x, local.x, data.type.name or type.name.
func address(traversal hcl.Traversal) string {
	parts := []string{traversal.RootName()}
	want := 2
	if parts[0] == "data" {
		want = 3
	}
	for _, step := range traversal[1:] {
		if attribute, ok := step.(hcl.TraverseAttr); ok && len(parts) < want {
			parts = append(parts, attribute.Name)
		}
	}
	return strings.Join(parts, ".")
}

// TestTheReaderRefusesWhatItDoesNotKnow: a reader that passes over what it does not understand would compare less than there is.
func TestTheReaderRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := read(t)
	for _, plant := range []struct {
		file, old, fresh, want string
	}{
		{"table.tf", `billing_mode                = "PAY_PER_REQUEST"`, `billing = "PAY_PER_REQUEST"`, "the argument billing is not in"},
		{"function.tf", "  role                           = aws_iam_role.dialer.arn\n", "", "the required argument role is missing"},
		{"schedule.tf", `resource "aws_scheduler_schedule_group" "hints"`, `resource "aws_scheduler_group" "hints"`, "aws_scheduler_schedule_group"},
		{"schedule.tf", "    retry_policy {", "    retries {", "the argument target.retries."},
		{"key.tf", `resource "aws_kms_alias" "field"`, `resource "aws_kms_alias" "main"`, "is there twice"},
		{"alarms.tf", "var.alarm_topic_arn ==", "upper(var.alarm_topic_arn) ==", "upper"},
	} {
		_, err := ReadTerraform(s.planted(t, plant.file, plant.old, plant.fresh).terraform, required)
		if err == nil || !strings.Contains(err.Error(), plant.want) {
			t.Errorf("%q: %v", plant.fresh, err)
		}
	}
	for _, plant := range [][3]string{
		{"BillingMode: PAY", "BillingMode: !ImportValue PAY", "Fn::ImportValue"},
		{"Role: !GetAtt DialerRole.Arn", "Role: !GetAtt Dialer.Arn", "Dialer"},
		{"Role: !GetAtt DialerRole.Arn", "Role: !GetAtt DialerRole.RoleId", "RoleId"},
		{"ProfileQueue: !If [HasQueueId,", "ProfileQueue: !If [HasQueue,", "HasQueue"},
		{"Resource: !GetAtt RequestQueue.Arn\n            Condition:\n              Bool", "Resource: !GetAtt RequestQueue.Arn\n            Resource: x\n            Condition:\n              Bool", "Resource"},
	} {
		_, err := ReadSAM(s.planted(t, "", plant[0], plant[1]).sam, required)
		if err == nil || !strings.Contains(err.Error(), plant[2]) {
			t.Errorf("%q: %v", plant[1], err)
		}
	}
	for _, given := range []map[string]string{{"InstanceId": "x"}, {}, {"Instance": "x"}} {
		if _, err := ReadSAM(s.sam, given); err == nil {
			t.Errorf("deploy/sam takes %s", fmt.Sprint(given))
		}
		if _, err := ReadTerraform(s.terraform, given); err == nil {
			t.Errorf("deploy/terraform takes %s", fmt.Sprint(given))
		}
	}
}

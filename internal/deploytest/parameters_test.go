package deploytest

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
)

// onlyTerraform are the variables without a counterpart in the SAM form.
var onlyTerraform = map[string]string{
	"Package":              "sam deploy uploads the file that CodeUri names",
	"OperatorRoleArn":      "it stands in that policy alone",
	"OrganizationTargetId": "a policy of the organization is attached by hand there (docs/deploy.md)",
}

func TestBothFormsHaveTheSameParameters(t *testing.T) {
	t.Parallel()
	sam, terraform := read(t).stacks(t, required)
	others := slices.DeleteFunc(slices.Clone(terraform.Parameters), func(p Parameter) bool { return onlyTerraform[p.Name] != "" })
	if len(terraform.Parameters) != len(others)+len(onlyTerraform) || len(sam.Parameters) != len(others) {
		t.Fatalf("%d parameters and %d variables", len(sam.Parameters), len(terraform.Parameters))
	}
	for i, p := range sam.Parameters {
		q := others[i]
		if p.Name != q.Name || p.Description != q.Description || len(p.Description) < 20 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s: %q; %s: %q", p.Name, p.Description, q.Name, q.Description)
		}
		if preset(p) != preset(q) {
			t.Errorf("%s: defaults %s and %s", p.Name, preset(p), preset(q))
		}
	}
}

func preset(p Parameter) string {
	if p.Default == nil {
		return "required"
	}
	return "`" + *p.Default + "`"
}

// samples are values of which each parameter takes some and refuses others.
var samples = []string{
	"", "0", "1", "2", "-1", "-2", "0.01", "0.001", "10000", "10001", "1000", "1001", "7", "90", "91", "3653", "true", "false", "yes", "token", "evidence",
	"never", "again", "arm64", "x86_64", "forever", "30d", "12h", "90m", "0d", "30 days", "ringonce", "Ringonce", "r", "a-name-that-is-far-too-long-for-it-to-be-used",
	"alert", "9lives", "us-east-1", "us-gov-west-1", "virginia", "11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-55555555555",
	"arn:aws:connect:us-east-1:111122223333:instance/11111111-2222-4333-8444-555555555555", "+12025550100", "12025550100", "+0", "default", "orders bus",
	"com.example.orders", "Call Requested", "arn:aws:sns:us-east-1:111122223333:orders", "arn:aws-cn:sns:cn-north-1:111122223333:orders",
	"arn:aws:sns:us-east-1:1111:orders", "arn:aws:secretsmanager:us-east-1:111122223333:secret:ringonce/identity-a1B2c3",
	"arn:aws:secretsmanager:us-east-1:111122223333:secret:id", "line\nfeed", "x\"y", "${Name}",
}

func TestBothFormsRefuseTheSameValues(t *testing.T) {
	t.Parallel()
	sam, terraform := read(t).stacks(t, required)
	for _, p := range sam.Parameters {
		i := slices.IndexFunc(terraform.Parameters, func(q Parameter) bool { return q.Name == p.Name })
		taken, refused := 0, 0
		isBool := *cmp.Or(p.Default, new("")) == "true" || *cmp.Or(p.Default, new("")) == "false"
		for _, value := range samples {
			if isBool && (value == "0" || value == "1") {
				continue // Terraform converts them to a bool
			}
			left, right := p.Check(value), terraform.Parameters[i].Check(value)
			if (left == nil) != (right == nil) {
				t.Errorf("%s %q: deploy/sam says %v, deploy/terraform %v", p.Name, value, left, right)
			}
			if left == nil {
				taken++
			} else {
				refused++
			}
		}
		if taken == 0 || refused == 0 {
			t.Errorf("%s takes %d samples and refuses %d: it checks nothing, or no sample fits", p.Name, taken, refused)
		}
	}
}

// TestTheDocumentNamesEveryParameterAndAlarm reads the tables of docs/deploy.md.
func TestTheDocumentNamesEveryParameterAndAlarm(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, terraform := read(t).stacks(t, required)
	rows := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "| `") {
			rows++
		}
	}
	for _, p := range terraform.Parameters {
		name := "`" + p.Name + "`"
		if onlyTerraform[p.Name] != "" {
			name = "—"
		}
		if row := "| " + name + " | `" + snake(p.Name) + "` | " + preset(p) + " |"; !strings.Contains(string(text), strings.ReplaceAll(row, "``", "empty")) {
			t.Errorf("docs/deploy.md lacks the row %s", row)
		}
	}
	for _, alarm := range terraform.of("AWS::CloudWatch::Alarm") {
		row := "| `" + alarm.text("AlarmName") + "` | " + alarm.text("AlarmDescription") + " |"
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/deploy.md lacks the row %s", row)
		}
	}
	if rows < len(terraform.Parameters)+13-len(onlyTerraform) {
		t.Errorf("docs/deploy.md has %d rows", rows)
	}
}

package deploytest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTheRolesMayDoThisAndNothingElse compares every statement of every role, queue and trust, with every option on, with a file that a
// person reads in a review.
func TestTheRolesMayDoThisAndNothingElse(t *testing.T) {
	t.Parallel()
	const file = "testdata/permissions.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	given := sets()["everything"]
	delete(given, "InstanceRegion")
	sam, terraform := read(t).stacks(t, given)
	for form, stack := range map[string]*Stack{"deploy/sam": sam, "deploy/terraform": terraform} {
		var got []string
		for _, statement := range stack.statements() {
			got = append(got, statement.String())
		}
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("%s has what %s has not: %s", form, file, line)
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("%s lacks what %s has: %s", form, file, line)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d statements, %s has %d", form, len(got), file, len(want))
		}
	}
}

// TestWithoutAnOptionItsPermissionIsNotGiven switches each option off.
func TestWithoutAnOptionItsPermissionIsNotGiven(t *testing.T) {
	t.Parallel()
	s := read(t)
	for sid, option := range map[string]string{
		"ReadIdentityKey": "identity", "EncryptCalls": "field", "FromTopic": "topic", "FromEvents": "events", "HintSoon": "nothing", "LendHintRole": "nothing",
	} {
		without := "nothing"
		if option == without {
			without = "no hints"
		}
		for set, expected := range map[string]bool{option: true, without: false} {
			sam, terraform := s.stacks(t, sets()[set])
			for _, stack := range []*Stack{sam, terraform} {
				if found := slices.ContainsFunc(stack.statements(), func(st Statement) bool { return st.Sid == sid }); found != expected {
					t.Errorf("%s with %q: %t, not %t", sid, set, found, expected)
				}
			}
		}
	}
}

// TestOnlyTheDialerMayRing compares the policy that denies the call to others with the role that both forms make.
func TestOnlyTheDialerMayRing(t *testing.T) {
	t.Parallel()
	given := sets()["nothing"]
	given["OrganizationTargetId"] = "ou-ab12-cdefgh34"
	given["OperatorRoleArn"] = "arn:aws:iam::111122223333:role/night-watch"
	terraform, err := ReadTerraform(read(t).terraform, given)
	if err != nil {
		t.Fatal(err)
	}
	policies := terraform.of("AWS::Organizations::Policy")
	if len(policies) != 1 || len(terraform.of(attachmentOfPolicy)) != 1 {
		t.Fatalf("%d policies", len(policies))
	}
	statements := statementsOf("organization", policies[0].list("Content", "Statement"))
	const want = "organization DenyOtherDialers: Deny connect:StartOutboundVoiceContact" +
		" on arn:aws:connect:us-east-1:111122223333:instance/11111111-2222-4333-8444-555555555555/contact/*" +
		" if ArnNotEquals aws:PrincipalArn=arn:aws:iam::111122223333:role/night-watch|arn:aws:iam::111122223333:role/ringonce-dialer"
	if len(statements) != 1 || statements[0].String() != want {
		t.Errorf("got %s\nwant %s", statements, want)
	}
	if role := terraform.Outputs["DialerRoleArn"]; role != "arn:aws:iam::111122223333:role/ringonce-dialer" {
		t.Errorf("the dialer is %s", role)
	}
	terraform, err = ReadTerraform(read(t).terraform, sets()["nothing"])
	if err != nil || len(terraform.of("AWS::Organizations::Policy")) != 0 {
		t.Errorf("the policy is made without being asked for: %v", err)
	}
}

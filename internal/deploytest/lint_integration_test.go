//go:build integration

package deploytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/awstest"
)

// TestTheTemplateIsCleanForTheLinter runs cfn-lint on the template, AWS's SAM transform, and cfn-lint on what that makes.
func TestTheTemplateIsCleanForTheLinter(t *testing.T) {
	t.Parallel()
	s := read(t)
	if complaints := lint(t, s.sam); complaints != "" {
		t.Errorf("cfn-lint: %s", complaints)
	}
	made := transformed(t, s.sam)
	if complaints := lint(t, made); complaints != "" {
		t.Errorf("cfn-lint after the transform: %s", complaints)
	}
	for _, plant := range [][3]string{
		{"VisibilityTimeout: 360 # 6", "VisibilityTimeout: 43201 # 6", "E3034"},
		{"BillingMode: PAY_PER_REQUEST", "BillingMode: PAY_PER_CALL", "E3030"},
		{"Tracing: Active", "Tracking: Active", "Tracking"},
		{"Role: !GetAtt DialerRole.Arn", "Role: !GetAtt DialRole.Arn", "E1010"},
		{"RetentionInDays: !Ref LogRetentionDays", "RetentionInDays: 2", "E3030"},
	} {
		if complaints := lint(t, s.planted(t, "", plant[0], plant[1]).sam); !strings.Contains(complaints, plant[2]) {
			t.Errorf("%s: cfn-lint says %q, nothing of %s", plant[1], complaints, plant[2])
		}
	}
}

// TestTheTransformMakesWhatWeTakeItFor compares our own reading of the SAM function with AWS's transform.
func TestTheTransformMakesWhatWeTakeItFor(t *testing.T) {
	t.Parallel()
	s := read(t)
	made := transformed(t, s.sam)
	for name, given := range sets() {
		ours, _ := s.stacks(t, given)
		theirs, err := ReadSAM(made, given)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, difference := range differences(ours, theirs) {
			// The code is in S3 by then, and SAM marks what it made.
			if !strings.Contains(difference, ".Code: ") && !strings.Contains(difference, ".Tags: ") {
				t.Errorf("%s: %s", name, difference)
			}
		}
	}
	_, complaints := awstest.TransformTemplate(t, file(t, s.planted(t, "", "      CodeUri: ../../dist/ringonce-lambda-arm64.zip\n", "      InlineCode: 7\n      Layers: 7\n").sam))
	if complaints == "" {
		t.Error("the transform takes a function without code")
	}
}

func transformed(t *testing.T, template []byte) []byte {
	t.Helper()
	made, complaints := awstest.TransformTemplate(t, file(t, template))
	if complaints != "" {
		t.Fatalf("the SAM transform: %s", complaints)
	}
	return []byte(made)
}

func lint(t *testing.T, template []byte) string {
	t.Helper()
	return awstest.LintTemplate(t, file(t, template))
}

func file(t *testing.T, template []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

package awstest

import (
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// The versions of the linter of templates and of AWS's own SAM transform.
const (
	cfnLintVersion       = "1.58.0"
	samTranslatorVersion = "1.115.0"
)

//go:embed transform.py
var transform string

// lint is the program of cfn-lint; its script in bin names the folder that it was installed in, which has moved.
const lint = "import sys; from cfnlint.runner import main; sys.exit(main())"

// LintTemplate runs cfn-lint on a CloudFormation or SAM template and returns its complaints; empty when there are none.
func LintTemplate(t testing.TB, path string) string {
	t.Helper()
	complaints, _ := judge(t, linter(t), "-c", lint, "--regions", "us-east-1", "ap-northeast-1", "--template", path)
	return complaints
}

// TransformTemplate applies AWS's SAM transform to a template. It returns the CloudFormation template that came out, as JSON, or what the
// transform complains of.
func TransformTemplate(t testing.TB, path string) (template, complaints string) {
	t.Helper()
	output, clean := judge(t, linter(t), "-c", transform, path)
	if !clean {
		return "", output
	}
	return output, ""
}

func linter(t testing.TB) string {
	t.Helper()
	return python(t, "cfn-lint-"+cfnLintVersion, "cfn-lint=="+cfnLintVersion, "aws-sam-translator=="+samTranslatorVersion)
}

// judge runs a program whose exit status says whether it has complaints. A failure without a word is none.
func judge(t testing.TB, program string, arguments ...string) (output string, clean bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "AWS_DEFAULT_REGION=us-east-1")
	text, err := cmd.CombinedOutput()
	if _, complains := errors.AsType[*exec.ExitError](err); err != nil && (!complains || len(text) == 0) {
		t.Fatalf("run %s: %v", arguments, err)
	}
	return string(text), err == nil
}

package awstest

import "testing"

// schemathesisVersion is the version that the API is fuzzed with.
const schemathesisVersion = "4.32.5"

// fuzzer is the program of schemathesis; its script in bin names the folder that it was installed in, which has moved.
const fuzzer = "import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())"

// Schemathesis returns the program, with its first arguments, that asks an HTTP API everything its OpenAPI document allows and forbids.
func Schemathesis(t testing.TB) (program string, args []string) {
	t.Helper()
	return python(t, "schemathesis-"+schemathesisVersion, "schemathesis=="+schemathesisVersion), []string{"-c", fuzzer}
}

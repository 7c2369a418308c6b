package awstest

import (
	"testing"
)

// The versions of the client libraries.
const (
	boto3Version      = "1.44.8"
	nodeClientVersion = "3.1136.0"
	playwrightVersion = "1.65.1"
)

// Boto3 returns a Python interpreter that has boto3.
func Boto3(t testing.TB) string {
	t.Helper()
	return python(t, "boto3-"+boto3Version, "boto3=="+boto3Version)
}

// NodeClient returns the folder node_modules that has @aws-sdk/client-connect.
func NodeClient(t testing.TB) string {
	t.Helper()
	return node(t, "client-connect-"+nodeClientVersion, "@aws-sdk/client-connect@"+nodeClientVersion)
}

// Playwright returns the folder node_modules that has playwright-core, which brings no browser: see [Chromium].
func Playwright(t testing.TB) string {
	t.Helper()
	return node(t, "playwright-core-"+playwrightVersion, "playwright-core@"+playwrightVersion)
}

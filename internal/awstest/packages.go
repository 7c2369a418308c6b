package awstest

import "testing"

// NodePackages returns the folder node_modules of an installation that has these packages, for servers that answer like something else than AWS.
// Scripts of the packages are not run. name names the installation and its version.
func NodePackages(t testing.TB, name string, packages ...string) string {
	t.Helper()
	return node(t, name, packages...)
}

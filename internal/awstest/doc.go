// Package awstest starts servers from package registries that answer like AWS, for tests with the build tag integration. They are installed
// once, in pinned versions, into the user's cache directory, started on a free port of the loopback interface, and stopped by their process
// when the test ends. Their defects are named in the tests that meet them and never worked around in a driver.
package awstest

package crashtest

import (
	"os"
	"testing"
)

// TestMain is also the process that is killed: the same binary with a variable set is the command line of ringonce with wrapped ports.
func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		os.Exit(victim())
	}
	os.Exit(m.Run())
}

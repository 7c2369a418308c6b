package crashtest

import (
	"fmt"
	"os"
	"testing"
)

// binaryVariable names where the shipped binary is built to, once for all tests that kill it.
const binaryVariable = "RINGONCE_CRASH_BINARY"

// TestMain is also the process that is killed: the same binary with a variable set is the command line of ringonce with wrapped ports.
func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		os.Exit(victim())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv(binaryVariable) != "" { // a test that runs once more, with file systems of its own
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "ringonce-crash-")
	if err == nil {
		err = os.Setenv(binaryVariable, dir+"/ringonce")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

//go:build integration

package crashtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// built builds the shipped binary, once.
var built = sync.OnceValues(func() (string, error) {
	binary := os.Getenv(binaryVariable)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "github.com/ringonce/ringonce/cmd/ringonce").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
})

// build returns the path of the shipped binary.
func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// TestTheShippedBinaryKnowsNoneOfTheVariablesOfAVictim reads the binary: what is shipped can neither be told to die nor be given another time.
func TestTheShippedBinaryKnowsNoneOfTheVariablesOfAVictim(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{build(t): false, self: true} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{victimVariable, aheadVariable, pointVariable, faultVariable, defectVariable, trappedDriver} {
			if bytes.Contains(text, []byte(name)) != want {
				t.Errorf("%s: %s is in it: %t", path, name, !want)
			}
		}
	}
}

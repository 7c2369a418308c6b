//go:build integration

package e2etest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain lets all cases run beside each other: they wait for clocks of the protocol, not for the processor.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "32"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestEndToEnd starts the server once and runs every case on it, each with resources of its own.
func TestEndToEnd(t *testing.T) {
	t.Parallel()
	c := newCloud(t)
	for _, x := range cases() {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			x.run(t, c)
		})
	}
}

// testCase is one story about deliveries.
type testCase struct {
	name string
	run  func(t *testing.T, c *cloud)
}

func cases() []testCase {
	var all []testCase
	for _, group := range [][]testCase{sourceCases(), batchCases(), queueCases(), slowCases(), connectCases(), keyCases(), heldCases(), wakeCases(), plantedCases()} {
		all = append(all, group...)
	}
	return all
}

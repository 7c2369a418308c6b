//go:build integration

package main

import (
	"strings"
	"testing"
	"time"
)

// rotation chooses which of the fast mutants CI plants: a number that is changed by hand, so that one commit gives one result.
const rotation = 1

// A dozen of the fast mutants; `make mutate` plants all of them at night.
func TestADozenMutantsAreCaught(t *testing.T) {
	d := theData(t)
	root, err := moduleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := d.choose(flags{quick: 12, rotate: rotation})
	if err != nil || len(chosen) != 12 {
		t.Fatalf("%d mutants: %v", len(chosen), err)
	}
	c := &campaign{tool: goTool{root: root, limit: 3 * time.Minute}, jobs: 2}
	var said strings.Builder
	verdicts, err := c.all(t.Context(), chosen, c.byTests, func(v verdict) { tell(&said, v) })
	if err != nil {
		t.Fatal(err)
	}
	if code := summarize(&said, verdicts); code != 0 {
		t.Errorf("exit %d", code)
	}
	t.Log("\n" + said.String())
}

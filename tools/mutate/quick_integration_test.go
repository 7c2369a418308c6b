//go:build integration

package main

import (
	"strings"
	"testing"
	"time"
)

// A dozen mutants of the fast ones, others each day; `make mutate` plants all of them at night.
func TestADozenMutantsAreCaught(t *testing.T) {
	d := theData(t)
	root, err := moduleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	today := int(time.Now().Unix() / (24 * 60 * 60))
	chosen, err := d.choose(flags{quick: 12, rotate: today})
	if err != nil || len(chosen) != 12 {
		t.Fatalf("%d mutants: %v", len(chosen), err)
	}
	c := &campaign{tool: goTool{root: root, limit: time.Minute}, jobs: 2}
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

//go:build integration

package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestAllSystemsAcceptEachKeyOnce measures few keys and judges no figure; -v shows the table. Then each system with a server takes one repeat for a new
// key, and its store tells.
func TestAllSystemsAcceptEachKeyOnce(t *testing.T) {
	t.Parallel()
	s := tiny
	s.items = 200
	where := &place{tb: t, emulator: s.emulator}
	results, err := run(where, s, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, s, results, load(), load()); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &out)
	if len(results) != len(systems()) || strings.Count(out.String(), "\n| ") != 2*len(systems())+2 {
		t.Errorf("%d of %d systems are in the table", len(results), len(systems()))
	}
	for _, sys := range systems() {
		if sys.store == onSQLite {
			continue // without the tag
		}
		if _, err := measure(t.Context(), plant(sys, double), where, tiny); err == nil || !strings.Contains(err.Error(), "the store holds 69") {
			t.Errorf("%s, %s: the second acceptance is not seen: %v", sys.store, sys.name, err)
		}
	}
}

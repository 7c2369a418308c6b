package cli

import "testing"

func TestAServiceLimitsItsMemoryUnlessItIsToldHow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		memory, garbage string
		limit           int64
		percent         int
	}{
		{"", "", softMemory, lazyGarbage},
		{"", "100", softMemory, 0},
		{"", "off", softMemory, 0},
		{"1GiB", "", 0, 0},
		{"off", "", 0, 0},
	} {
		var limit int64
		var percent int
		set := map[string]string{memoryVariable: c.memory, garbageVariable: c.garbage}
		e := &environment{Process: Process{
			LookupEnv:   func(name string) (string, bool) { return set[name], set[name] != "" },
			LimitMemory: func(bytes int64) { limit = bytes },
			CollectAt:   func(n int) { percent = n },
		}}
		e.limitMemory()
		if limit != c.limit || percent != c.percent {
			t.Errorf("%s=%q %s=%q: the limit is %d and the garbage %d, want %d and %d", memoryVariable, c.memory, garbageVariable, c.garbage, limit, percent, c.limit, c.percent)
		}
	}
	(&environment{Process: Process{LookupEnv: func(string) (string, bool) { return "", false }}}).limitMemory() // nothing can be limited
}

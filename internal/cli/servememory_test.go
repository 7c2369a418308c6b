package cli

import "testing"

func TestAServiceLimitsItsMemoryUnlessItIsToldHow(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]int64{"": softMemory, "1GiB": 0, "off": 0} {
		var limit int64
		e := &environment{Process: Process{
			LookupEnv:   func(name string) (string, bool) { return set, name == memoryVariable && set != "" },
			LimitMemory: func(bytes int64) { limit = bytes },
		}}
		e.limitMemory()
		if limit != want {
			t.Errorf("%s=%q: the limit is %d, want %d", memoryVariable, set, limit, want)
		}
	}
	(&environment{Process: Process{LookupEnv: func(string) (string, bool) { return "", false }}}).limitMemory() // nothing can be limited
}

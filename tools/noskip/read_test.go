package main

import (
	"strings"
	"testing"
)

const (
	passes = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"run","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA/sub","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.25}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.300s\n"}
{"Action":"pass","Package":"p","Elapsed":0.3}
`
	fails = `{"Action":"output","Package":"q","Test":"TestB","Output":"    b_test.go:7: rang twice\n"}
{"Action":"fail","Package":"q","Test":"TestB","Elapsed":0}
{"Action":"output","Package":"q","Output":"FAIL\tq\t0.1s\n"}
{"Action":"fail","Package":"q","Elapsed":0.1}
`
	skips = `{"Action":"output","Package":"q","Test":"TestC","Output":"    c_test.go:3: no Python here\n"}
{"Action":"skip","Package":"q","Test":"TestC","Elapsed":0}
`
	panics = `{"Action":"output","Package":"q","Output":"panic: in init\n"}
{"Action":"fail","Package":"q","Elapsed":0.1}
`
	buildFails = `{"ImportPath":"q [q.test]","Action":"build-output","Output":"q.go:1:1: expected package\n"}
{"ImportPath":"q [q.test]","Action":"build-fail"}
`
	empty = `{"Action":"output","Package":"q","Output":"testing: warning: no tests to run\n"}
{"Action":"pass","Package":"q","Elapsed":0.1}
`
	stray = "go: no such tool \"covdata\"\n"
)

func TestARunIsGoodOnlyWhenSomethingRanAndNothingFailedOrSkipped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		ok       bool
		prints   []string // parts of the progress and the closing paragraph
	}{
		{"passes", passes, true, []string{"--- PASS: TestA (0.25s)\n", "ok  \tp\t0.300s\n", "2 passed, 0 failed, 0 skipped"}},
		{"fails", passes + fails, false, []string{"b_test.go:7: rang twice", "FAIL\tq", "failed:  q.TestB\n2 passed, 1 failed"}},
		{"skips", passes + skips, false, []string{"c_test.go:3: no Python here", "skipped: q.TestC", "1 skipped"}},
		{"panics outside a test", passes + panics, false, []string{"panic: in init", "failed:  q\n"}},
		{"does not build", passes + buildFails, false, []string{"q.go:1:1", "failed:  build of q [q.test]"}},
		{"nothing ran", empty, false, []string{"no tests to run", "no test ran"}},
		{"no input", "", false, []string{"no test ran"}},
		{"go test complains", passes + stray, false, []string{"covdata", "1 line(s) were not test events"}},
		{"a last line without its end", strings.TrimSuffix(passes+fails, "\n"), false, []string{"failed:  q.TestB"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			sum, err := read(strings.NewReader(test.in), &out)
			if err != nil {
				t.Fatal(err)
			}
			if sum.ok() != test.ok {
				t.Errorf("ok = %v, want %v", sum.ok(), test.ok)
			}
			printed := out.String() + sum.String()
			for _, part := range test.prints {
				if !strings.Contains(printed, part) {
					t.Errorf("%q is missing in:\n%s", part, printed)
				}
			}
		})
	}
}

func TestWhatAPassingTestWroteIsNotRepeated(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if _, err := read(strings.NewReader(passes), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "=== RUN") {
		t.Errorf("printed the output of a passing test:\n%s", out.String())
	}
}

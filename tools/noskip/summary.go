package main

import (
	"fmt"
	"strings"
)

// summary is what became of a run.
type summary struct {
	// passed counts tests and subtests.
	passed int
	// failed and skipped name tests as package.Test; failed also holds packages and builds that failed by themselves.
	failed, skipped []string
	// stray counts lines that were no test events.
	stray int
}

// ok holds for a run in which something ran and everything that ran passed.
func (s summary) ok() bool {
	return s.passed > 0 && len(s.failed) == 0 && len(s.skipped) == 0 && s.stray == 0
}

// String is the closing paragraph: one line when all is well, otherwise one more for each thing that is not.
func (s summary) String() string {
	var b strings.Builder
	for _, name := range s.failed {
		fmt.Fprintf(&b, "failed:  %s\n", name)
	}
	for _, name := range s.skipped {
		fmt.Fprintf(&b, "skipped: %s (a skip counts as a failure here)\n", name)
	}
	if s.stray > 0 {
		fmt.Fprintf(&b, "%d line(s) were not test events; go test itself complained, see above\n", s.stray)
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d skipped", s.passed, len(s.failed), len(s.skipped))
	if s.passed == 0 && len(s.failed) == 0 {
		b.WriteString(": no test ran, so nothing was shown to work")
	}
	return b.String()
}

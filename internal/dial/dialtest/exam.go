package dialtest

import (
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// Opener returns the dialer under examination. It must talk to lab.Endpoint in lab.Region, sign with lab.Key and lab.Secret,
// and take all time from lab.Clock.
type Opener func(tb testing.TB, lab *Lab) call.Dialer

// Check is one question of the exam.
type Check struct {
	Name string
	Run  func(tb testing.TB, open Opener)
}

// Checks returns the whole exam, in the order in which a reader would ask.
func Checks() []Check {
	var all []Check
	for _, part := range [][]Check{prepareChecks(), answerChecks(), guardChecks(), wireChecks(), lossChecks(), readChecks()} {
		all = append(all, part...)
	}
	return all
}

// Run examines a dialer and fails the test with each check it does not pass.
func Run(t *testing.T, open Opener) {
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) { check.Run(t, open) })
	}
}

// Failing examines a dialer and returns the names of the checks it does not pass, without failing the test.
func Failing(tb testing.TB, open Opener) []string {
	tb.Helper()
	var names []string
	for _, check := range Checks() {
		if !passes(tb, check, open) {
			names = append(names, check.Name)
		}
	}
	return names
}

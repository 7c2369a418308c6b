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

// Checks returns the whole exam, in the order in which a reader would ask: once for each kind of contact.
func Checks() []Check {
	return checksOf(call.Kinds())
}

func checksOf(kinds []call.Kind) []Check {
	var all []Check
	for _, kind := range kinds {
		for _, part := range [][]question{
			prepareChecks(kind), answerChecks(kind), guardChecks(), wireChecks(), lossChecks(), readChecks(kind),
		} {
			for _, q := range part {
				all = append(all, q.of(kind))
			}
		}
	}
	return all
}

// Run examines a dialer and fails the test with each check it does not pass.
func Run(t *testing.T, open Opener) {
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) { check.Run(t, open) })
	}
}

// Failing examines a dialer with contacts of the kinds, of every kind when none is named, and returns the names of the checks it does not
// pass, without failing the test.
func Failing(tb testing.TB, open Opener, kinds ...call.Kind) []string {
	tb.Helper()
	if len(kinds) == 0 {
		kinds = call.Kinds()
	}
	var names []string
	for _, check := range checksOf(kinds) {
		if !passes(tb, check, open) {
			names = append(names, check.Name)
		}
	}
	return names
}

// Package scenariotest plays what went wrong elsewhere: each public report that docs/scenarios.md lists becomes a story told to the wired
// program, with a ledger, the AWS SDK and the emulated telephone network, in virtual time. The oracle is the number of rings.
//
// It holds tests only. A test carries the id of its report in its name (TestScenarioI19..., TestScenarioV2...); reports that a single
// package answers have their test beside that package. What every story must end with is in truth_test.go: no invariant broken, one body
// for each token, no call without an end where the story has one.
package scenariotest

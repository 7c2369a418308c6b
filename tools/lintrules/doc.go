// Package lintrules plants, for every rule of .golangci.yaml that we rely on, one breach in a scratch module and
// expects golangci-lint to report it with the rule's own reason. A rule that has never been seen failing may be
// misspelled, and a misspelled rule is silent.
//
// The tests need the linter's binary and stand behind the build tag lint; `make lint` runs them.
package lintrules

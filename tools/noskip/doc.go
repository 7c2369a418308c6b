// Command noskip reads the output of `go test -json` on standard input, prints what a person wants to read of it, and
// fails when a test failed, when one was skipped, or when none ran at all.
//
// Integration tests need things a machine may lack. A test that skips itself there is green and proves nothing, so here
// a skip counts as a failure, and so does an empty run.
package main

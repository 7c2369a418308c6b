// Package cli is the command line of ringonce: it turns arguments into calls of the core and answers into text, JSON and an exit
// code. It decides nothing about calls.
//
// Every command reads its surroundings from a [Process], so that a test can be one. Errors are one sentence with the next step
// on standard error; the exit codes are one table in exit.go.
package cli

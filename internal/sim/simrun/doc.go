// Package simrun runs simulated lives outside `go test`: for `ringonce simulate`. A bubble of testing/synctest needs a *testing.T, and this is the
// one place of the program that makes one, by testing.MainStart. It is a process of its own for each share of the seeds, because a life is one
// goroutine and a machine has several cores.
package simrun

// Package memory is the ledger that lives in the process: for tests, the simulation and the benchmarks of the core. It keeps
// every promise of [call.Ledger] except surviving the process, and it sits the same exam as the durable drivers, so that what is
// proven on it is proven about the port.
//
// The data sits in a store that outlives the ledgers opened on it. [Ledger.Crash] kills a ledger and [Ledger.Reopen] opens the next
// one on the same store, which is how a test restarts a process without leaving it.
package memory

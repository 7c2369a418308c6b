// Package call is the core of ringonce: what a request is, which call answers it, and whether a phone may ring for it.
//
// The package holds the protocol and nothing else. It imports the standard library only, has no clock, randomness, I/O or
// goroutine of its own, and reaches the outside world through the ports in ports.go: a [Ledger] that remembers, a [Dialer]
// that rings, a [Clock] that tells the time.
//
// Read it in this order:
//
//   - request.go, key.go, fingerprint.go: what was asked, and what makes two deliveries the same logical request;
//   - state.go, call.go, event.go: the row of one ring, and the events that are its only way to change;
//   - claim.go, looks.go, intent.go, result.go, window.go, cancel.go: the decisions, as pure functions from a row and an instant
//     to an event;
//   - engine.go, place.go, answer.go, next.go, withdraw.go, advance.go, sweep.go, wake.go: the acts, which carry a decision to the ledger
//     and the telephone, in an order that survives a crash between any two of them; write.go and fact.go: how a decision is
//     dropped and a fact is never lost;
//   - check.go, checkwrite.go, checkhistory.go, checkledger.go, checktruth.go: the invariants that hold after every write;
//   - acktable.go: what each source is answered.
//
// A row changes only through [Call.Apply] of an [Event], so a row is always the fold of its history.
package call

// Package ledgertest is the exam that every ledger driver sits: what the comments of [call.Ledger], [call.Index],
// [call.Journal] and [call.Eraser] promise, as suites.
//
//   - Contract: each method alone, its answers and its errors;
//   - Concurrency: real goroutines; a group of winners and losers is told apart;
//   - Linearizable: histories of real goroutines, with lost, late and doubled writes, each checked for an order that explains it;
//   - Crash: killed and reopened, everything that was answered is there, and nothing is there by half;
//   - LostAnswer: the write was applied and its answer lost, or it never arrived; the same op is sent again;
//   - Index, Journal, Recovery: the read side, the notes, and the record of a restored ledger;
//   - Erasure: what is left of a forgotten row, and what must not be.
//
// A driver's whole test is a call of [Run] with a function that makes a fresh store. What a driver cannot do is named negatively,
// in [Lacks], so that the default is the full promise.
//
// An exam that nobody ever failed proves nothing: package broken, beside this one, holds drivers with one defect each, and a test
// sees every one of them fail the suite that is meant for it.
package ledgertest

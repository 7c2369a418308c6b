// Package model is an explicit-state explorer of the call protocol: it visits every state that workers, messages, lost answers, crashes,
// clocks and Amazon Connect can reach within the stated bounds of a configuration, and it checks the promises G1 to G5 in each.
//
// Nothing of the protocol's decisions is written down here a second time. A row of the model is a [call.Call]; it changes by
// [call.Call.Apply] of the events that [call.Decide], [call.Intent], [call.Result], [call.ReplyTo], [call.OpenNext], [call.CancelEvent]
// and [call.Taint] make, and each write is judged by [call.CheckWrite]. What the engine does around the decisions, the order of its
// reads, writes and dials, is the model's own program of atomic effects; a test drives the engine beside it through a large set of
// deliveries, answers and instants, and the rows must be equal after each.
//
// Read it in this order:
//
//   - config.go, state.go: what is bounded, and what a state holds;
//   - rows.go, plan.go: rows by number, and the decisions of the core, each asked once;
//   - action.go, worker.go, effect.go, deliver.go, rings.go, cancel.go, dial.go, recall.go: the program of a worker, one effect at a time;
//   - connect.go, faults.go: the other side, and what goes wrong;
//   - oracle.go, settle.go: what must never be, and what must be once faults stop;
//   - explore.go, transcript.go, report.go: the search, a counterexample as a story, the table;
//   - shipped.go: the configurations; variants.go and defects.go with the files beside them: the planted defects of protocol.md sections 15
//     and 16.
package model

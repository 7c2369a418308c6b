// Package lambda is the way in for AWS Lambda: it decodes an event document, hands each request to the core, and answers in the
// form the source understands.
//
// What it decides itself, and nothing else, is how the records of one document meet:
//
//   - Records of one key share a lane and are taken in the order of the document (lanes.go). With a ledger the core answers each
//     of them; without one the flight that was sent answers all of its twins, and another fingerprint is a conflict (twins.go).
//   - Records of one FIFO group share a lane too. At the first that is not acknowledged nothing more of the group is started.
//   - Lanes run concurrently, at most [Options].Concurrency at a time. Pacing is the core's.
//   - Nothing is started with less than [Options].Reserve left; what was not started goes back to its source. What was started has
//     ended before the handler returns: no goroutine outlives an invocation.
//
// What a source is told about a record comes from the acknowledge table of the core. How it is told is response.go: a partial
// batch response for queues, an error or a value for everything else (facts/event-envelopes.md section 4).
package lambda

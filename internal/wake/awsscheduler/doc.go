// Package awsscheduler gives hints that a call will be due, by two services of AWS: a message in an SQS queue, delayed by up to 15 minutes,
// and beyond that a one-time schedule of EventBridge Scheduler whose target is the same queue and which deletes itself after use.
//
// A hint is a small document that names a row and nothing of the request (hint.go). The function that the queue feeds asks the ledger
// whether the row is due. So every way in which a hint can go wrong here costs time and never a call: a request whose answer is lost is sent
// again although its hint may then come twice, and what cannot be sent in time is dropped and reported.
//
// The names and tokens of schedules are derived from the row and its due. The same hint is one schedule, however often it is asked for.
package awsscheduler

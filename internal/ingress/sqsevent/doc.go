// Package sqsevent wraps a message that was received from SQS in the document that Lambda would be invoked with, so that a queue that a process
// reads by itself is read by the very rules of one that feeds a function.
package sqsevent

// Package sqspoll is the way in for SQS in a process that lives: it receives messages, hands each as the document that Lambda would be invoked
// with to the way of every delivery, and deletes what that acknowledged. EventBridge and SNS arrive here too: their envelopes lie in the body.
//
// What it decides itself, and nothing else, is how long a message is invisible:
//
//   - A message is held as long as it is worked on. Its visibility is extended well before it ends, and what could not be extended is not
//     started any more: others may have received it.
//   - Only what was acknowledged is deleted, that is, what is durable by the acknowledge table of the core. Everything else comes again after a
//     wait that grows with its receives, with full jitter, so that it reaches the dead-letter queue of its own redrive policy and not in a burst.
//   - What was done for messages is written down before they are deleted, once for those that leave together. While it cannot be, they come again.
//   - In a FIFO queue one message of a group is worked on at a time, in order. At the first that is not acknowledged the rest of the group goes
//     back together with it.
//   - A stop receives nothing more, ends what runs within the drain time, and makes everything else visible at once.
//
// Every one of these may fail: a message that comes again is answered from its row, so that nothing here can make a phone ring twice.
package sqspoll

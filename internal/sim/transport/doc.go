// Package transport simulates the sources of AWS that deliver at least once, as pure state machines in virtual time: SQS, SNS, EventBridge,
// EventBridge Scheduler, Lambda's asynchronous and synchronous invocations, clients of a function URL, Step Functions, Kinesis and DynamoDB
// streams, with dead-letter queues, redrives, replays and producers that send again.
//
// A [Network] has no clock, no goroutine and no randomness of its own: every method takes the time, and New takes the source of randomness. Equal
// seeds and equal calls give equal deliveries, byte for byte. It knows nothing of who works for it:
//
//	n.Publish(message, now)           a producer sends
//	at, waiting := n.Next()           when something happens next
//	delivery, any := n.Take(now)      one invocation starts
//	n.Answer(delivery.ID, response, now)  what the source makes of the answer
//
// What is modeled follows the facts that the envelopes are read by: which ids and time stamps survive a redelivery, a move to a dead-letter queue, a
// redrive and a replay (facts/event-envelopes.md sections 2 and 3), how an answer to a batch is understood (section 4), and how long each source tries
// (protocol.md F12). Numbers are cited where they stand. What AWS does not say is drawn at random where both answers are possible (the id of a
// replayed event), or named as a choice of the simulation (gaps between tries of EventBridge).
package transport

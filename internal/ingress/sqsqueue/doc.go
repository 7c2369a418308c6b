// Package sqsqueue holds the messages of an SQS queue while a replay looks at them: it receives them, hands each over as the document that
// Lambda would be invoked with, keeps them invisible to others, and then deletes or returns them one by one.
//
// Receiving is no reading: it raises the receive count of a message, and a queue with a redrive policy of its own moves a message on that was
// received too often. Nothing here looks into a body.
package sqsqueue

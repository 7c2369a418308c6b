// Package deliver hands the contact events of connectemu to an HTTP endpoint, an SQS queue or an EventBridge bus.
//
// The last two are spoken to in the AWS JSON protocols, signed, at an endpoint of the user's choice, which is meant to be an emulator on
// the loopback interface. It is a package of its own so that connectemu pulls in no part of the AWS SDK.
package deliver

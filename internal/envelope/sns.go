package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// isSNS recognizes the SNS envelope. The signature is not asked for: envelopes of FIFO topics have none.
func isSNS(v *view) bool {
	if !v.strings(keyType, keyMessageID, keyTopicArn, keyMessage, keySNSTimestamp) {
		return false
	}
	kind := v.get(keyType)
	return kind.is("Notification") || kind.is("SubscriptionConfirmation") || kind.is("UnsubscribeConfirmation")
}

func (c *chain) openSNS(v *view) {
	if c.open("sns-envelope") {
		c.readSNS("", v)
	}
}

// readSNS reads a notification, in an SNS envelope or in the Sns member of an SNS record. A SubscribeURL is never fetched.
func (c *chain) readSNS(step string, v *view) {
	c.bare, c.sweepable = false, false
	c.id("sns.MessageId", v.get(keyMessageID).text())
	at, ok := parseTime(v.get(keySNSTimestamp).text())
	c.stamp(at, ok, call.TierMessage, "sns.Timestamp")
	c.follow(Traceparent(v.get(keyMessageAttributes).member(traceparentName).member("Value").text()))
	switch message := v.get(keyMessage); {
	case v.get(keyType).is("SubscriptionConfirmation"):
		c.ignore(ReasonSubscriptionConfirm)
	case v.get(keyType).is("UnsubscribeConfirmation"):
		c.ignore(ReasonUnsubscribeConfirmation)
	case !message.isString():
		c.reject(ReasonPayloadMissing, "Message")
	default:
		c.openText(step+"/Message", message.bytes())
	}
}

const snsSource = "aws:sns"

// openSNSRecord reads one record of an SNS invocation.
func (c *chain) openSNSRecord(record raw) {
	if !c.open("sns-records") {
		return
	}
	var v view
	v.look(record.member("Sns"))
	c.carried = v.get(keyMessage)
	if c.record.SourceARN == "" {
		c.record.SourceARN = v.get(keyTopicArn).text()
	}
	c.readSNS("/Sns", &v)
}

// openRecords reads a Records array that is not the document itself. One SNS record is a copy of an invocation, as a
// dead-letter queue or a destination of a Lambda function keeps it; events of other services are recognized and ignored.
func (c *chain) openRecords(v *view) {
	records := v.get(keyRecords)
	first := records.first()
	source := first.member("eventSource")
	switch {
	case first.member("EventSource").is(snsSource) && first.member("Sns").isObject() && records.count(1) == 1:
		c.point("/Records/0")
		c.openSNSRecord(first)
	case foreignSource(source.text()):
		c.ignore(ReasonOtherAWSEvent)
	default:
		c.reject(ReasonUnrecognized, "")
	}
}

// foreignSource reports whether records come from an AWS service that carries no requests, such as aws:s3.
func foreignSource(source string) bool {
	switch source {
	case "aws:sqs", snsSource, "aws:kinesis", "aws:dynamodb", "aws:kafka":
		return false // a batch inside a message: nobody documents that
	}
	return strings.HasPrefix(source, "aws:")
}

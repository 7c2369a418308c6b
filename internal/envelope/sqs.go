package envelope

import (
	"bytes"
	"crypto/md5" //nolint:gosec // SQS defines md5OfBody; it guards against damage, not against anybody.
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// readSQS reads one record of an SQS event source mapping.
func (c *chain) readSQS(record raw) { c.readMessage("sqs", record) }

// readPipesSQS reads one record of a pipe with an SQS source, which looks the same.
func (c *chain) readPipesSQS(record raw) { c.readMessage("pipes-sqs", record) }

type sqsMessage struct {
	id, body, attributes, marks, checksum, arn raw
}

// readMessage reads an SQS message. Its body is only a text that the sender chose: ids and times inside it are evidence.
func (c *chain) readMessage(name string, record raw) {
	var m sqsMessage
	for n, value := range record.members() {
		switch string(n) {
		case "messageId":
			m.id = value
		case "body":
			m.body = value
		case "attributes":
			m.attributes = value
		case "messageAttributes":
			m.marks = value
		case "md5OfBody":
			m.checksum = value
		case "eventSourceARN":
			m.arn = value
		}
	}
	id := m.id.text()
	c.record.BatchItemFailureID, c.record.SourceARN = id, m.arn.text()
	fifo := strings.HasSuffix(c.record.SourceARN, ".fifo")
	if fifo && name == "sqs" {
		name = "sqs-fifo"
	}
	c.enter(name)
	c.unwraps = 1
	c.id("sqs.messageId", id)
	c.readSystemAttributes(m.attributes, fifo)
	truncated := c.readMarks(m.marks)
	c.settleTransport()

	c.point("/body")
	body := m.body.bytes()
	c.carried = body
	switch {
	case !m.body.isString():
		c.reject(ReasonPayloadMissing, "body")
	case id == "":
		c.reject(ReasonUnrecognized, "messageId")
	case !intact(body, m.checksum):
		c.reject(ReasonIntegrity, "")
	case truncated:
		c.point("|json")
		c.reject(ReasonPayloadTruncated, "")
	default:
		c.wakeable = true
		c.openText("", body)
	}
}

// readSystemAttributes reads what SQS itself says about the message. ApproximateFirstReceiveTimestamp is no evidence of the
// request's age.
func (c *chain) readSystemAttributes(attributes raw, fifo bool) {
	for name, value := range attributes.members() {
		switch string(name) {
		case "SentTimestamp":
			at, ok := parseMillis(value.bytes())
			c.stamp(at, ok, call.TierHop, "sqs.SentTimestamp")
		case "ApproximateReceiveCount":
			if n, err := strconv.Atoi(string(value.bytes())); err == nil && n >= 0 {
				c.record.ReceiveCount = &n
			}
		case "AWSTraceHeader": // Amazon SQS Developer Guide, "Message system attributes"
			c.follow(XRayHeader(value.text()))
		case "DeadLetterQueueSourceArn":
			c.attempted(flagInDLQ)
			c.record.DeadLetterOf = value.text()
		case "MessageGroupId":
			if fifo { // on a standard queue it is a fair queue's tenant, not an order
				c.record.Group = value.text()
			}
		}
	}
}

// The message attributes that mark copies in dead-letter queues (facts/event-envelopes.md section 1).
var markNames = [...]string{
	"RULE_ARN", "TARGET_ARN", "ERROR_CODE", "SCHEDULE_ARN", "SCHEDULED_TIME", "IS_PAYLOAD_TRUNCATED",
	"RequestID", "ErrorCode", "ErrorMessage", "SUBSCRIBER_ARN", "BUS_ARN",
}

// readMarks reads the message attributes and reports whether they say that the body is cut.
func (c *chain) readMarks(attributes raw) (truncated bool) {
	var marks [len(markNames)]raw
	for name, value := range attributes.members() {
		for i, known := range markNames {
			if string(name) == known {
				marks[i] = value.member("stringValue")
			}
		}
		if string(name) == traceparentName {
			c.follow(Traceparent(value.member("stringValue").text()))
		}
	}
	set := func(indexes ...int) bool {
		for _, i := range indexes {
			if !marks[i].isString() {
				return false
			}
		}
		return true
	}
	switch {
	case set(0, 1, 2):
		c.attempted(flagEventBridgeDLQ)
	case set(3):
		c.attempted(flagSchedulerDLQ)
		at, ok := parseTime(marks[4].text())
		c.stamp(at, ok, call.TierMessage, "scheduler.SCHEDULED_TIME")
	case set(6, 7, 8):
		c.attempted(flagLambdaDLQ)
		c.id("lambda.requestId", marks[6].text())
		c.bare = true
	case set(9, 10):
		c.attempted(flagCustomBusDLQ)
	default:
		return set(5) && !marks[5].is("false")
	}
	c.spent = true
	return set(5) && !marks[5].is("false")
}

// intact compares the body with the checksum that SQS computed, when there is one.
func intact(body []byte, checksum raw) bool {
	if !checksum.isString() {
		return true
	}
	sum := md5.Sum(body) //nolint:gosec // SQS defines md5OfBody; it guards against damage, not against anybody.
	return bytes.EqualFold(checksum.bytes(), hex.AppendEncode(make([]byte, 0, 2*md5.Size), sum[:]))
}

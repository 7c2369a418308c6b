package scenariotest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

const (
	account  = "111122223333"
	queueARN = "arn:aws:sqs:" + region + ":" + account + ":calls"
	topicARN = "arn:aws:sns:" + region + ":" + account + ":calls"
)

// object is a JSON object in the making.
type object map[string]any

func (o object) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// with returns a copy with a member changed; a nil value takes it out.
func (o object) with(name string, value any) object {
	c := maps.Clone(o)
	if value == nil {
		delete(c, name)
	} else {
		c[name] = value
	}
	return c
}

// number returns the n-th fictitious number.
func number(n int) string { return fmt.Sprintf("+81900000%04d", n) }

// wish returns the n-th request: a notification, a recipient and a number of its own.
func wish(n int) object {
	return object{"notificationId": fmt.Sprintf("n-%d", n), "recipientId": fmt.Sprintf("user-%d", n), "destinationPhoneNumber": number(n)}
}

// cancel returns the cancel of the n-th request, made at an instant.
func cancel(n int, at time.Time) object {
	return wish(n).with("destinationPhoneNumber", nil).with("action", "cancel").with("requestedAt", at.UTC().Format(time.RFC3339))
}

// message is one message of a queue.
type message struct {
	id    string
	queue string // its ARN; empty: queueARN
	group string // of a FIFO queue
	body  string
	count int       // ApproximateReceiveCount; 0 is the first
	sent  time.Time // zero: now
}

// letter returns the n-th request as a message.
func letter(n int) message { return message{id: fmt.Sprintf("m-%d", n), body: wish(n).text()} }

// batch returns the document of a queue's batch.
func batch(messages ...message) []byte {
	var records []object
	for _, m := range messages {
		sent, arn := m.sent, cmp.Or(m.queue, queueARN)
		if sent.IsZero() {
			sent = time.Now()
		}
		stamp := strconv.FormatInt(sent.UnixMilli(), 10)
		attributes := object{
			"ApproximateReceiveCount": strconv.Itoa(max(m.count, 1)), "SentTimestamp": stamp, "SenderId": "AIDAEXAMPLE",
			"ApproximateFirstReceiveTimestamp": stamp,
		}
		if m.group != "" {
			arn += ".fifo"
			attributes["MessageGroupId"] = m.group
		}
		records = append(records, object{
			"messageId": m.id, "receiptHandle": "EXAMPLE", "body": m.body, "messageAttributes": object{}, "eventSource": "aws:sqs",
			"eventSourceARN": arn, "awsRegion": region, "attributes": attributes,
		})
	}
	return []byte(object{"Records": records}.text())
}

// topic returns the SNS notification around a text.
func topic(id, text string) object {
	return object{
		"Type": "Notification", "MessageId": id, "TopicArn": topicARN, "Message": text,
		"Timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "1", "Signature": "EXAMPLE",
		"SigningCertURL": "https://sns.us-east-1.amazonaws.com/example.pem", "UnsubscribeURL": "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
	}
}

// notification returns the document of an SNS notification to Lambda.
func notification(id, text string) []byte {
	return []byte(object{"Records": []object{{
		"EventSource": "aws:sns", "EventVersion": "1.0", "EventSubscriptionArn": topicARN + ":00000000-0000-4000-8000-000000000000", "Sns": topic(id, text),
	}}}.text())
}

// event returns an EventBridge event around a request.
func event(id string, detail object) object {
	return object{
		"version": "0", "id": id, "detail-type": "CallRequested", "source": "shop.notifications", "account": account,
		"time": time.Now().UTC().Format(time.RFC3339), "region": region, "resources": []string{}, "detail": detail,
	}
}

// wrapped returns a payload as each way brings it, by the name of the way.
func wrapped(payload object) map[string][]byte {
	return map[string][]byte{
		"direct": []byte(payload.text()), "queue": batch(message{id: "m-1", body: payload.text()}), "topic": notification("s-1", payload.text()),
		"bus":                   []byte(event("e-1", payload).text()),
		"topic in queue":        batch(message{id: "m-2", body: topic("s-2", payload.text()).text()}),
		"bus in queue":          batch(message{id: "m-3", body: event("e-2", payload).text()}),
		"bus in topic in queue": batch(message{id: "m-4", body: topic("s-3", event("e-3", payload).text()).text()}),
	}
}

// contactEvent returns the event that Amazon Connect publishes about a contact.
func contactEvent(id, kind, contactID string, at time.Time) []byte {
	instance := "arn:aws:connect:" + region + ":" + account + ":instance/" + connectemu.DefaultInstance
	stamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	detail := object{
		"eventType": kind, "contactId": contactID, "channel": "VOICE", "instanceArn": instance, "initiationMethod": "API", "initiationTimestamp": stamp,
	}
	if kind == "DISCONNECTED" {
		detail["disconnectTimestamp"], detail["disconnectReason"] = stamp, "TELECOM_PROBLEM"
	}
	e := event(id, detail)
	e["detail-type"], e["source"], e["resources"] = "Amazon Connect Contact Event", "aws.connect", []string{instance, instance + "/contact/" + contactID}
	return []byte(e.text())
}

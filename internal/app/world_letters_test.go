package app_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

const (
	testRegion  = "us-east-1"
	testAccount = "111122223333"
)

// form is how a message travels.
type form string

// forms lists every way.
func forms() []form {
	return []form{"sqs", "sqs-fifo", "sns", "eventbridge", "direct", "sns-in-sqs", "eventbridge-in-sqs", "eventbridge-in-sns-in-sqs"}
}

// queued reports whether the form arrives in batches.
func (f form) queued() bool { return f != "sns" && f != "eventbridge" && f != "direct" }

type object map[string]any

func (o object) text() string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// message is one thing in a queue, a topic or a bus.
type message struct {
	id       string
	form     form
	subject  *subject
	ask      *ask
	born     time.Time // when it was published: replays and redrives keep it
	received int
	replay   bool
	hint     string // the text of a hint; the message is nothing else then
}

// ask is one logical request, or a cancel.
type ask struct {
	payload   object
	at        time.Time // requestedAt of the payload; zero when it has none
	number    string
	cancel    bool
	conflicts bool // another number than the key's first request
	limited   bool // it has a notAfter
}

func (m *message) event() object {
	e := object{
		"version": "0", "id": m.id, "detail-type": "CallRequested", "source": "shop.notifications", "account": testAccount,
		"time": m.born.Format(time.RFC3339), "region": testRegion, "resources": []string{}, "detail": m.ask.payload,
	}
	if m.replay {
		e["replay-name"] = "after-the-outage"
	}
	return e
}

func (m *message) topic(text string) object {
	return object{
		"Type": "Notification", "MessageId": m.id, "TopicArn": "arn:aws:sns:" + testRegion + ":" + testAccount + ":calls", "Message": text,
		"Timestamp": m.born.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "1", "Signature": "EXAMPLE",
		"SigningCertURL": "https://sns.us-east-1.amazonaws.com/example.pem", "UnsubscribeURL": "https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe",
	}
}

// body returns the text of the message in a queue.
func (m *message) body() string {
	if m.hint != "" {
		return m.hint
	}
	switch m.form {
	case "sns-in-sqs":
		return m.topic(m.ask.payload.text()).text()
	case "eventbridge-in-sqs":
		return m.event().text()
	case "eventbridge-in-sns-in-sqs":
		return m.topic(m.event().text()).text()
	}
	return m.ask.payload.text()
}

func (m *message) record(sent time.Time) object {
	arn := "arn:aws:sqs:" + testRegion + ":" + testAccount + ":calls"
	attributes := object{
		"ApproximateReceiveCount": strconv.Itoa(m.received), "SentTimestamp": strconv.FormatInt(sent.UnixMilli(), 10),
		"SenderId": "AIDAEXAMPLE", "ApproximateFirstReceiveTimestamp": strconv.FormatInt(sent.UnixMilli(), 10),
	}
	if m.form == "sqs-fifo" {
		arn += ".fifo"
		attributes["MessageGroupId"] = "group-" + m.subject.name[len(m.subject.name)-1:]
	}
	return object{
		"messageId": m.id, "receiptHandle": "EXAMPLE", "body": m.body(), "messageAttributes": object{}, "eventSource": "aws:sqs",
		"eventSourceARN": arn, "awsRegion": testRegion, "attributes": attributes,
	}
}

// document returns the event document of a batch; only queued forms have more than one message.
func document(batch []*message) []byte {
	m := batch[0]
	switch m.form {
	case "sns":
		sns := m.topic(m.ask.payload.text())
		return []byte(object{"Records": []object{{
			"EventSource": "aws:sns", "EventVersion": "1.0", "EventSubscriptionArn": "arn:aws:sns:us-east-1:111122223333:calls:00000000-0000-4000-8000-000000000000", "Sns": sns,
		}}}.text())
	case "eventbridge":
		return []byte(m.event().text())
	case "direct":
		return []byte(m.ask.payload.text())
	}
	var records []object
	for _, m := range batch {
		records = append(records, m.record(m.born))
	}
	return []byte(object{"Records": records}.text())
}

// contactEvent returns the event that Amazon Connect publishes when a contact ends.
func contactEvent(id, contactID string, at time.Time) []byte {
	instance := "arn:aws:connect:" + testRegion + ":" + testAccount + ":instance/" + connectemu.DefaultInstance
	return []byte(object{
		"version": "0", "id": id, "detail-type": "Amazon Connect Contact Event", "source": "aws.connect", "account": testAccount,
		"time": at.Format(time.RFC3339), "region": testRegion, "resources": []string{instance, instance + "/contact/" + contactID},
		"detail": object{
			"eventType": "DISCONNECTED", "contactId": contactID, "channel": "VOICE", "instanceArn": instance, "initiationMethod": "API",
			"initiationTimestamp": at.Format("2006-01-02T15:04:05.000Z"), "disconnectTimestamp": at.Format("2006-01-02T15:04:05.000Z"),
			"disconnectReason": "CUSTOMER_DISCONNECT",
		},
	}.text())
}

func (w *world) nextID() string {
	w.ids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", w.ids)
}

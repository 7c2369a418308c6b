package demo

import (
	"crypto/md5" //nolint:gosec // SQS describes a body by its MD5
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

const (
	account = "111122223333"
	region  = "us-east-1"
	queue   = "arn:aws:sqs:" + region + ":" + account + ":calls"
	topic   = "arn:aws:sns:" + region + ":" + account + ":calls"
)

// number returns the fictitious number of the n-th subject.
func number(n int) string { return fmt.Sprintf("+81900000%04d", n+1) }

// object is a JSON object in the making.
type object map[string]any

func (o object) text() (string, error) {
	text, err := json.Marshal(o)
	return string(text), err
}

// letters writes event documents. Ids are counted, so that one seed gives one run.
type letters struct{ count int }

func (l *letters) id() string {
	l.count++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", l.count)
}

// document returns the event document of one arrival. born is when the subject was first requested.
func (l *letters) document(s subject, n int, f form, born, now time.Time, redelivery int) ([]byte, error) {
	payload := object{"notificationId": s.name, "recipientId": "user-67890", "destinationPhoneNumber": number(n)}
	if s.recall != "" {
		payload["recallId"] = s.recall
	}
	if s.dated {
		payload["requestedAt"] = born.Format(time.RFC3339)
	}
	switch f {
	case cancelForm:
		payload = object{"notificationId": s.name, "recipientId": "user-67890", "action": "cancel", "requestedAt": now.Format(time.RFC3339)}
	case otherForm:
		payload["destinationPhoneNumber"] = "+12025550199"
	case sqsForm, snsForm, eventForm, snsInSQS, eventInSQS, eventInSNSSQS, redriveForm, replayForm:
	}
	event := l.event(payload, born, f == replayForm)
	switch f {
	case snsForm:
		return l.sns(payload, born)
	case eventForm, replayForm:
		return json.Marshal(event)
	case snsInSQS:
		return l.nested(payload, born, now, redelivery)
	case eventInSQS:
		return l.inQueue(event, now, redelivery)
	case eventInSNSSQS:
		return l.nested(event, born, now, redelivery)
	case redriveForm:
		return l.inQueue(payload, now, 1) // a redrive is a new message: its count begins again
	case sqsForm, cancelForm, otherForm:
	}
	return l.inQueue(payload, now, redelivery)
}

func (l *letters) event(detail object, born time.Time, replayed bool) object {
	event := object{
		"version": "0", "id": l.id(), "detail-type": "CallRequested", "source": "shop.notifications", "account": account,
		"time": born.Format(time.RFC3339), "region": region, "resources": []string{}, "detail": detail,
	}
	if replayed {
		event["replay-name"] = "after-the-outage"
	}
	return event
}

func (l *letters) envelope(message object, born time.Time) (object, error) {
	text, err := message.text()
	return object{
		"Type": "Notification", "MessageId": l.id(), "TopicArn": topic, "Message": text,
		"Timestamp": born.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "1", "Signature": "EXAMPLE",
		"SigningCertURL": "https://sns." + region + ".amazonaws.com/example.pem", "UnsubscribeURL": "https://sns." + region + ".amazonaws.com/?Action=Unsubscribe",
	}, err
}

func (l *letters) sns(message object, born time.Time) ([]byte, error) {
	text, err := message.text()
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"Records": []object{{
		"EventSource": "aws:sns", "EventVersion": "1.0", "EventSubscriptionArn": topic + ":00000000-0000-4000-8000-000000000000",
		"Sns": object{
			"Type": "Notification", "MessageId": l.id(), "TopicArn": topic, "Subject": nil, "Message": text,
			"Timestamp": born.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": "1", "Signature": "EXAMPLE",
			"SigningCertUrl": "https://sns." + region + ".amazonaws.com/example.pem", "UnsubscribeUrl": "https://sns." + region + ".amazonaws.com/?Action=Unsubscribe",
			"MessageAttributes": object{},
		},
	}}})
}

func (l *letters) nested(message object, born, now time.Time, redelivery int) ([]byte, error) {
	envelope, err := l.envelope(message, born)
	if err != nil {
		return nil, err
	}
	return l.inQueue(envelope, now, redelivery)
}

func (l *letters) inQueue(body object, now time.Time, redelivery int) ([]byte, error) {
	text, err := body.text()
	if err != nil {
		return nil, err
	}
	digest := md5.Sum([]byte(text)) //nolint:gosec // SQS describes a body by its MD5
	sent := strconv.FormatInt(now.UnixMilli(), 10)
	return json.Marshal(object{"Records": []object{{
		"messageId": l.id(), "receiptHandle": "EXAMPLE", "body": text, "md5OfBody": hex.EncodeToString(digest[:]), "messageAttributes": object{},
		"eventSource": "aws:sqs", "eventSourceARN": queue, "awsRegion": region,
		"attributes": object{
			"ApproximateReceiveCount": strconv.Itoa(redelivery), "SentTimestamp": sent, "SenderId": "AIDAEXAMPLE",
			"ApproximateFirstReceiveTimestamp": sent,
		},
	}}})
}

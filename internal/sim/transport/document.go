package transport

import (
	"encoding/base64"
	"strconv"
	"time"
)

// document returns what the function is invoked with.
func (n *Network) document(f *flight) []byte {
	switch f.way {
	case WaySQS, WaySQSFIFO, WayKinesis, WayDynamoDB:
		return n.batch(f)
	case WayHTTP:
		return n.request(f.parcels[0], f.started)
	case WayAsync, WayDirect:
	}
	return f.parcels[0].text
}

// batch writes the document of an event source mapping.
func (n *Network) batch(f *flight) []byte {
	const around = 700 // of a record, besides its body and marks
	size := 16
	for _, p := range f.parcels {
		size += around + len(p.quoted) + len(p.marks)
		if f.way.stream() {
			size += len(p.text) - around
		}
	}
	doc := append(make([]byte, 0, size), `{"Records":[`...)
	for i, p := range f.parcels {
		if i > 0 {
			doc = append(doc, ',')
		}
		if f.way.stream() {
			doc = append(doc, p.text...)
		} else {
			doc = n.queueRecord(doc, p, f.id)
		}
	}
	return append(doc, `]}`...)
}

// queueRecord writes one message of a queue.
func (n *Network) queueRecord(doc []byte, p *parcel, receipt int) []byte {
	doc = append(append(doc, `{"messageId":"`...), p.QueueID...)
	doc = strconv.AppendInt(append(doc, `","receiptHandle":"AQEB`...), int64(receipt), 10)
	doc = append(append(doc, `","body":`...), p.quoted...)
	doc = appendNumber(append(doc, `,"attributes":{"ApproximateReceiveCount":`...), int64(p.received))
	if p.deadOf != "" {
		doc = append(append(append(doc, `,"DeadLetterQueueSourceArn":"`...), p.deadOf...), '"')
	}
	doc = appendNumber(append(doc, `,"SentTimestamp":`...), p.Sent.UnixMilli())
	if p.way == WaySQSFIFO {
		doc = appendNumber(append(doc, `,"SequenceNumber":`...), sequenceBase+p.ordinal)
		doc = appendString(append(doc, `,"MessageGroupId":`...), p.msg.group())
		doc = appendString(append(doc, `,"MessageDeduplicationId":`...), p.dedup)
	} else if p.msg.Group != "" {
		doc = appendString(append(doc, `,"MessageGroupId":`...), p.msg.Group)
	}
	doc = append(doc, `,"SenderId":"AIDAEXAMPLE","ApproximateFirstReceiveTimestamp":`...)
	doc = appendNumber(doc, p.firstReceived.UnixMilli())
	doc = append(doc, `},"messageAttributes":{`...)
	doc = append(append(doc, p.marks...), `},"md5OfBody":"`...)
	return append(append(doc, p.sum...), n.tail(p)...)
}

const sequenceBase = 1_887_067_963_580_332_000 // SequenceNumber has 20 digits and gaps

func (n *Network) tail(p *parcel) string {
	switch fifo := p.way == WaySQSFIFO; {
	case p.state == StateDeadLetter && p.deadOf == "":
		return n.fixed.plainDeadTail
	case p.state == StateDeadLetter && fifo:
		return n.fixed.deadFIFOTail
	case p.state == StateDeadLetter:
		return n.fixed.deadTail
	case fifo:
		return n.fixed.fifoTail
	}
	return n.fixed.queueTail
}

// mark is a message attribute of a dead letter.
type mark struct{ name, value string }

// marks writes message attributes. ErrorCode alone is a Number.
func marks(all ...mark) []byte {
	var out []byte
	for i, m := range all {
		if i > 0 {
			out = append(out, ',')
		}
		kind := "String"
		if m.name == "ErrorCode" {
			kind = "Number"
		}
		out = append(appendString(out, m.name), `:{"stringValue":`...)
		out = append(appendString(out, m.value), `,"stringListValues":[],"binaryListValues":[],"dataType":"`...)
		out = append(append(out, kind...), `"}`...)
	}
	return out
}

// event writes the envelope of EventBridge.
func (n *Network) event(p *parcel) []byte {
	const around = 320
	doc := make([]byte, 0, around+len(p.payload))
	doc = append(append(doc, `{"version":"0","id":"`...), p.EventID...)
	doc = append(doc, n.fixed.eventHead...)
	doc = append(appendTime(doc, p.EventTime, secondsLayout), n.fixed.eventMiddle...)
	doc = append(doc, p.payload...)
	if p.replay {
		doc = append(doc, `,"replay-name":"`+replayNamed+`"`...)
	}
	return append(doc, '}')
}

// notification writes what a topic hands to its subscription: an invocation's event, an envelope, or the bare message.
func (n *Network) notification(p *parcel) []byte {
	switch {
	case p.msg.Form == SNSRawInSQS:
		return p.inner
	case p.way == WayAsync:
		doc := append([]byte(n.fixed.snsHead), n.envelope(p, "SigningCertUrl", "UnsubscribeUrl")...)
		return append(doc, `}]}`...)
	}
	return n.envelope(p, "SigningCertURL", "UnsubscribeURL")
}

// envelope writes the envelope of SNS. Its last two names are spelled otherwise in an invocation's event.
func (n *Network) envelope(p *parcel, certificate, unsubscribe string) []byte {
	const around = 700
	doc := make([]byte, 0, around+len(p.inner)+len(p.inner)/4)
	doc = append(append(doc, `{"Type":"Notification","MessageId":"`...), p.TopicID...)
	doc = append(append(doc, `","TopicArn":"`...), n.fixed.topicARN...)
	doc = appendString(append(doc, `","Message":`...), p.inner)
	doc = appendTime(append(doc, `,"Timestamp":"`...), p.TopicTime, millisLayout)
	doc = append(append(doc, `","SignatureVersion":"1","Signature":"EXAMPLE","`...), certificate...)
	doc = append(append(doc, `":"https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem","`...), unsubscribe...)
	doc = append(append(doc, `":"https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=`...), n.fixed.subscriptionARN...)
	return append(doc, `"}`...)
}

// scheduled writes the input of a schedule that names its attempt with the context attributes of EventBridge Scheduler.
func scheduled(p *parcel, n *Network) []byte {
	value := append([]byte(`{"scheduleArn":"`), n.fixed.schedule...)
	value = appendTime(append(value, `","scheduledTime":"`...), p.Scheduled, secondsLayout)
	value = append(append(value, `","executionId":"`...), p.Execution...)
	value = strconv.AppendInt(append(value, `","attemptNumber":"`...), int64(p.tries+1), 10)
	return withMember(p.payload, "scheduler", append(value, `"}`...))
}

// contextObject writes the context object of Step Functions, passed on purpose.
func (n *Network) contextObject(p *parcel) []byte {
	doc := append([]byte(`{"Execution":{"Id":"arn:aws:states:`), n.options.Region...)
	doc = append(append(doc, ':'), n.options.Account...)
	doc = append(append(doc, `:execution:calls:`...), p.Execution...)
	doc = append(append(doc, `","Input":`...), p.payload...)
	doc = appendTime(append(doc, `,"StartTime":"`...), p.Scheduled, millisLayout)
	return append(doc, `"},"State":{"Name":"Call","EnteredTime":"2026-01-01T00:00:00Z"},"StateMachine":{"Name":"calls"}}`...)
}

// request writes an HTTP request as a function URL hands it over. The key stays, the request id and the time are of this try.
func (n *Network) request(p *parcel, now time.Time) []byte {
	const around = 900
	key := p.msg.Key
	if key == "" {
		key = p.msg.ID
	}
	doc := append(make([]byte, 0, around+len(p.payload)*2), n.fixed.urlHead...)
	doc = append(appendString(doc, key), `},"requestContext":{"accountId":"anonymous","apiId":"example","http":{"method":"POST","path":"/calls",`...)
	doc = append(doc, `"protocol":"HTTP/1.1","sourceIp":"203.0.113.7","userAgent":"notify-client/3.1"},"requestId":"`...)
	doc = append(append(doc, p.RequestID...), `","routeKey":"$default","stage":"$default","timeEpoch":`...)
	doc = append(strconv.AppendInt(doc, now.UnixMilli(), 10), `},"body":`...)
	return append(appendString(doc, p.payload), `,"isBase64Encoded":false}`...)
}

// streamRecord writes a record of a stream. It is the same at every read.
func (n *Network) streamRecord(p *parcel) []byte {
	if p.way == WayDynamoDB {
		return n.change(p)
	}
	doc := appendString([]byte(`{"kinesis":{"kinesisSchemaVersion":"1.0","partitionKey":`), p.msg.group())
	doc = append(append(doc, `,"sequenceNumber":"`...), p.RecordID...)
	doc = base64.StdEncoding.AppendEncode(append(doc, `","data":"`...), p.payload)
	doc = appendSeconds(append(doc, `","approximateArrivalTimestamp":`...), p.Sent)
	doc = append(doc, `},"eventSource":"aws:kinesis","eventVersion":"1.0","eventID":"`...)
	doc = append(append(doc, shard(p)...), ':')
	return append(append(doc, p.RecordID...), n.fixed.kinesisTail...)
}

func appendSeconds(dst []byte, at time.Time) []byte {
	millis := at.UnixMilli()
	dst = append(strconv.AppendInt(dst, millis/1000, 10), '.')
	rest := strconv.FormatInt(1000+millis%1000, 10)
	return append(dst, rest[1:]...)
}

// sequenceNumber returns a number that is longer than any integer of a computer, as those of streams are.
func (n *Network) sequenceNumber(p *parcel) string {
	digits := strconv.FormatInt(sequenceBase+p.ordinal, 10)
	if p.way == WayDynamoDB {
		return "42594" + digits
	}
	return "4966504992827163892919225014832206" + digits
}

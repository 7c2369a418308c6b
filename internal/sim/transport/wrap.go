package transport

import (
	"strconv"
	"time"
)

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

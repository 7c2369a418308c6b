package transport

import "strings"

// fixed is what documents of one network have in common, prepared once: names, and the texts between what varies.
type fixed struct {
	queueARN, fifoARN, topicARN, subscriptionARN string
	rule, function, schedule                     string

	// The texts after the last varying member of a record.
	queueTail, fifoTail, deadTail, deadFIFOTail, plainDeadTail string
	eventHead                                                  string // from the id on
	eventMiddle                                                string // after the time
	snsHead                                                    string
	kinesisTail, dynamoTail                                    string
	urlHead                                                    string
}

func newFixed(o Options) fixed {
	arn := func(service, name string) string {
		return "arn:aws:" + service + ":" + o.Region + ":" + o.Account + ":" + name
	}
	f := fixed{
		queueARN: arn("sqs", "calls"), fifoARN: arn("sqs", "calls.fifo"), topicARN: arn("sns", "calls"), rule: arn("events", "rule/calls"),
		function: arn("lambda", "function:ringonce"), schedule: arn("scheduler", "schedule/default/call"),
	}
	f.subscriptionARN = f.topicARN + ":00000000-0000-4000-8000-00000000000a"
	tail := func(queue string) string {
		return `","eventSource":"aws:sqs","eventSourceARN":"` + queue + `","awsRegion":"` + o.Region + `"}`
	}
	f.queueTail, f.fifoTail = tail(f.queueARN), tail(f.fifoARN)
	f.deadTail, f.deadFIFOTail = tail(f.queueARN+"-dlq"), tail(strings.TrimSuffix(f.fifoARN, ".fifo")+"-dlq.fifo")
	f.plainDeadTail = tail(arn("sqs", "given-up"))
	f.eventHead = `","detail-type":"Call Requested","source":"com.example.notifications","account":"` + o.Account + `","time":"`
	f.eventMiddle = `","region":"` + o.Region + `","resources":[],"detail":`
	f.snsHead = `{"Records":[{"EventSource":"aws:sns","EventVersion":"1.0","EventSubscriptionArn":"` + f.subscriptionARN + `","Sns":`
	f.kinesisTail = `","eventName":"aws:kinesis:record","invokeIdentityArn":"arn:aws:iam::` + o.Account + `:role/ringonce","awsRegion":"` + o.Region +
		`","eventSourceARN":"` + arn("kinesis", "stream/calls") + `"}`
	f.dynamoTail = `},"eventSourceARN":"` + arn("dynamodb", "table/calls/stream/2026-01-05T00:00:00.000") + `"}`
	host := "example.lambda-url." + o.Region + ".on.aws"
	f.urlHead = `{"version":"2.0","routeKey":"$default","rawPath":"/calls","rawQueryString":"","headers":{"content-type":"application/json","host":"` + host +
		`","user-agent":"notify-client/3.1","x-forwarded-for":"203.0.113.7","x-forwarded-port":"443","x-forwarded-proto":"https","idempotency-key":`
	return f
}

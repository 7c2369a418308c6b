package demo

import "time"

// Where the handler dies. A crash leaves what was durable and nothing else; the delivery is not acknowledged.
type crashPoint string

const (
	noCrash        crashPoint = ""
	crashBeforeRow crashPoint = "before the row is durable"
	crashBeforeSay crashPoint = "after the intent, before the dial"
	crashAfterDial crashPoint = "after the dial, before its record"
	crashAfterAll  crashPoint = "after the record, before the acknowledgement"
)

// form is the shape in which a request arrives.
type form string

const (
	sqsForm       form = "SQS"
	snsForm       form = "SNS"
	eventForm     form = "EventBridge"
	snsInSQS      form = "SNS in SQS"
	eventInSQS    form = "EventBridge in SQS"
	eventInSNSSQS form = "EventBridge in SNS in SQS"
	redriveForm   form = "DLQ redrive"
	replayForm    form = "archive replay"
	cancelForm    form = "cancel"
	otherForm     form = "SQS, other number"
)

// subject is one key of the demo.
type subject struct {
	name   string // notificationId
	recall string // recallId
	dated  bool   // the payload holds requestedAt
	rings  int    // how often its phone must ring
	story  string
}

// arrival is one delivery of a subject at an instant after the start.
type arrival struct {
	at      time.Duration
	subject int
	form    form
	crash   crashPoint
}

const (
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour
)

// subjects are the 14 keys: 12 that must ring, one that is canceled first, one whose second delivery conflicts.
func subjects() []subject {
	return []subject{
		{name: "door-alarm", rings: 1, story: "delivered twice by SQS"},
		{name: "door-alarm", recall: "recall-2", rings: 1, story: "an intended re-call: another key"},
		{name: "appointment", dated: true, rings: 1, story: "SNS, and again by Lambda's own retry"},
		{name: "delivery-notice", rings: 1, story: "one EventBridge rule fires twice"},
		{name: "safety-check", dated: true, rings: 1, story: "two producers' paths for one request"},
		{name: "crash-before-row", rings: 1, story: "the handler dies before it wrote anything"},
		{name: "crash-before-dial", rings: 1, story: "the handler dies between intent and dial"},
		{name: "crash-after-dial", rings: 1, story: "the phone rings, the handler dies, the DLQ is redriven 13 days later"},
		{name: "answer-reset", rings: 1, story: "the answer is lost: connection reset"},
		{name: "answer-500", rings: 1, story: "the answer is lost: 500 after the call was placed"},
		{name: "answer-truncated", rings: 1, story: "the answer is cut off; the archive is replayed 40 days later"},
		{name: "throttled", rings: 1, story: "Amazon Connect throttles it first"},
		{name: "withdrawn", dated: true, rings: 0, story: "canceled before it rings"},
		{name: "changed", rings: 1, story: "the second delivery asks for another number"},
	}
}

// faults is the plan of the telephone network, by the subjects' numbers (number returns the n-th).
func faults() string {
	return "place-then-reset number=" + number(8) + " nth=1; place-then-500 number=" + number(9) +
		" nth=1; place-then-truncate number=" + number(10) + " nth=1; throttle number=" + number(11) + " nth=1"
}

// arrivals are the 40 deliveries in the order of time.
func arrivals() []arrival {
	return []arrival{
		{0, 0, sqsForm, noCrash},
		{2 * time.Second, 0, sqsForm, noCrash},
		{10 * time.Second, 2, snsForm, noCrash},
		{70 * time.Second, 2, snsForm, noCrash},
		{75 * time.Second, 3, eventForm, noCrash},
		{76 * time.Second, 3, eventForm, noCrash},
		{2 * minute, 4, snsInSQS, noCrash},
		{121 * time.Second, 4, eventForm, noCrash},
		{3 * minute, 12, cancelForm, noCrash},
		{181 * time.Second, 12, sqsForm, noCrash},
		{4 * minute, 5, sqsForm, crashBeforeRow},
		{5 * minute, 5, sqsForm, noCrash},
		{6 * minute, 6, sqsForm, crashBeforeSay},
		{7 * minute, 6, sqsForm, noCrash},
		{8 * minute, 7, sqsForm, crashAfterDial},
		{9 * minute, 8, eventInSQS, noCrash},
		{10 * minute, 8, eventInSQS, noCrash},
		{11 * minute, 9, snsForm, crashAfterAll},
		{12 * minute, 9, snsForm, noCrash},
		{13 * minute, 10, eventForm, noCrash},
		{14 * minute, 11, sqsForm, noCrash},
		{15 * minute, 11, sqsForm, noCrash},
		{16 * minute, 13, sqsForm, noCrash},
		{17 * minute, 13, otherForm, noCrash},
		{18 * minute, 13, sqsForm, noCrash},
		{1 * hour, 1, sqsForm, noCrash},
		{2 * hour, 1, sqsForm, noCrash},
		{3 * hour, 0, eventInSNSSQS, noCrash},
		{26 * hour, 10, eventInSQS, noCrash},
		{2 * day, 8, eventInSNSSQS, noCrash},
		{5 * day, 4, snsInSQS, noCrash},
		{6*day + 23*hour, 3, eventForm, noCrash},
		{7*day + hour, 2, snsForm, noCrash},
		{8 * day, 9, snsInSQS, noCrash},
		{13 * day, 7, redriveForm, noCrash},
		{13*day + minute, 5, redriveForm, noCrash},
		{23 * day, 2, snsInSQS, noCrash},
		{40 * day, 10, replayForm, noCrash},
		{40*day + minute, 3, replayForm, noCrash},
		{41 * day, 12, redriveForm, noCrash},
	}
}

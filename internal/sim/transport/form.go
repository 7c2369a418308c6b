package transport

// Form is the way of a message from its producer to the function.
type Form string

// The forms.
const (
	SQS                   Form = "sqs"
	SQSFIFO               Form = "sqs-fifo"
	SNS                   Form = "sns"                       // SNS invokes the function
	SNSInSQS              Form = "sns-in-sqs"                // SNS envelope in the body of a queue's message
	SNSRawInSQS           Form = "sns-raw-in-sqs"            // raw message delivery: the envelope's ids and stamps are gone
	EventBridge           Form = "eventbridge"               // a rule invokes the function
	EventBridgeInSQS      Form = "eventbridge-in-sqs"        //
	EventBridgeInSNS      Form = "eventbridge-in-sns"        // rule, topic, function
	EventBridgeInSNSInSQS Form = "eventbridge-in-sns-in-sqs" // rule, topic, queue
	Async                 Form = "async"                     // Invoke with InvocationType Event
	Direct                Form = "direct"                    // Invoke that waits; its caller retries
	HTTP                  Form = "http"                      // function URL, payload 2.0; its client retries with the same Idempotency-Key
	API                   Form = "api"                       // the HTTP API of the service; its client is that of HTTP, and the document what a function URL would get
	StepFunctions         Form = "step-functions"            // a task that passes the context object
	Scheduler             Form = "scheduler"                 // a schedule invokes the function
	SchedulerInSQS        Form = "scheduler-in-sqs"          //
	Kinesis               Form = "kinesis"                   //
	DynamoDB              Form = "dynamodb"                  // the stream of a table into which requests are inserted
)

// Way is the last step to the function: how deliveries are made and how their answers are understood.
type Way string

// The ways.
const (
	WaySQS      Way = "sqs"      // batches of a standard queue
	WaySQSFIFO  Way = "sqs-fifo" // batches of a FIFO queue
	WayKinesis  Way = "kinesis"  // batches of a shard
	WayDynamoDB Way = "dynamodb" // batches of a table's stream
	WayAsync    Way = "async"    // Lambda's own queue: an error is retried
	WayDirect   Way = "direct"   // a caller that waits
	WayHTTP     Way = "http"     // a client that waits for a status code
)

// Batched reports whether a delivery can hold more than one message, so that its answer names those that failed.
func (w Way) Batched() bool {
	return w == WaySQS || w == WaySQSFIFO || w.stream()
}

func (w Way) stream() bool { return w == WayKinesis || w == WayDynamoDB }

// service is one that passes messages on and retries by a policy of its own while its target cannot be reached.
type service int

const (
	serviceEventBridge service = iota
	serviceSNS
	serviceScheduler
)

// route is what a form is made of.
type route struct {
	form     Form
	services []service // passed in this order
	way      Way
	json     bool // the payload becomes part of a JSON document, so it must be one
}

// routes are in the order in which [Forms] lists them.
var routes = [...]route{
	{SQS, nil, WaySQS, false},
	{SQSFIFO, nil, WaySQSFIFO, false},
	{SNS, []service{serviceSNS}, WayAsync, false},
	{SNSInSQS, []service{serviceSNS}, WaySQS, false},
	{SNSRawInSQS, []service{serviceSNS}, WaySQS, false},
	{EventBridge, []service{serviceEventBridge}, WayAsync, true},
	{EventBridgeInSQS, []service{serviceEventBridge}, WaySQS, true},
	{EventBridgeInSNS, []service{serviceEventBridge, serviceSNS}, WayAsync, true},
	{EventBridgeInSNSInSQS, []service{serviceEventBridge, serviceSNS}, WaySQS, true},
	{Async, nil, WayAsync, true},
	{Direct, nil, WayDirect, true},
	{HTTP, nil, WayHTTP, false},
	{API, nil, WayHTTP, false},
	{StepFunctions, nil, WayDirect, true},
	{Scheduler, []service{serviceScheduler}, WayAsync, true},
	{SchedulerInSQS, []service{serviceScheduler}, WaySQS, true},
	{Kinesis, nil, WayKinesis, false},
	{DynamoDB, nil, WayDynamoDB, true},
}

// Forms returns every form, in a fixed order.
func Forms() []Form {
	forms := make([]Form, len(routes))
	for i := range routes {
		forms[i] = routes[i].form
	}
	return forms
}

func routeOf(form Form) *route {
	for i := range routes {
		if routes[i].form == form {
			return &routes[i]
		}
	}
	return nil
}

// archived reports whether an archive of EventBridge holds the message.
func (r *route) archived() bool { return len(r.services) > 0 && r.services[0] == serviceEventBridge }

// Way returns how deliveries of the form reach the function, and "" for a form that does not exist. A message that was redriven from the
// dead-letter queue of a service comes back through the standard queue, whatever its form.
func (f Form) Way() Way {
	if r := routeOf(f); r != nil {
		return r.way
	}
	return ""
}

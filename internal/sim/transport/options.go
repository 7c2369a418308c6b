package transport

import (
	"math/rand/v2"
	"time"
)

const day = 24 * time.Hour

// Options are the settings of the sources. The zero value of each member means its default.
type Options struct {
	Region  string // us-east-1
	Account string // 111122223333
	Space   uint32 // the first eight digits of every id, so that networks of one world do not share ids

	// Timeout is the function's: an invocation that was not answered by then is cut off. 1 minute, as the deployment's.
	Timeout time.Duration
	// Visibility is the visibility timeout of the queues, 6 time-outs of the function and never less than one: Lambda refuses such a mapping (Lambda
	// Developer Guide, "Creating and configuring an Amazon SQS event source mapping"). Nothing extends it.
	Visibility time.Duration
	// Retention is the message retention period of the queues, 14 days: the most there is (protocol.md F12). Dead-letter queues always have 14 days.
	Retention time.Duration
	// MaxReceive is the maxReceiveCount of the redrive policies, 10 as the deployment's. -1: there is no redrive policy.
	MaxReceive int
	// BatchSize bounds the records of a batch, 10 (the default of an SQS event source mapping).
	BatchSize int
	// Poll is how often a queue is asked for messages, 1 second; what became visible between two polls is one batch, up to BatchSize.
	Poll time.Duration
	// StreamRetention is how long a stream keeps its records, 24 hours: the default of Kinesis and all that DynamoDB has.
	StreamRetention time.Duration
	// AsyncRetries are Lambda's retries of an asynchronous invocation that failed, 2: the default and the most there is (Lambda Developer Guide, "How
	// Lambda handles errors and retries with asynchronous invocation"). -1: none.
	AsyncRetries int
	// AsyncAge is the maximum age of an asynchronous event, 6 hours (protocol.md F12).
	AsyncAge time.Duration
	// ClientTries is how often a caller that waits tries in all, 5.
	ClientTries int
	// TopicTries stands for the 100,000 tries of the last phase of SNS's delivery policy, 40. The first and the last are at their true times.
	TopicTries int
	// Destination gives the function an on-failure destination, a queue, in place of its dead-letter queue: an invocation record around the event.
	Destination bool
	// NoDeadLetters takes away the dead-letter queues of everything but SQS: what is given up is forgotten.
	NoDeadLetters bool

	// Profile are the faults.
	Profile Profile
}

// Profile says how often a source does what it may do and rarely does: probabilities between 0 and 1.
type Profile struct {
	Duplicate    float64 // a message is delivered twice, seconds or minutes apart: a rule fires twice, a deleted message comes once more
	Late         float64 // a message comes again after hours up to 400 days: an undeleted copy, a replay, a producer that sends its backlog again
	Republish    float64 // a producer did not hear the answer and sends again, under new ids
	Reorder      float64 // a message of a standard queue is overtaken by later ones
	LoseResponse float64 // a good answer of the function does not reach the source, which takes it for a failure
	Timeout      float64 // an invocation has less time than the function's timeout
	Throttle     float64 // the mapping has received a batch and cannot invoke the function: the receive counts, and nobody saw it
	Unreachable  float64 // the target of a service cannot be reached for a while, perhaps for longer than the service tries
}

// Swarm returns a profile of random weights, of which about half are off: a fault that is rare among all faults is common in some seed.
func Swarm(rng *rand.Rand) Profile {
	var p Profile
	for _, weight := range [...]*float64{&p.Duplicate, &p.Late, &p.Republish, &p.Reorder, &p.LoseResponse, &p.Timeout, &p.Throttle, &p.Unreachable} {
		if rng.IntN(2) == 0 {
			*weight = rng.Float64() / 2
		}
	}
	return p
}

func (o Options) withDefaults() Options {
	o.Region = orDefault(o.Region, "us-east-1")
	o.Account = orDefault(o.Account, "111122223333")
	o.Timeout = orDefault(o.Timeout, time.Minute)
	o.Visibility = max(o.Timeout, orDefault(o.Visibility, 6*o.Timeout))
	o.Retention = orDefault(o.Retention, 14*day)
	o.MaxReceive = orDefault(o.MaxReceive, 10)
	o.BatchSize = orDefault(o.BatchSize, 10)
	o.Poll = orDefault(o.Poll, time.Second)
	o.StreamRetention = orDefault(o.StreamRetention, day)
	o.AsyncRetries = max(0, orDefault(o.AsyncRetries, 2))
	o.AsyncAge = orDefault(o.AsyncAge, 6*time.Hour)
	o.ClientTries = orDefault(o.ClientTries, 5)
	o.TopicTries = max(2, orDefault(o.TopicTries, 40))
	return o
}

func orDefault[T comparable](value, preset T) T {
	var zero T
	if value == zero {
		return preset
	}
	return value
}

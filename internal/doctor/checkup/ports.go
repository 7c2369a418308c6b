package checkup

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/doctor"
)

// The ports return a *[doctor.Unseen] when a look does not succeed. None of them changes anything.

// Telephone looks at Amazon Connect in one Region.
type Telephone interface {
	// Instance returns an instance by its id.
	Instance(ctx context.Context, id string) (doctor.Instance, error)
	// Flow returns a flow of an instance as calls would use it.
	Flow(ctx context.Context, instance, flow string) (doctor.Flow, error)
	// CallQueue returns a queue of an instance.
	CallQueue(ctx context.Context, instance, queue string) (doctor.CallQueue, error)
	// Claimed reports whether the instance has claimed a number.
	Claimed(ctx context.Context, instance, number string) (bool, error)
	// Quotas returns what bounds calls.
	Quotas(ctx context.Context, instance string) (doctor.Quotas, error)
}

// Functions looks at the function and what brings requests to it.
type Functions interface {
	// Queue returns an SQS queue by its URL or ARN.
	Queue(ctx context.Context, name string) (doctor.Queue, error)
	// Function returns a function.
	Function(ctx context.Context, name string) (doctor.Function, error)
	// OnFailure reports whether asynchronous invocations that fail for good have a destination.
	OnFailure(ctx context.Context, name string) (bool, error)
	// Trigger returns the mapping from a queue to the function; its State is empty when there is none.
	Trigger(ctx context.Context, function, queueARN string) (doctor.Trigger, error)
}

// Events looks at what starts the function beside its queue.
type Events interface {
	// Rule returns a rule without its targets.
	Rule(ctx context.Context, bus, name string) (doctor.Rule, error)
	// Targets returns the ARNs of a rule's targets.
	Targets(ctx context.Context, bus, name string) ([]string, error)
	// Schedule returns a schedule.
	Schedule(ctx context.Context, group, name string) (doctor.Schedule, error)
}

// Tables looks at DynamoDB tables.
type Tables interface {
	// Table returns a table without backups and time to live.
	Table(ctx context.Context, name string) (doctor.Table, error)
	// Backups reports whether point-in-time recovery is on.
	Backups(ctx context.Context, name string) (bool, error)
	// TimeToLive returns the attribute by which the table deletes items; empty when that is off.
	TimeToLive(ctx context.Context, name string) (string, error)
}

// Caller looks at who asks.
type Caller interface {
	// Caller returns the ARN that the credentials belong to.
	Caller(ctx context.Context) (string, error)
}

// Dated is a port that has compared its clock with that of AWS.
type Dated interface {
	// Ahead returns how far the clock is ahead; known is false while there was no answer.
	Ahead() (ahead time.Duration, known bool)
}

// Clocks collects ports that compare clocks.
type Clocks struct{ all []Dated }

// Add adds one.
func (c *Clocks) Add(d Dated) { c.all = append(c.all, d) }

// first returns the distance that the first of them found out.
func (c *Clocks) first() (ahead time.Duration, known bool) {
	if c == nil {
		return 0, false
	}
	for _, d := range c.all {
		if ahead, known = d.Ahead(); known {
			break
		}
	}
	return ahead, known
}

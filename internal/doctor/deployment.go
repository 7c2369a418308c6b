package doctor

import "time"

// Forever is a memory that never forgets.
const Forever = time.Duration(1<<63 - 1)

// Deployment is a serverless set-up as its templates or the account describe it.
type Deployment struct {
	Source     Queue    // the requests
	DeadLetter Queue    // what Source gives up
	Trigger    Trigger  // from Source to Function
	Function   Function //
	Sweep      Schedule //
	Table      Table    // of the ledger; zero with ledger none
	Ledger     string   // the ledger's driver: none or dynamodb
}

// Queue is an SQS queue.
type Queue struct {
	Name       string
	FIFO       bool
	Visibility time.Duration // VisibilityTimeout
	Retention  time.Duration // MessageRetentionPeriod
	MaxReceive int           // of its redrive policy; 0 without one
	DeadLetter string        // name of the queue in its redrive policy
	Encrypted  bool          // by SQS or by a KMS key

	// Of a live queue only.
	ARN           string
	DeadLetterARN string // of the queue in its redrive policy
	Waiting       int    // messages that can be received now, approximately
}

// Trigger is an event source mapping.
type Trigger struct {
	PartialResponses bool // FunctionResponseTypes holds ReportBatchItemFailures
	BatchSize        int
	BatchingWindow   time.Duration // MaximumBatchingWindowInSeconds
	Concurrency      int           // ScalingConfig.MaximumConcurrency; 0 without a limit
	State            string        // of a live mapping: Enabled or another word; empty when there is no mapping
}

// Function is the Lambda function.
type Function struct {
	Name         string
	Timeout      time.Duration
	Reserve      time.Duration // lambda.reserve of its configuration: nothing is started with less time left
	OnFailure    bool          // asynchronous invocations have an on-failure destination or a dead-letter queue
	MaxEventAge  time.Duration // of asynchronous invocations; 0 means Lambda's own 6 hours
	Architecture string        // arm64 or x86_64

	// Of a live function only.
	ARN   string
	State string // Active, or why not
}

// Schedule is what starts the sweep.
type Schedule struct {
	Name    string
	Every   time.Duration // 0 when there is none
	Enabled bool
	Target  string // ARN of what a live schedule starts
}

// Table is the DynamoDB table of the ledger.
type Table struct {
	Name            string
	HashKey         string   // "pk" is the one it must have
	RangeKey        string   // must be empty
	Indexes         []string // names of its global secondary indexes
	PointInTime     bool     // point-in-time recovery is on
	TTLAttribute    string   // must be empty
	KMS             bool     // encrypted under a KMS key
	Protected       bool     // deletion protection is on
	EventualReplica bool     // a global table without multi-Region strong consistency
}

package model

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Message is one logical request as its producer sent it. Copies of it arrive, at once or much later.
type Message struct {
	Made     int32     // when the producer really made it, in seconds after the start: the oracle's truth
	Stamp    int32     // the time that the copies carry
	Tier     call.Tier // how far that time can be trusted; TierNone carries none
	Params   string    // what is asked for: another text is another fingerprint
	NotAfter int32     // zero means none
	Cancel   bool      // withdraws the key
	Later    bool      // asked for over HTTP: a new call is accepted by a write, answered, and dialed afterwards ([call.Engine.Accept])
	Copies   uint8     // how many deliveries there are at most while faults last
}

// Sweeper says whether due rows are swept.
type Sweeper uint8

// The sweepers.
const (
	SweeperRuns Sweeper = iota // and its heartbeat is always fresh
	SweeperNone                // there is none: redelivery drives every call
	SweeperDies                // it may die at any time; it is back once faults stop
)

// Budget bounds how often each fault may happen in one history.
type Budget struct {
	Crash    uint8 // a worker dies between two effects
	Loss     uint8 // the ledger's answer to an applied write is lost; the worker asks again
	GiveUp   uint8 // the ledger gives a worker no answer at all, applied or not
	Lost     uint8 // the answer of Amazon Connect is lost
	Delay    uint8 // a request travels for as long as it likes, and may land after its worker gave it up
	Refuse   uint8 // refused for what was asked
	Throttle uint8
	Setup    uint8 // refused for our configuration
	NotSent  uint8 // the connection breaks before anything is written
	End      uint8 // a contact ends
	Step     uint8 // a worker's clock is set right
	Hold     uint8 // no pacing slot is free when a request is accepted
	Drift    uint8 // the configuration changes the body
	Click    uint8 // clicks of one operator's act, each naming the ring that the operator saw
	Rule     uint8 // re-calls by rule: an automaton opens the next ring of a final call that is not in doubt
	Restore  uint8 // 2: a backup and a restore of the ledger
	Event    uint8 // contact events that arrive
	Attempts uint8 // wire attempts over all rings
}

// Config is one bounded world.
type Config struct {
	Name     string
	About    string
	Points   []int32 // the instants that time jumps between, in seconds after the start
	Workers  uint8
	Skews    [maxWorkers]int32 // how far each worker's clock is off at the start, in seconds
	Messages []Message
	Budget   Budget

	Resend      call.Resend
	Window      time.Duration // zero means for ever
	MaxAttempts int
	LongestCall time.Duration // zero means the core's default

	Sweeper  Sweeper
	Consumes bool // a refusal or throttle begins the token's validity, and may leave no contact (protocol.md F3)
	Dies     bool // reading A1': the token dies with its contact
	Misses   bool // a search may miss a contact that has ended
	Journal  bool // after a restore what was acknowledged since the backup is delivered again
	Strict   bool // judge also what a restore is known to leave open: docs/proof-model.md
	Rings    uint8
	Limit    int  // most states; reaching it is a failure, since nothing is then proven
	Large    bool // one more lost answer of the ledger makes it some 20 million states, so a wider world has none ([Config.Wider])

	Breaks  Promise // of a variant: what it is expected to break; nothing else is then looked for
	Variant Variant // Shipped is none
}

const (
	second = int32(1)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// The freshness of a signature that Amazon Connect accepts, and how long a token holds (protocol.md section 5).
const (
	freshness = 15 * minute
	validity  = 7 * day
)

func (c *Config) profile() call.Profile {
	return call.Profile{
		Name: "default", Region: "r", InstanceID: "i", ContactFlowID: "flow", Resend: c.Resend, MaxAttempts: c.MaxAttempts,
		Window: call.Window{For: c.Window}, LongestCall: c.LongestCall,
	}.WithDefaults()
}

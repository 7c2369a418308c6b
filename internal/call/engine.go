package call

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// TokenInput is what a token recipe may use The recipes live in the public package clienttoken and come in as a function.
type TokenInput struct {
	KeySpace, NotificationID, RecipientID, RecallID string
	ClientToken, EventID                            string
	Ring                                            int
}

// Config is what an engine needs. All members are required unless their comment says otherwise.
type Config struct {
	Ledger   Ledger
	Journal  Journal
	Dialer   Dialer
	Clock    Clock
	Pacer    Pacer // of dials
	Searches Pacer // of SearchContacts: 0.5 per second, burst 1
	Observer Observer
	// Describes paces DescribeContact: 10 per second, shared by everything that asks. It may be nil: then nothing is paced.
	Describes Pacer
	// Cells keeps what belongs to no call; it may be nil where no gate is configured.
	Cells Cells
	// Gate keeps calls that may not ring now; it may be nil: then nothing but the send rule and the pace does.
	Gate Gate
	// Outcome says what a sight comes to, and whether anything more can be learned. It may be nil: then no contact is tracked.
	Outcome func(s Sight) (o ContactOutcome, final bool)
	// Tracks reports whether the outcome of a profile's contacts is to be known, and Again what a rule says about a call that ended, whose
	// outcome is final. Both may be nil: nothing is tracked, nothing follows.
	Tracks func(p Profile) (tracked, follows bool)
	Again  func(c Call, p Profile) Follow
	// OptOut keeps the wish of the person who was rung not to be rung any more. It is idempotent; its error means that the wish is not kept. It
	// may be nil: then the flow is told that nothing keeps it, and an alarm says so.
	OptOut func(ctx context.Context, c Call, at time.Time) error
	// Permit says whether a number may be rung for a producer, as deliveries name it; empty where none does. It may be nil: then every number may.
	// Its error is a refusal.
	Permit func(number Phone, producer string) error
	// Denied is told of each number that Permit refused, so that somebody is told once of many. It may be nil.
	Denied  func(ctx context.Context, number Phone, producer string)
	Zone    func(name string) error             // whether a request's timeZone names a time zone; may be nil: then every name does. Its error is a refusal
	Waker   Waker                               // may be nil: then only the sweep finds what is due
	Waits   func(due time.Time)                 // is told of what will be due, for who sweeps in this process; may be nil
	Spool   Spool                               // may be nil: a fact that cannot be written is then only reported
	Index   Index                               // of the same ledger; may be nil, and then nothing can be forgotten
	Parked  ParkedCalls                         // of the same ledger; may be nil, and then a look ahead reads all that wait
	Eraser  Eraser                              // of the same ledger; may be nil, and then nothing can be forgotten
	Random  io.Reader                           // for op ids, attempt ids and the spread of waits; safe for concurrent use
	Profile func(name string) (Profile, bool)   // by the name a producer asked for; "" is the default
	Kinds   []Kind                              // of the profiles, each once; empty means voice
	Token   func(in TokenInput) (string, error) // the recipe
	// KindToken makes the token of another kind than voice from that of the recipe. It may be nil where every profile is of kind voice.
	// Tokens of two kinds must differ: nobody says whether Amazon Connect keeps those of its operations apart.
	KindToken func(k Kind, token string) string
	KeySpace  func(producer string) string // may be nil: one unnamed key space
	Naming    Naming
	Identity  Identity
	// ReadFirst looks a key up before it tries to create its row: cheaper where reads are, as in SQLite.
	// Otherwise the row is created at once when a pacing slot is free, and looked up first only when the delivery would have to wait for one.
	ReadFirst bool
	// Peek is a cheaper Get for ReadFirst, whose answer may be old; ErrNotFound may be wrong too. It answers duplicates of placed calls only,
	// and may be nil.
	Peek func(ctx context.Context, id string) (Call, error)
	// Remember is how many placed calls answer their duplicates from memory, without the ledger. Zero is none.
	Remember int
	// Patience is how long a delivery waits for a pacing slot before it is held; DialTime is the longest a dial may take with its
	// record, so that nothing is sent that the deadline would cut off.
	Patience time.Duration
	DialTime time.Duration
}

// Engine carries decisions to the ledger and the telephone. It is safe for concurrent use and may run in many processes on one
// ledger: every step is a compare-and-set, so two engines that meet on a row cost a re-read, never a ring.
type Engine struct {
	Config

	prefix [8]byte // of every id this engine makes
	ids    atomic.Uint64

	placed memory
	wakes  wakeHealth
	parked ahead

	mu       sync.Mutex
	paused   map[string]time.Time // profiles whose setup was refused, until when
	beat     time.Time            // newest heartbeat known
	beatRead time.Time            // when it was read
	identity LedgerIdentity
}

// New checks the configuration and the ledger's identity and returns an engine. It refuses a ledger that was made with another
// identity mode or secret (protocol.md section 2).
func New(ctx context.Context, c Config) (*Engine, error) {
	if c.Ledger == nil || c.Journal == nil || c.Dialer == nil || c.Clock == nil || c.Pacer == nil || c.Searches == nil || c.Observer == nil ||
		c.Random == nil || c.Profile == nil || c.Token == nil {
		return nil, refuse(CodeConfiguration, "", "Fill every required member of call.Config.", "The engine lacks a port.")
	}
	if c.DialTime == 0 {
		c.DialTime = 15 * time.Second
	}
	identity, err := c.Ledger.Identity(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the ledger's identity: %w", err)
	}
	if identity.Check != c.Naming.Check() {
		return nil, refuse(CodeConfiguration, "ledger.identity", "Configure the identity mode and the key that the ledger was made with; neither can change.",
			"The ledger was made with identity %s, or with another identity key.", identity.Mode)
	}
	return newEngine(c, identity)
}

func newEngine(c Config, identity LedgerIdentity) (*Engine, error) {
	e := &Engine{Config: c, paused: map[string]time.Time{}, identity: identity, placed: memory{most: c.Remember}}
	if _, err := io.ReadFull(c.Random, e.prefix[:]); err != nil {
		return nil, fmt.Errorf("read randomness: %w", err)
	}
	return e, nil
}

// id returns the next op or attempt id, in hex: 8 random bytes drawn once by this engine, a counter, and 8 random bytes of its own. Ids
// that grow keep the ledger's index of them on few pages; the fresh bytes keep them unique also when a process image is cloned.
func (e *Engine) id() (string, error) {
	var b [24]byte
	copy(b[:], e.prefix[:])
	binary.BigEndian.PutUint64(b[8:], e.ids.Add(1))
	if _, err := io.ReadFull(e.Random, b[16:]); err != nil {
		return "", fmt.Errorf("read randomness: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// spread returns a random number in [0, 1); without randomness waits are simply not spread.
func (e *Engine) spread() float64 {
	var b [1]byte
	if _, err := io.ReadFull(e.Random, b[:]); err != nil {
		return 0
	}
	return float64(b[0]) / 256
}

// sweeperAlive reports whether a sweeper ran lately, so that unfinished calls may be acknowledged. The answer is read from the
// ledger at most every 30 seconds.
func (e *Engine) sweeperAlive(ctx context.Context, now time.Time) bool {
	e.mu.Lock()
	beat, read := e.beat, e.beatRead
	e.mu.Unlock()
	if read.IsZero() || now.Sub(read) >= 30*time.Second || now.Before(read) {
		fresh, err := e.Journal.LastBeat(ctx)
		if err != nil {
			return false
		}
		beat = fresh
		e.noteBeat(fresh, now)
	}
	return !beat.IsZero() && now.Sub(beat).Abs() < HeartbeatTime // a beat of the future is a wrong clock's, and proves nothing
}

func (e *Engine) noteBeat(beat, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beat, e.beatRead = beat, now
}

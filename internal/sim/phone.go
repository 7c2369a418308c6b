package sim

import (
	"net/http"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// region and account are those of every world.
const (
	region  = "us-east-1"
	account = "111122223333"
)

// The flows of a world: two that exist and one that does not.
const (
	goodFlow  = "22222222-2222-4222-8222-222222222222"
	otherFlow = "22222222-2222-4222-8222-222222222223"
	lostFlow  = "22222222-2222-4222-8222-222222222224"
	queueID   = "33333333-3333-4333-8333-333333333333"
)

// telephone is the network that a world calls, and what the oracle reads from it. It never sees the ledger.
type telephone interface {
	// transport is how the SDK's client reaches it; nil when it has no HTTP side.
	transport() http.RoundTripper
	// dialer returns what a worker dials with, given the dialer that its configuration makes and its clock.
	dialer(configured call.Dialer, clock call.Clock) call.Dialer
	// arm lets the next requests of the operation meet the fault, Times of them; disarm takes all faults back and returns, in the order in which
	// they were armed, how many requests each has met. A fault that cuts the connection may be the service that restarts: it then refuses
	// connections for so long after the cut.
	arm(fault connectemu.Rule, away time.Duration)
	disarm() (met []int)
	// down refuses connections until the given time, as a service that restarts.
	down(until time.Time)
	// rings returns every contact that dialed, in order: the oracle.
	rings() []ring
	// wire returns the starts that made or found a contact.
	wire() []wired
	// lasting reports whether a contact is alive; endedBy whether it had ended at that time.
	lasting(contactID string) bool
	endedBy(contactID string, at time.Time) bool
	// storyOf returns what has happened to a contact until now.
	storyOf(contactID string) contactStory
	// flowEnds lets the flow of a contact hang up.
	flowEnds(contactID string)
	close()
}

// contactStory is what has happened to a contact: instants that have not come are zero.
type contactStory struct {
	initiated, connected, ended time.Time
	reason                      string // the disconnect reason
}

// ring is a contact that dialed.
type ring struct {
	at      time.Time
	contact string
	callID  string // the attribute ringonceCallId
	token   string
	number  string
	channel connectemu.Channel // empty in a world without other kinds
}

// wired is a start that Amazon Connect took.
type wired struct {
	token, body string    // body is a hash
	signed, at  time.Time // at: when it arrived
}

// cuts are the faults that break a connection whose request is under way, as a service does that restarts.
func cuts(f connectemu.Fault) bool {
	return f == connectemu.ResetBefore || f == connectemu.PlaceThenReset || f == connectemu.PlaceThenTruncate
}

// delayed are the faults whose request or answer is late.
func delayed(f connectemu.Fault) bool {
	return f == connectemu.PlaceThenDelay || f == connectemu.Slow || f == connectemu.ArriveLate
}

package call

import (
	"context"
	"slices"
	"time"
)

// Write is one compare-and-set: the row as it will be, and the history entry that made it so.
type Write struct {
	Row   Call  // Row.Version is Entry.Seq; the version it replaces is one less
	Entry Entry // Entry.Op makes the write recognizable when its answer is lost

	// Hint is when the row has to be looked at by somebody, if the write is worth a hint for it; else zero. A ledger that keeps hints beside its rows
	// writes it in the same transaction, and says so in Written.Hinted; every other ignores it.
	Hint time.Time
}

// Written is the answer to a write.
type Written struct {
	Applied bool // this write is in the ledger, now or since an earlier try of the same op
	Row     Call // the row as it is in the ledger; after an applied write possibly already newer

	// Hinted says that this very write carried the hint for Write.Hint with it, so that nobody needs to give it. It is false where that is not known.
	Hinted bool
}

// Ledger remembers calls. It does compare-and-set and holds no policy.
//
// Atomicity: a row and its history entry are written together or not at all. Durability: a write that was answered survives a
// power cut. Linearizable: a Get after an answered write sees it. Idempotent by op: a write whose op id is already in the row's
// history answers Applied. An error other than those of errors.go is ambiguous: the caller sends the same write again.
// Implementations are safe for concurrent use and never retry a write whose fate they do not know.
type Ledger interface {
	// Create inserts the row if its id is absent. An existing row comes back with Applied false. It returns ErrTokenTaken when
	// another row owns the row's non-empty token.
	Create(ctx context.Context, w Write) (Written, error)
	// Get returns a row, or ErrNotFound.
	Get(ctx context.Context, id string) (Call, error)
	// Update replaces the row if its version is w.Row.Version - 1. A lost compare comes back with Applied false and the current
	// row. It returns ErrNotFound, or ErrTokenTaken as Create does.
	Update(ctx context.Context, w Write) (Written, error)
	// Due returns at most limit ids of rows whose DueAt is set and not after now, earliest first. It may lag behind the rows: one that it
	// does not show yet waits for the next sweep, and one that it still shows costs a read.
	Due(ctx context.Context, now time.Time, limit int) ([]string, error)
	// Identity returns what distinguishes this ledger from every other and from its own past.
	Identity(ctx context.Context) (LedgerIdentity, error)
}

// ParkedCalls is a [Ledger] that finds its parked calls without reading those that wait for their time, which may be a million. It may lag behind the
// rows, as Due does, and name rows that are not parked. A place is a text of the ledger's own.
type ParkedCalls interface {
	// ParkedCalls returns at most limit ids of rows that are [Call.Parked], from behind a place on, and the place behind them. An empty place is the
	// beginning; an empty next says that there are no more.
	ParkedCalls(ctx context.Context, after string, limit int) (ids []string, next string, err error)
	// ParkedFrom returns the place that has a share of all rows before it, from 0 to 1.
	ParkedFrom(ctx context.Context, share float64) (place string, err error)
}

// LedgerIdentity is the ledger's own record.
type LedgerIdentity struct {
	ID        string       // random, made with the ledger
	Epoch     int64        // grows with every recovery
	Mode      IdentityMode // of its row ids
	Check     string       // Naming.Check of the mode and secret it was made with
	HighWater int64        // number of the newest write in the ledger
	LastWrite time.Time    // time of the newest history entry
	Recovery  *Recovery    // set while a recovery is open
	Reading   string       // "A1" or "A1'" once measured on this instance, else empty
}

// Recovery says which stretch of time a restored ledger has forgotten.
type Recovery struct {
	Backup   time.Time `json:"backup"`   // T_b: nothing newer is in the restored ledger
	Restored time.Time `json:"restored"` // T_r: nothing older was accepted by it after the restore
}

// Eraser destroys what a ledger keeps of a recipient. It is apart from [Ledger] because nothing else ever destroys anything.
type Eraser interface {
	// Erase is Update for the write of an EventForgotten: the same compare, the same idempotence by op, the same errors. With the row it
	// replaces the whole history, so that the write's entry is the only one: an op of before is not recognized any more. The row's notes are
	// gone, and those given later are dropped. The row's token stays taken, although its text is not kept.
	Erase(ctx context.Context, w Write) (Written, error)
	// Scrub destroys, of the forgotten rows of one recipient hash (Naming.Recipient), every byte that Erase made unreadable and left: in
	// logs of the store, in free pages, in items beside the row. It finishes what an earlier run left undone, whichever it was, and changes
	// no row that is not forgotten. ByRecipient shows a forgotten row until it is scrubbed, and not after. After an error it is called again.
	Scrub(ctx context.Context, recipient string, ids []string) error
}

// Index is the read side of a ledger. It may lag; no decision rests on its silence.
type Index interface {
	// ByContact returns the id of the row that owns a contact id, or ErrNotFound. When several do, which is a breach (I14), it is the
	// one that was created first.
	ByContact(ctx context.Context, contactID string) (string, error)
	// ByRecipient returns at most limit row ids of one recipient hash (Naming.Recipient), newest first.
	ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error)
	// List returns rows that match the filter, newest first, and a cursor for the next page, empty at the end.
	List(ctx context.Context, f Filter) ([]Call, string, error)
	// DueFrom returns at most limit rows whose DueAt is set, earliest first, from behind a place on; an empty place is the beginning. A place stays one
	// when its row leaves it, so a row whose DueAt stays the same is on exactly one of the pages, and a page costs what it shows and not what is before it
	// (except in memory). A place that this ledger did not give is refused with CodeFieldValue.
	DueFrom(ctx context.Context, place string, limit int) ([]DuePlace, error)
	// History returns the entries of a row, oldest first.
	History(ctx context.Context, id string) ([]Entry, error)
}

// DuePlace is a row with a due time, and its place among all of them: a text of the ledger's own.
type DuePlace struct{ ID, Place string }

// Filter chooses rows of a list. Zero members do not restrict. A cursor is good for the filter that it came from.
type Filter struct {
	States    []State
	KeySpaces []string // rows whose key is in one of these rooms ([InSpaces]); a ledger may find them only among all rows, which costs as much as the whole list
	Limit     int      // 0 means 100
	Cursor    string   // from the page before
}

// InSpaces is Filter.KeySpaces for these rooms. It is nil, which restricts nothing, when the unnamed one is among them: no ledger has an index of that.
func InSpaces(names ...string) []string {
	if slices.Contains(names, "") {
		return nil
	}
	return names
}

// Has reports whether a row is what the filter chooses.
func (f Filter) Has(c Call) bool {
	return (len(f.States) == 0 || slices.Contains(f.States, c.State)) && (len(f.KeySpaces) == 0 || slices.Contains(f.KeySpaces, c.Key.KeySpace))
}

// NoteKind names a note.
type NoteKind string

// The kinds of notes.
const (
	NoteSuppressed NoteKind = "suppressed" // a delivery answered from the ledger without dialing
	NoteConflict   NoteKind = "conflict"   // same key, another fingerprint; recorded once per fingerprint
	NoteRefused    NoteKind = "refused"    // a clash of tokens
)

// Note is a line beside a call that changes nothing in it.
type Note struct {
	RowID       string    `json:"rowId"` // the call that justified it
	Kind        NoteKind  `json:"kind"`
	At          time.Time `json:"at"`
	Reason      string    `json:"reason"`
	Fingerprint string    `json:"fingerprint,omitempty"` // conflict: of the request that was refused
	Delivery    *Arrival  `json:"delivery,omitempty"`
}

// Notes is what a journal kept of one row.
type Notes struct {
	Suppressed int    // how many deliveries were suppressed, also those whose text was not kept
	Kept       []Note // oldest first
}

// Journal keeps what is not part of any call's state. Losing its last moments in a crash costs a line of history, never a call.
type Journal interface {
	// Note keeps a note. How many suppressions are kept with their text is the ledger's setting; they are always counted. A
	// conflict is kept once per row and fingerprint.
	Note(ctx context.Context, n Note) error
	// Notes returns the notes of a row.
	Notes(ctx context.Context, id string) (Notes, error)
	// ListNotes returns kept notes of all rows that match the filter, newest first, and a cursor for the next page, empty at the end. It may
	// lag; no decision rests on it. Of one row the note that was kept last comes first; over rows it is so too where the ledger has its notes
	// in that order, and where it has not (DynamoDB) the rows come newest first, each with all its notes. A note whose row is not there yet,
	// or is forgotten, is left out. A page looks through a bounded number of notes, or of such rows, so it may be short or empty beside a cursor.
	ListNotes(ctx context.Context, f NoteFilter) ([]RowNote, string, error)
	// Beat records that a sweeper ran on this ledger, if BeatCounts beside the beat that it keeps.
	Beat(ctx context.Context, at time.Time) error
	// LastBeat returns the beat that it keeps, the newest; zero when no sweeper ever ran.
	LastBeat(ctx context.Context) (time.Time, error)
}

// BeatCounts reports whether a beat takes the place of the one that a [Journal] keeps: a newer one does, and one that the kept one is ahead of by more
// than HeartbeatTime. That one is of a wrong clock, and would keep every correct beat away until the time it names.
func BeatCounts(at, kept time.Time) bool { return at.After(kept) || kept.Sub(at) > HeartbeatTime }

// Parking keeps records that could not be read. It is durable as a [Ledger] is, and its writes may be repeated.
type Parking interface {
	// Park keeps a record before it returns; fresh is false when one of its id is known, also a closed one, and then nothing changes.
	Park(ctx context.Context, p Parked) (fresh bool, err error)
	// Parked returns a record with its document, or ErrNotFound.
	Parked(ctx context.Context, id string) (Parked, error)
	// ListParked returns at most limit records that wait, oldest first, without their documents. It may lag.
	ListParked(ctx context.Context, limit int) ([]Parked, error)
	// CloseParked ends a record: its document is gone, and what is left tells that it was there. The first end stays. It returns
	// ErrNotFound.
	CloseParked(ctx context.Context, id string, end ParkedEnd, at time.Time) error
}

// Order is what a body is made of. The profile says for which kind of contact.
type Order struct {
	CallID      string
	Token       string
	Destination Phone
	Attributes  map[string]string
	Profile     Profile
}

// Send is one wire attempt: stored bytes, and the bounds of the date that signs them.
type Send struct {
	Kind      Kind // which operation the body is for; empty means voice
	CallID    string
	AttemptID string
	Target    Target
	Token     string
	Body      []byte
	NotBefore time.Time // X-Amz-Date must not be earlier
	NotAfter  time.Time // X-Amz-Date must not be later
}

// Answer is the classified outcome of one wire attempt.
type Answer struct {
	Class      Class
	ContactID  string        // with ClassOK
	Code       Code          // the service's error code in snake case, or our own name for a transport failure
	Message    string        // one sentence without a full phone number
	RetryAfter time.Duration // the service's wish; zero when it has none
	Took       time.Duration
	Capacity   bool // throttled by concurrency, not by rate
}

// Contact is what Amazon Connect shows of a contact.
type Contact struct {
	ID           string
	CallID       string // the attribute ringonceCallId; empty when the contact is not ours or not marked
	Name         string
	Initiated    time.Time
	Disconnected time.Time // zero while it lasts
	Sight        Sight     // everything else that DescribeContact tells; of a search result only its times
}

// Dialer rings phones. It never retries a dial on its own: one Dial is at most one request on the wire.
type Dialer interface {
	// Prepare serializes the request body, deterministically for equal orders, or returns an *Error that names the setting or
	// member that Amazon Connect would not take.
	Prepare(o Order) ([]byte, error)
	// Dial sends the bytes once and classifies the answer (protocol.md section 4). It never returns an error beside the class.
	Dial(ctx context.Context, s Send) Answer
	// Describe returns a contact, or ErrNotFound.
	Describe(ctx context.Context, t Target, contactID string) (Contact, error)
	// Search returns the contacts that carry the call id in their Name and began in [from, to]. An empty answer proves nothing, and says
	// nothing at all of a chat, which has no Name: the core does not search for one.
	Search(ctx context.Context, t Target, callID string, from, to time.Time) ([]Contact, error)
	// Stop hangs a contact up. A contact that has already ended is no error.
	Stop(ctx context.Context, t Target, contactID string) error
}

// Clock tells the time. One clock serves leases, the send guard, request signing and, in tests and the demo, the emulator.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep waits until d has passed on this clock or the context ends, whose error it then returns.
	Sleep(ctx context.Context, d time.Duration) error
}

// Fact is what the ledger could not be told when it happened.
type Fact struct {
	RowID string `json:"rowId"`
	Op    string `json:"op"`
	Event Event  `json:"event"`
	// Target is the instance that reported it, for a report whose call could not be read, so that it was not known whether the call was dialed there.
	Target Target `json:"target,omitzero"`
}

// Waker gives hints that a row will be due. A hint is worth time and nothing else: the due time in the ledger is the truth, and the
// sweep finds every row whose hint was lost. It may arrive early, late, more than once or never, as a call of Engine.Woken.
type Waker interface {
	// Wake asks that the row is looked at when due has come. It returns within 2 seconds and never later than the context ends,
	// whatever becomes of the hint, leaves nothing running, and may give the hint more than once. It is safe for concurrent use.
	Wake(ctx context.Context, rowID string, due time.Time) error
}

// Spool keeps facts that the ledger did not take, durably, until a later start merges them.
type Spool interface {
	// Keep stores a fact durably before it returns.
	Keep(f Fact) error
	// Pending returns the facts that are not done, oldest first, also beside an error about others that cannot be read.
	Pending() ([]Fact, error)
	// Done forgets a fact.
	Done(f Fact) error
}

// Observer is told each decision: one log line and one metric for each. It must not block.
type Observer interface {
	// Decided reports one decision about one call.
	Decided(ctx context.Context, d Decided)
}

// Decided is one decision, for logs and metrics. Number is always masked.
type Decided struct {
	What     string // event kind, or suppressed, conflict, refused, anomaly, breach, paused, undated, wake-failed, wake-skipped, wake-apart, key-failed
	RowID    string
	Ring     int
	State    State
	Code     Code
	Reason   string
	Number   Phone
	Contact  string
	Source   Source
	Delivery string
	Class    Class
	Took     time.Duration
	Alarm    bool // an operator must look

	Outcome   ContactOutcome // what this decision found to have become of the contact, once nothing more is asked; else empty
	Became    State          // the final state that this decision moved the call into; empty when it moved it into none
	Dialed    time.Time      // of an attempt that was answered: when it was sent; else zero
	Requested time.Time      // beside Dialed: best evidence of when the request was first made; zero when there is none
}

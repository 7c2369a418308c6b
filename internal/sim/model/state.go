package model

const (
	maxRings    = 4
	maxWorkers  = 3
	maxMessages = 4
	maxFlights  = 3
	maxContacts = 4
	maxTokens   = 5
	maxSpool    = 2
)

// rowID stands for the content of a row; zero is no row.
type rowID uint32

// counter is the place in a worker's program: the effect that comes next.
type counter uint8

const (
	idle        counter = iota
	atCreate            // write next if its row is absent
	atReadFirst         // read the first row of the key
	atReadTop           // read the highest ring
	atWrite             // compare-and-set: a decision
	atMerge             // a fact, written until it is in
	atSend              // sign and put on the wire
	atAwait             // the request is on its way
	atSearch            // look for evidence
	atAck               // tell the source
)

// then is what a completed effect is for.
type then uint8

const (
	thenWalk      then = iota // go on with the row as it is
	thenHeld                  // the row waits: done
	thenSent                  // the intent is durable: dial
	thenOpened                // the next ring is claimed: create its row
	thenConfirmed             // the claim is cleared
	thenFenced                // the parent is fenced: claim the next ring
	thenEnded                 // the parent is ended: go on with the next ring
	thenNew                   // the first row of a key
	thenChild                 // the row of a next ring
	thenTombstone             // the row of a cancel that came first
	thenContinue              // the first row, for a next ring of a later one
	thenCancel                // the first row, for a cancel
	thenRecall                // the first row, for a re-call
	thenRecallNow             // the first row again, after the claim of another ring was confirmed
	thenReply                 // the highest ring, for an answer
	thenAgain                 // the first row, for another try of an answer
	thenResult                // what an attempt was answered
	thenContact               // a contact id from elsewhere
	thenAttach                // the first request for a tombstone
	thenWithdraw              // the cancel on the first row
	thenTarget                // the cancel on the highest ring
	thenTaint                 // the taint before a cancel touches the row
	thenLook                  // a scheduled look
	thenResend                // a look before a send
	thenRecord                // variants N1 and N2: the row after the call
)

// worker is one process, or one invocation of it.
type worker struct {
	first, row, next, child rowID // copies as this worker read or will write them
	at                      int32 // instant of an answer or of a cancel
	skew                    int32
	pc                      counter
	then, after             then
	message                 uint8 // the delivery that it holds, from 1; zero is none
	attempt                 uint8
	class                   uint8
	contact                 uint8
	saw                     uint8 // the ring that a re-call names
	opener                  uint8 // who opens the next ring
	met                     uint8
	later                   bool // its delivery is answered without a dial
	busy                    bool // its delivery is answered by a call that was not decided
	own                     bool // its write is in the ledger and the answer was lost
}

// message is what became of a request's copies.
type message struct {
	copies uint8
	acked  bool
	kept   bool // acknowledged as refused or as a conflict: nothing more is promised
}

// flight is a request on its way to Amazon Connect.
type flight struct {
	signed            int32
	attempt           uint8 // zero: no flight
	token, body, ring uint8
}

// token is what Amazon Connect knows of a client token.
type token struct {
	created  int32 // meaningful with known
	id, body uint8 // id zero: unused
	contact  uint8 // its newest contact, from 1
	known    bool  // its validity runs
}

// contact is one ring.
type contact struct {
	at    int32
	ring  uint8 // ring number plus one; zero: unused
	by    uint8 // who opened that ring
	ended bool
}

// fact is an answer that the ledger did not take.
type fact struct {
	at                              int32
	ring, attempt, class, contactID uint8 // ring plus one; zero: unused
}

// state is one state of the world. It is comparable, and equal states behave alike.
type state struct {
	now      int32
	died     int32 // when the sweeper died
	canceled int32 // the latest acknowledged cancel plus one; zero is none
	backOff  int32 // canceled at the backup
	savedAt  int32

	rows, backup [maxRings]rowID
	openedAt     [maxRings]int32 // of rings that an operator or a rule opened
	workers      [maxWorkers]worker
	messages     [maxMessages]message
	flights      [maxFlights]flight
	tokens       [maxTokens]token
	contacts     [maxContacts]contact
	spool        [maxSpool]fact
	left         Budget

	opener, backOpener [maxRings]uint8 // who opened each ring
	learned            uint8           // rings whose contact id a worker was told and took note of
	point              uint8
	drifted            bool
	dead               bool // the sweeper is
	restored           bool
	recovery           uint8 // which recovery is open
	attempts           uint8 // ids given
	saw                uint8 // the ring that the operator saw, plus one
}

// canonical returns the state with workers in a fixed order: which of two equal processes does something makes no difference.
func (s *state) canonical(workers uint8) state {
	c := *s
	w := c.workers[:workers]
	for i := 1; i < len(w); i++ {
		for j := i; j > 0 && less(&w[j], &w[j-1]); j-- {
			w[j], w[j-1] = w[j-1], w[j]
		}
	}
	return c
}

func less(a, b *worker) bool {
	switch {
	case a.pc != b.pc:
		return a.pc < b.pc
	case a.row != b.row:
		return a.row < b.row
	case a.next != b.next:
		return a.next < b.next
	case a.first != b.first:
		return a.first < b.first
	case a.message != b.message:
		return a.message < b.message
	case a.attempt != b.attempt:
		return a.attempt < b.attempt
	case a.then != b.then:
		return a.then < b.then
	case a.skew != b.skew:
		return a.skew < b.skew
	}
	return a.at < b.at
}

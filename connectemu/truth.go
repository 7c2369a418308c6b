package connectemu

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// TruthKind names a line of the truth log.
type TruthKind string

// The kinds of lines.
const (
	// TruthBegin is the first line.
	TruthBegin TruthKind = "begin"
	// TruthRang is a contact that dialed.
	TruthRang TruthKind = "rang"
	// TruthContact is a chat or a task that began. Nothing rang.
	TruthContact TruthKind = "contact"
	// TruthStart is a StartOutboundVoiceContact that was answered or dropped, whatever it did.
	TruthStart TruthKind = "start"
	// TruthReset is [Server.Reset]: contacts and tokens were forgotten. What rang before it did ring.
	TruthReset TruthKind = "reset"
	// TruthEnd is the last line of a log that was closed. Without it lines may be missing at the end.
	TruthEnd TruthKind = "end"
)

// TruthEvent is one line of the truth log: what really happened, in the order it happened.
type TruthEvent struct {
	// N counts the lines from 1.
	N    int       `json:"n"`
	Kind TruthKind `json:"kind"`
	At   time.Time `json:"at"`
	// Ring belongs to TruthRang, and to TruthContact without a number. Its number is in full: it is fictitious.
	Ring *Ring `json:"ring,omitempty"`
	// Start belongs to TruthStart.
	Start *Request `json:"start,omitempty"`
}

// truthLog writes lines of the form {"event":EVENT,"hash":"HEX"}: HEX is the SHA-256 of the hash before it (empty for the first), a line feed and
// the bytes of EVENT, so that no line can be changed, taken out, put in or moved unnoticed.
type truthLog struct {
	mu    sync.Mutex
	to    io.Writer // nil: no log
	n     int
	prev  string
	ended bool
	err   error // the first of the writer
}

// tellTruth writes the line of a new contact.
func (s *Server) tellTruth(c *contact) {
	if s.truth.to == nil {
		return
	}
	kind, ring := TruthRang, c.ring()
	if c.channel != ChannelVoice {
		kind = TruthContact
	}
	s.truth.write(TruthEvent{Kind: kind, At: c.initiated.UTC(), Ring: &ring})
}

func (l *truthLog) write(e TruthEvent) {
	if l.to == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.ended {
		return
	}
	l.n++
	e.N = l.n
	event, err := json.Marshal(e)
	if err != nil {
		l.err = fmt.Errorf("connectemu: write the truth log: %w", err)
		return
	}
	l.prev = truthHash(l.prev, event)
	l.ended = e.Kind == TruthEnd
	if _, err := fmt.Fprintf(l.to, "%s%s%s%s%s\n", truthHead, event, truthMiddle, l.prev, truthTail); err != nil {
		l.err = fmt.Errorf("connectemu: write the truth log: %w", err)
	}
}

const truthHead, truthMiddle, truthTail = `{"event":`, `,"hash":"`, `"}`

func truthHash(prev string, event []byte) string {
	digest := sha256.Sum256(append([]byte(prev+"\n"), event...))
	return hex.EncodeToString(digest[:])
}

// EndTruth closes the truth log with its last line; what is served later is not in it. The error is the first that its writer returned: then
// the log is not complete. Without Config.TruthLog it does nothing.
func (s *Server) EndTruth() error {
	s.truth.write(TruthEvent{Kind: TruthEnd, At: s.cfg.Load().Clock.Now().UTC()})
	s.truth.mu.Lock()
	defer s.truth.mu.Unlock()
	return s.truth.err
}

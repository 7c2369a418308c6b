package auditlog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Act is what somebody did, or tried to do.
type Act struct {
	At     time.Time // when; zero means now
	Actor  string    // who, as access.Principal.Name or Sender names them
	Kind   string    // producer, operator, or system for the log's own records
	Action string    // such as call.place, call.recall, key.add
	CallID string    // row id, where one is concerned
	Target string    // what else is concerned, such as profile:alert; digits that look like a whole phone number are masked
	Reason string    // as the actor gave it; digits that look like a phone number are masked
	Answer string    // what came of it: a code or a state

	Personal map[string]string // values of a person; only their digests are kept
}

// Record is an act as the log holds it.
type Record struct {
	Seq      int64             `json:"seq"` // 1 is the genesis
	Day      string            `json:"day"` // of the file that holds it
	At       time.Time         `json:"at"`
	Actor    string            `json:"actor"`
	Kind     string            `json:"kind"`
	Action   string            `json:"action"`
	CallID   string            `json:"callId,omitzero"`
	Target   string            `json:"target,omitzero"` // records of before 2026-12 have none
	Reason   string            `json:"reason,omitzero"`
	Answer   string            `json:"answer,omitzero"`
	Personal map[string]string `json:"personal,omitzero"` // hex HMAC-SHA256 under the salt of the day
	Prev     string            `json:"prev"`              // hash of the record before; zeros before the genesis
}

// The actions of the log itself, of the kind system.
const (
	ActionGenesis   = "log.genesis"   // the first record; Reason holds the random id of the log
	ActionRecovered = "log.recovered" // an end that a crash left torn was put aside
	ActionAhead     = "log.ahead"     // records that were not remembered came before this one: a crash, or somebody added them while nobody wrote
	ActionHeadless  = "log.headless"  // the remembered head was missing: what was cut off before this cannot be seen
)

const kindSystem = "system"

// noHash is before the first record.
var noHash = strings.Repeat("0", 2*sha256.Size)

// The form of a line. It is compared byte for byte, so that not even a blank can be added.
const (
	lineOpen  = `{"hash":"`
	lineInner = `","record":`
	lineClose = "}"
	mostLine  = 64 << 10
)

// hashOf covers the record's bytes, which hold the hash before.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// append adds the line of a record, and returns its hash.
func (r Record) append(to []byte) (line []byte, hash string, err error) {
	line = append(append(append(to, lineOpen...), noHash...), lineInner...)
	begin := len(line)
	if line, err = r.appendJSON(line); err != nil {
		return to, "", errors.New("auditlog: the record has text that is no UTF-8, or a time that has no form")
	}
	hash = hashOf(line[begin:])
	copy(line[len(to)+len(lineOpen):], hash)
	return append(line, lineClose+"\n"...), hash, nil
}

// appendJSON writes what json.Marshal would, deterministically.
func (r Record) appendJSON(to []byte) ([]byte, error) {
	if year := r.At.Year(); r.Personal != nil || year < 0 || year > 9999 {
		raw, err := json.Marshal(r, json.Deterministic(true))
		return append(to, raw...), err
	}
	to = strconv.AppendInt(append(to, `{"seq":`...), r.Seq, 10)
	bad := false
	text := func(opened, value string) {
		var err error
		to, err = jsontext.AppendQuote(append(to, opened...), value)
		bad = bad || err != nil
	}
	text(`,"day":`, r.Day)
	to = append(r.At.AppendFormat(append(to, `,"at":"`...), time.RFC3339Nano), '"')
	text(`,"actor":`, r.Actor)
	text(`,"kind":`, r.Kind)
	text(`,"action":`, r.Action)
	for _, m := range [...]struct{ opened, value string }{{`,"callId":`, r.CallID}, {`,"target":`, r.Target}, {`,"reason":`, r.Reason}, {`,"answer":`, r.Answer}} {
		if m.value != "" {
			text(m.opened, m.value)
		}
	}
	text(`,"prev":`, r.Prev)
	if bad {
		return nil, errors.New("text that is no UTF-8")
	}
	return append(to, '}'), nil
}

var (
	errForm = errors.New("it is no line of this log")
	errHash = errors.New("its hash is not that of its content")
)

// decode reads a line without its line feed.
func decode(line []byte) (r Record, hash string, err error) {
	text := string(line)
	rest, opened := strings.CutPrefix(text, lineOpen)
	if !opened || len(rest) < len(noHash)+len(lineInner)+len(lineClose) || !strings.HasSuffix(rest, lineClose) {
		return Record{}, "", errForm
	}
	hash, rest = rest[:len(noHash)], rest[len(noHash):]
	raw, inner := strings.CutPrefix(rest, lineInner)
	if !inner {
		return Record{}, "", errForm
	}
	raw = strings.TrimSuffix(raw, lineClose)
	if hashOf([]byte(raw)) != hash {
		return Record{}, "", errHash
	}
	if err := json.Unmarshal([]byte(raw), &r, json.RejectUnknownMembers(true)); err != nil {
		return Record{}, "", errForm
	}
	return r, hash, nil
}

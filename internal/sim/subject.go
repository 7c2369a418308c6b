package sim

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// recipient is whom a request is for that names nobody else.
const recipient = "user-67890"

// subject is one key of the world, and what is known of it.
type subject struct {
	name   string // n1, or n1+again with the recall id again; n1@bob is for bob; n1/chat is of another kind
	number string // empty for none, which chats and tasks may leave out
	first  string // id of its first row
	asked  []*request
	struck int // faults that have met it
}

// keyName is the name of a key in acts and transcripts.
func keyName(k call.Key) string {
	name := k.NotificationID
	if k.RecipientID != recipient && k.RecipientID != "" {
		name += "@" + k.RecipientID
	}
	if k.RecallID != "" {
		name += "+" + k.RecallID
	}
	if k.Kind != "" && k.Kind != call.KindVoice {
		name += "/" + string(k.Kind)
	}
	return name
}

func (s *subject) key() call.Key {
	name, _, _ := strings.Cut(s.name, "/")
	name, recall, _ := strings.Cut(name, "+")
	notification, who, named := strings.Cut(name, "@")
	if !named {
		who = recipient
	}
	return call.Key{Kind: s.kind(), NotificationID: notification, RecipientID: who, RecallID: recall}
}

func (s *subject) row() string { return s.first }

// subject returns a key of the world, which is new when nobody has named it.
func (w *World) subject(name string) *subject {
	for _, s := range w.subjects {
		if s.name == name {
			return s
		}
	}
	s := &subject{name: name, number: w.phoneNumber(numberOf(name))}
	if !s.kind().NeedsNumber() {
		s.number = ""
	}
	s.first = call.Naming{}.Row(s.key(), 0)
	w.subjects = append(w.subjects, s)
	return s
}

// numberOf returns which number a key has that names none: n1 has 1, n2 has 11, and the others for whom n2 is have those behind it. It follows
// from the name, so that a shorter life rings the same phones.
func numberOf(name string) int {
	first, last := 0, 0
	if n, err := fmt.Sscanf(name, "n%d", &first); n != 1 || err != nil || first < 1 {
		h := fnv.New32a()
		_, _ = h.Write([]byte(name))
		return 100 + int(h.Sum32()%800)
	}
	for i, suffix := range []string{"@bob", "@eve", "@kim", "+again"} {
		if strings.Contains(name, suffix) {
			last += i + 1
		}
	}
	return 10*(first-1) + 1 + last
}

// phoneNumber returns the nth fictitious number of the world's country. There are 100 of 1202 and 1,000 of 447700.
func (w *World) phoneNumber(n int) string {
	switch w.Setting.After.Country {
	case "1202":
		return fmt.Sprintf("+120255501%02d", n%100)
	case "447700":
		return fmt.Sprintf("+447700900%03d", n%1000)
	}
	return fmt.Sprintf("+81900000%04d", n)
}

// request is one logical request, or a cancel: what a producer wants, however often it is sent.
type request struct {
	name      string
	subject   *subject
	payload   []byte
	number    string    // it asks for; empty for none
	at        time.Time // requestedAt of the payload; zero when it has none
	cancel    bool
	acks      bool   // of a cancel: it is an acknowledgment
	zone      string // as the request says it
	urgent    bool
	list      []string // whom it names beside its recipient
	conflicts bool     // another number than the key's first request
	struck    int      // faults that had met its subject when it was first sent
}

// message is one request as it was sent once.
type message struct {
	name    string
	request *request
	form    transport.Form
	born    time.Time
	unkeyed bool // over the API: without an Idempotency-Key
	waits   bool // over the API: for the dial
}

func (w *World) request(name string) *request {
	for _, r := range w.requests {
		if r.name == name {
			return r
		}
	}
	return nil
}

func (w *World) message(name string) *message {
	for _, m := range w.messages {
		if m.name == name {
			return m
		}
	}
	return nil
}

// newRequest makes a logical request as an act describes it: key, number, at, until, profile.
func (w *World) newRequest(name string, a Act, cancel bool) (*request, error) {
	s := w.subject(a.value("key"))
	r := &request{name: name, subject: s, cancel: cancel, struck: s.struck}
	number := s.number
	if v := a.value("number"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, fmt.Errorf("number: %w", err)
		}
		number = w.phoneNumber(n)
	}
	if len(s.asked) == 0 && !cancel {
		s.number = number
	}
	r.conflicts, r.number = !cancel && number != s.number, number
	key := s.key()
	b := append([]byte(`{"notificationId":`), strconv.Quote(key.NotificationID)...)
	b = append(append(b, `,"recipientId":`...), strconv.Quote(key.RecipientID)...)
	if key.RecallID != "" {
		b = append(append(b, `,"recallId":`...), strconv.Quote(key.RecallID)...)
	}
	if cancel {
		r.acks = a.Verb == "acknowledge"
		b = append(append(append(b, `,"action":"`...), a.Verb...), '"')
	} else if number != "" {
		b = append(append(b, `,"destinationPhoneNumber":`...), strconv.Quote(number)...)
	}
	profile := a.value("profile")
	if !s.kind().NeedsNumber() { // a cancel means the kind of its profile, too
		profile = string(s.kind())
	}
	if profile != "" {
		b = append(append(b, `,"profile":`...), strconv.Quote(profile)...)
	}
	if w.options.Secret != "" {
		b = append(append(b, `,"attributes":{"canaryAttribute":`...), strconv.Quote(w.options.Secret)...)
		b = append(b, '}')
	}
	until, err := w.instant(a.value("until"))
	if err != nil {
		return nil, err
	}
	if r.at, err = w.instant(a.value("at")); err != nil {
		return nil, err
	}
	b = w.appendWishes(b, r, a)
	b = appendTime(appendTime(b, "requestedAt", r.at), "notAfter", until)
	r.payload = append(b, '}')
	w.requests = append(w.requests, r)
	if !cancel {
		s.asked = append(s.asked, r)
	}
	return r, nil
}

// appendWishes writes what a request says beside its number: zone=Europe/Berlin, urgent=yes, then=bob,eve.
func (w *World) appendWishes(b []byte, r *request, a Act) []byte {
	if r.zone = a.value("zone"); r.zone != "" {
		b = append(append(b, `,"timeZone":`...), strconv.Quote(r.zone)...)
	}
	if r.urgent = a.value("urgent") == "yes"; r.urgent {
		b = append(b, `,"urgent":true`...)
	}
	for i, who := range strings.FieldsFunc(a.value("then"), func(r rune) bool { return r == ',' }) {
		next := w.subject(listed(r.subject, who))
		r.list = append(r.list, next.name)
		separator := byte(',')
		if i == 0 {
			b, separator = append(b, `,"escalation":`...), '['
		}
		b = fmt.Appendf(append(b, separator), `{"recipientId":%q,"destinationPhoneNumber":%q}`, who, next.number)
	}
	if len(r.list) > 0 {
		b = append(b, ']')
	}
	return b
}

// listed is the name of the key that a list rings for another recipient.
func listed(s *subject, who string) string {
	key := s.key()
	key.RecipientID = who
	return keyName(key)
}

// instant reads a time that is told from now: "+1h", "-30m", "now", or nothing.
func (w *World) instant(text string) (time.Time, error) {
	switch text {
	case "", "never":
		return time.Time{}, nil
	case "now":
		return time.Now().UTC().Truncate(time.Second), nil
	}
	d, err := parseSpan(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("a time from now is like +1h or -30m: %w", err)
	}
	return time.Now().UTC().Add(d).Truncate(time.Second), nil
}

func appendTime(b []byte, member string, at time.Time) []byte {
	if at.IsZero() {
		return b
	}
	b = append(append(append(b, `,"`...), member...), `":"`...)
	return append(at.AppendFormat(b, time.RFC3339), '"')
}

package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// subject is one key, with what must have become of it in the end.
type subject struct {
	id, recall string
	numbers    []string     // any of which may ring: the second one is of a conflict
	rings      int          // that there must be
	atMost     bool         // rings is a bound: a cancel may come first or too late
	states     []call.State // that a ring may end in; empty with atMost
	plain      bool         // can be asked for again
}

// row returns the id of a ring's row.
func (s *subject) row(ring int) string {
	key := call.Key{Kind: call.KindVoice, NotificationID: s.id, RecipientID: "user-67890", RecallID: s.recall}
	return call.Naming{}.Row(key, ring)
}

// body returns a request for the subject, with further members.
func (s *subject) body(number string, at time.Time, more map[string]string) string {
	members := map[string]string{"notificationId": s.id, "recipientId": "user-67890", "requestedAt": at.Format(time.RFC3339Nano)}
	for name, value := range map[string]string{"destinationPhoneNumber": number, "recallId": s.recall} {
		if value != "" {
			members[name] = value
		}
	}
	maps.Copy(members, more)
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(text)
}

// fictitious returns the nth number of a fictitious range that answers; the last two digits decide its fate.
func fictitious(n, ending int) string {
	if ending < 0 {
		ending = n / 10 % 90
	}
	return fmt.Sprintf("+819000000%d%02d", n%10, ending)
}

// load sends what a life with this point needs, and lets time pass for it.
func (w *world) load(p point) {
	n := 2 + w.rng.IntN(3)
	switch needs(p.name) {
	case openAttempts:
		w.pass(pastLease)
		w.publish(1, kindCancel)
	case crowd:
		n += 12
	case cancels:
		w.publish(12, kindPlain)
		w.publish(5, kindCancel)
	case reopenings:
		w.reopen(4)
	case nothing:
	}
	w.publish(n, kindAny)
	w.reopen(1)
	for range w.rng.IntN(3) {
		w.queue.replay(w.clock.Now())
	}
}

// pastLease is later than a lease lasts.
const pastLease = 65 * time.Second

// kind is a kind of subject, by the draw that makes one.
type kind int

const (
	kindAny    kind = -1
	kindCancel kind = 10
	kindPlain  kind = 99
)

// publish sends n new requests.
func (w *world) publish(n int, k kind) {
	for range n {
		draw := w.rng.IntN(100)
		if k != kindAny {
			draw = int(k)
		}
		w.publishOne(draw)
	}
}

// publishOne sends the requests of a new subject. A draw of 0 to 99 says of which kind.
func (w *world) publishOne(draw int) {
	n := len(w.subjects)
	s := &subject{id: fmt.Sprintf("notification-%d-%d", w.setting.seed, n), numbers: []string{fictitious(n, -1)}, rings: 1, states: []call.State{call.Placed}}
	w.subjects = append(w.subjects, s)
	now := w.clock.Now()
	send := func(number string, at time.Time, more map[string]string) { w.queue.send(s.body(number, at, more), now) }
	switch {
	case draw < 10:
		other := fmt.Sprintf("+44770090%04d", n%90)
		s.numbers = append(s.numbers, other)
		send(s.numbers[0], now, nil)
		send(other, now, nil)
	case draw < 25: // a cancel, which arrives before or after its request
		s.atMost, s.states = true, nil
		send("", now, map[string]string{"action": "cancel"})
		send(s.numbers[0], now.Add(-time.Second), nil)
	case draw < 29: // in doubt when the answer to an earlier attempt was lost: a refusal says nothing about that one
		const notAllowed = 98
		s.numbers[0], s.rings, s.states = fictitious(n, notAllowed), 0, []call.State{call.Failed, call.InDoubt}
		send(s.numbers[0], now, nil)
	case draw < 33:
		s.rings, s.states = 0, []call.State{call.Expired}
		send(s.numbers[0], now.Add(-2*time.Minute), map[string]string{"notAfter": now.Add(-time.Minute).Format(time.RFC3339)})
	case draw < 43:
		s.recall = "recall-2"
		send(s.numbers[0], now, nil)
	default:
		s.plain = true
		send(s.numbers[0], now, nil)
	}
}

// reopen asks again for n keys whose window has passed, each once: each must ring once more. Before any window has passed it does nothing.
func (w *world) reopen(n int) {
	now := w.clock.Now()
	for ; n > 0 && w.reopened < w.reopenable; w.reopened++ {
		s := w.subjects[w.reopened]
		if !s.plain || s.rings != 1 {
			continue
		}
		n--
		s.rings = 2
		w.queue.send(s.body(s.numbers[0], now, nil), now)
	}
}

package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// anybody is the recipient of requests about whom nothing else is said.
const anybody = "user-67890"

// subject is one key, with what must have become of it in the end.
type subject struct {
	id, recall string
	to         string       // recipient
	profile    string       // empty: the default one
	numbers    []string     // any of which may ring: the second one is of a conflict
	rings      int          // that there must be
	atMost     bool         // rings is a bound: a cancel may come first or too late
	states     []call.State // that a ring may end in; empty with atMost
	plain      bool         // can be asked for again
}

// row returns the id of a ring's row.
func (s *subject) row(ring int) string {
	key := call.Key{Kind: call.KindVoice, NotificationID: s.id, RecipientID: s.to, RecallID: s.recall}
	return call.Naming{}.Row(key, ring)
}

// body returns a request for the subject, with further members.
func (s *subject) body(number string, at time.Time, more map[string]any) string {
	members := map[string]any{"notificationId": s.id, "recipientId": s.to, "requestedAt": at.Format(time.RFC3339Nano)}
	for name, value := range map[string]string{"destinationPhoneNumber": number, "recallId": s.recall, "profile": s.profile} {
		if value != "" {
			members[name] = value
		}
	}
	maps.Copy(members, more)
	text, err := json.Marshal(members)
	if err != nil {
		panic(err) // texts always encode
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
	case followers:
		w.pass(untilLooked)
		for _, k := range []kind{kindList, kindJoined, kindAgain} {
			w.publish(1, k)
		}
	case limited:
		w.publish(4, kindLimited)
	case garbage:
		w.litter(2)
	case nothing, chapter:
	}
	w.publish(n, kindAny)
	w.reopen(1)
	for range w.rng.IntN(3) {
		w.queue.replay(w.clock.Now())
	}
}

const (
	pastLease   = 65 * time.Second               // later than a lease lasts
	untilLooked = 3*time.Minute + 10*time.Second // later than a placed call's contact is looked at (docs/outcomes.md)
)

// kind is a kind of subject, by the draw that makes one.
type kind int

const (
	kindAny    kind = -1
	kindCancel kind = 10
	kindList   kind = 43
	kindJoined kind = 45
	kindAgain  kind = 47
	kindPlain  kind = 99

	kindLimited   kind = 100 // of the calls that a limit counts
	kindLate      kind = 101 // may ring for half a minute
	kindExpiring  kind = 102 // the same, to a number that is throttled
	kindThrottled kind = 103 // to such a number
	kindTired     kind = 104 // the same, of a profile that gives up after one attempt
)

// publish sends n new requests.
func (w *world) publish(n int, k kind) {
	for range n {
		draw := w.rng.IntN(100)
		if k != kindAny {
			draw = int(k)
		}
		w.publishOne(anybody, draw)
	}
}

// publishOne sends the requests of a new subject. A draw of 0 to 99 says of which kind; those above are asked for by name.
func (w *world) publishOne(to string, draw int) {
	s := w.subject(to)
	n := len(w.subjects) - 1
	now := w.clock.Now()
	send := func(number string, at time.Time, more map[string]any) { w.queue.send(s.body(number, at, more), now) }
	switch {
	case draw < 10:
		other := fmt.Sprintf("+44770090%04d", n%90)
		s.numbers = append(s.numbers, other)
		send(s.numbers[0], now, nil)
		send(other, now, nil)
	case draw < 25: // a cancel, which arrives before or after its request
		s.atMost, s.states = true, nil
		send("", now, map[string]any{"action": "cancel"})
		send(s.numbers[0], now.Add(-time.Second), nil)
	case draw < 29: // in doubt when the answer to an earlier attempt was lost: a refusal says nothing about that one
		const notAllowed = 98
		s.numbers[0], s.rings, s.states = fictitious(n, notAllowed), 0, []call.State{call.Failed, call.InDoubt}
		send(s.numbers[0], now, nil)
	case draw < 33:
		s.rings, s.states = 0, []call.State{call.Expired}
		send(s.numbers[0], now.Add(-2*time.Minute), map[string]any{"notAfter": now.Add(-time.Minute).Format(time.RFC3339)})
	case draw < int(kindList):
		s.recall = "recall-2"
		send(s.numbers[0], now, nil)
	case draw <= int(kindAgain)+1:
		w.publishFollowed(s, n, draw)
	case draw >= int(kindLimited):
		w.publishSpecial(s, n, kind(draw))
	default:
		s.plain = true
		send(s.numbers[0], now, nil)
	}
}

// subject makes one that must ring once.
func (w *world) subject(to string) *subject {
	n := len(w.subjects)
	s := &subject{id: fmt.Sprintf("notification-%d-%d", w.setting.seed, n), to: to, numbers: []string{fictitious(n, -1)}, rings: 1, states: []call.State{call.Placed}}
	w.subjects = append(w.subjects, s)
	return s
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

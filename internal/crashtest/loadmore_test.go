package crashtest

import (
	"fmt"
	"time"
)

// The numbers of the chapters, which the telephone network throttles until everything comes to an end (throttled), and the prefix of the calls that a
// limit counts.
const (
	limitPrefix    = "+1202555"
	numberExpiring = limitPrefix + "0186"
	numberHeld     = limitPrefix + "0187"
	numberTired    = limitPrefix + "0188"

	throttled = "throttle number=" + numberExpiring + "; throttle number=" + numberHeld + "; throttle number=" + numberTired + "; "
)

// The last two digits of numbers whose rings are followed.
const (
	busy     = 90
	noAnswer = 91
)

// asks sends the request of one new subject, for a recipient.
func (w *world) asks(to string, k kind) *subject {
	n := len(w.subjects)
	w.publishOne(to, int(k))
	return w.subjects[n]
}

// publishFollowed sends a request whose rings something follows.
func (w *world) publishFollowed(s *subject, n, draw int) {
	now := w.clock.Now()
	if draw >= int(kindAgain) { // a re-call rule rings once more, and the line is still busy
		s.profile, s.rings, s.numbers[0] = profileAgain, 2, fictitious(n, busy)
		w.queue.send(s.body(s.numbers[0], now, nil), now)
		return
	}
	// An escalation list of three: the first line is busy, the second does not answer, the third does, and nobody presses a key. Each rings once.
	s.numbers[0] = fictitious(n, busy)
	list := make([]map[string]string, 0, 2)
	for i, to := range []string{"second-on-call", "third-on-call"} {
		next := w.subject(to)
		next.id = s.id
		if i == 0 {
			next.numbers[0] = fictitious(n, noAnswer)
			if draw >= int(kindJoined) { // it is asked for by itself as well, and becomes the step
				w.queue.send(next.body(next.numbers[0], now, nil), now)
			}
		}
		list = append(list, map[string]string{"recipientId": to, "destinationPhoneNumber": next.numbers[0]})
	}
	w.queue.send(s.body(s.numbers[0], now, map[string]any{"escalation": list}), now)
}

// publishSpecial sends a request of the chapters, or one that a limit counts.
func (w *world) publishSpecial(s *subject, n int, k kind) {
	now := w.clock.Now()
	soon := map[string]any{"notAfter": now.Add(30 * time.Second).Format(time.RFC3339)}
	var more map[string]any
	switch k { //nolint:exhaustive // the others are no special ones
	case kindLate:
		s.atMost, s.states, more = true, nil, soon
	case kindExpiring:
		s.atMost, s.states, s.numbers[0], more = true, nil, numberExpiring, soon
	case kindThrottled:
		s.numbers[0] = numberHeld
	case kindTired:
		s.atMost, s.states, s.numbers[0], s.profile = true, nil, numberTired, profileTired
	default:
		s.numbers[0] = fmt.Sprintf("%s0%d", limitPrefix, 100+n%80)
	}
	w.queue.send(s.body(s.numbers[0], now, more), now)
}

// litter sends n messages that no request can be read from: each must be parked once.
func (w *world) litter(n int) {
	for range n {
		w.littered++
		w.queue.send(fmt.Sprintf("{\"litter\": %d", w.littered), w.clock.Now())
	}
}

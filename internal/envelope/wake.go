package envelope

import (
	"regexp"
	"time"
)

// Wake is a hint that a call may be due. It names the row and holds nothing of the request.
type Wake struct {
	Call string    // row id
	Due  time.Time // the due that the hint was given for
}

// IsWake reports whether the record is a hint that a call may be due; Wake is then set.
func (r Record) IsWake() bool { return r.Verdict == VerdictIgnore && r.Reason == ReasonWake }

// rowID is the form of a row id: 32 bytes in base64url without padding (protocol.md section 2).
var rowID = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// isWake recognizes the hint: exactly its four members, each in its own form. An object that has one more is something else, so a request
// with a member named ringonce stays a request. A hint of a later version is not understood and travels to the dead-letter queue.
func isWake(value raw, v *view) (Wake, bool) {
	if v.members != 4 || !v.get(keyRingonce).is("wake") || string(v.get(keyVersion)) != "1" {
		return Wake{}, false
	}
	call := value.member("call").text()
	due, err := time.Parse(time.RFC3339Nano, value.member("due").text())
	return Wake{Call: call, Due: due}, err == nil && rowID.MatchString(call)
}

// wake settles a hint. A text with a defect is refused for it, and is then no hint.
func (c *chain) wake(hint Wake) {
	c.ignore(ReasonWake)
	if c.record.IsWake() {
		c.record.Wake = &hint
	}
}

package envelope

import (
	"encoding/base64"
	"time"
)

// Wake is a hint that a call may be due. It names the row and holds nothing of the request.
type Wake struct {
	Call string    // row id
	Due  time.Time // the due that the hint was given for
}

// IsWake reports whether the record is a hint to act on; Wake is then set. A hint that was given up on its way is recognized and is none.
func (r Record) IsWake() bool { return r.Wake != nil }

// isRowID reports whether a text has the form of a row id: 32 bytes in base64url without padding (protocol.md section 2).
func isRowID(text string) bool {
	digest, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(digest) == 32 && base64.RawURLEncoding.EncodeToString(digest) == text // no line feeds, which decoding skips
}

// isWake recognizes the hint: exactly its four members, each in its own form. An object that has one more is something else, so a request
// with a member named ringonce stays a request. A hint of a later version is not understood and travels to the dead-letter queue.
func isWake(value raw, v *view) (Wake, bool) {
	if v.members != 4 || !v.get(keyRingonce).is("wake") || string(v.get(keyVersion)) != "1" {
		return Wake{}, false
	}
	call := value.member("call").text()
	due, err := time.Parse(time.RFC3339Nano, value.member("due").text())
	return Wake{Call: call, Due: due}, err == nil && isRowID(call)
}

package httpapi

import (
	"strconv"
	"strings"
	"time"
)

// waitOf returns how long a Prefer header asks to wait (RFC 7240, section 4.3): of several, the first; of none or a broken one, zero.
func waitOf(header string) time.Duration {
	for preference := range strings.FieldsFuncSeq(header, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil {
			return 0
		}
		return time.Duration(seconds) * time.Second
	}
	return 0
}

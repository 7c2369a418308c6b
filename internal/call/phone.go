package call

import (
	"fmt"
	"log/slog"
	"strings"
)

// Phone is a destination number in E.164 form. Every way of printing it masks it; only [Phone.Wire] gives the digits, and
// its callers are the dialer and the ledger.
type Phone struct{ e164 string }

// ParsePhone accepts exactly ^\+[1-9][0-9]{1,14}$ in ASCII and normalizes nothing (StartOutboundVoiceContact,
// DestinationPhoneNumber; ITU-T E.164: at most 15 digits).
func ParsePhone(s string) (Phone, error) {
	if len(s) < 3 || len(s) > 16 || s[0] != '+' || s[1] < '1' || s[1] > '9' {
		return Phone{}, errPhone()
	}
	for _, b := range []byte(s[2:]) {
		if b < '0' || b > '9' {
			return Phone{}, errPhone()
		}
	}
	return Phone{e164: s}, nil
}

func errPhone() error {
	return refuse(CodeFieldValue, "destinationPhoneNumber", "Send it as + and 2 to 15 ASCII digits, without spaces or an extension.",
		"The field destinationPhoneNumber is not an E.164 number.")
}

// Wire returns the number as it goes to Amazon Connect.
func (p Phone) Wire() string { return p.e164 }

// IsZero reports whether no number is set.
func (p Phone) IsZero() bool { return p.e164 == "" }

// String masks the number: the first two digits and the last four stay; of a number with fewer than 10 digits nothing does.
func (p Phone) String() string {
	if len(p.e164) < 11 {
		return strings.Repeat("*", len(p.e164))
	}
	tail := len(p.e164) - 4
	return p.e164[:3] + strings.Repeat("*", tail-3) + p.e164[tail:]
}

// Format masks the number under every verb, so that %s, %q, %v, %+v, %#v and %x cannot leak it.
func (p Phone) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(p.String())) }

// LogValue masks the number in structured logs.
func (p Phone) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText masks the number in JSON and every other text encoding. A ledger stores [Phone.Wire].
func (p Phone) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

package call

import (
	"fmt"
	"log/slog"
)

// Format prints the row with its number and stored bytes masked under every verb. A ledger stores [Call.Encode].
func (c Call) Format(f fmt.State, verb rune) {
	type plain Call // without methods
	masked := plain(c)
	masked.Destination = c.Phone().String()
	masked.Attributes = nil
	if c.Pin != "" {
		masked.Pin = fmt.Sprintf("[%d bytes]", len(c.Pin))
	}
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), masked)
}

// LogValue names the row in structured logs without anything a producer sent.
func (c Call) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("id", c.ID), slog.Int("ring", c.Ring), slog.String("state", string(c.State)), slog.Any("number", c.Phone()),
	)
}

// Format prints the opening with its number masked under every verb.
func (o Opening) Format(f fmt.State, verb rune) {
	type plain Opening // without methods
	masked := plain(o)
	masked.Destination = Phone{e164: o.Destination}.String()
	masked.Attributes = nil
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), masked)
}

// LogValue names the opening in structured logs without anything a producer sent.
func (o Opening) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("ring", o.Ring), slog.String("cause", string(o.Cause)), slog.Any("number", Phone{e164: o.Destination}))
}

// Format prints the recipient with its number masked under every verb.
func (r Recipient) Format(f fmt.State, verb rune) {
	type plain Recipient // without methods
	masked := plain(r)
	masked.Destination = r.Phone().String()
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), masked)
}

// LogValue names the recipient in structured logs without the number.
func (r Recipient) LogValue() slog.Value {
	return slog.GroupValue(slog.String("recipientId", r.RecipientID), slog.Any("number", r.Phone()))
}

// Format prints the turn with the number of its recipient masked under every verb, also behind a pointer.
func (t Turn) Format(f fmt.State, verb rune) {
	type plain Turn // without methods
	_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), plain(t))
}

// Package secret holds keys in a type that never prints them, and reads them from AWS Secrets Manager or the Systems Manager Parameter Store.
//
// It speaks to both services with two signed requests of its own instead of their clients (docs/adr/0012): the function reads one or two keys
// in its life, at its start, and the clients would cost 1.5 MB of it.
package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
)

// masked is what every way of printing a secret shows, whatever it holds.
const masked = "[secret]"

// Secret is a key that masks itself in every format, log and encoding. The zero value is an empty secret.
//
// The bytes lie behind a function, so that a structure that holds a secret in an unexported member prints an address and not them: there package
// fmt calls no methods, and it follows pointers.
type Secret struct{ value func() []byte }

// New returns a secret with a copy of the bytes.
func New(value []byte) Secret {
	own := bytes.Clone(value)
	return Secret{value: func() []byte { return own }}
}

// Reveal returns the bytes, for the one place that computes with them. They must not be changed.
func (s Secret) Reveal() []byte {
	if s.value == nil {
		return nil
	}
	return s.value()
}

// Drop overwrites the bytes, of this secret and of every copy of it that shares them. Whoever has them from Reveal sees zeros: nobody may compute with
// them any more. What was computed from them, and what the runtime or the kernel copied, it does not reach.
func (s Secret) Drop() { clear(s.Reveal()) }

// Len returns how many bytes there are.
func (s Secret) Len() int { return len(s.Reveal()) }

// String implements fmt.Stringer.
func (Secret) String() string { return masked }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return masked }

// Format implements fmt.Formatter, for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(masked)) }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }

// MarshalJSON implements json.Marshaler.
func (Secret) MarshalJSON() ([]byte, error) { return json.Marshal(masked) }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// trim returns the secret without a final line feed, which editors and shells add. The bytes it was read into are overwritten.
func trim(value []byte) Secret {
	defer clear(value)
	return New(bytes.TrimSuffix(value, []byte("\n")))
}

package measure

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/ringonce/ringonce/internal/call"
)

// Check recognizes the number, flow and caller id of an earlier run without holding the number: numbers are few, so the hash is made slow
// enough that trying all of a country takes years.
type Check struct {
	Salt   []byte `json:"salt,omitempty"`
	Rounds int    `json:"rounds,omitempty"` // of PBKDF2 with HMAC-SHA-256
	Hash   string `json:"hash,omitempty"`
}

// Rounds is how slow the hash is (OWASP Password Storage Cheat Sheet, PBKDF2-HMAC-SHA256).
const Rounds = 600_000

func newCheck(random io.Reader, rounds int, body []byte) (Check, error) {
	c := Check{Salt: make([]byte, 16), Rounds: rounds}
	if _, err := io.ReadFull(random, c.Salt); err != nil {
		return c, fmt.Errorf("read randomness: %w", err)
	}
	hash, err := c.of(body)
	c.Hash = hash
	return c, err
}

func (c Check) of(body []byte) (string, error) {
	key, err := pbkdf2.Key(sha256.New, string(body), c.Salt, c.Rounds, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("hash the number: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(key), nil
}

// fits reports whether the body is that of the earlier run.
func (c Check) fits(body []byte) (bool, error) {
	hash, err := c.of(body)
	return subtle.ConstantTimeCompare([]byte(hash), []byte(c.Hash)) == 1, err
}

// errOther refuses to go on with another number or flow: its bytes would differ, and the evidence with them.
func errOther() error {
	return &call.Error{
		Code: call.CodeConfiguration, Field: "--state", Message: "This state belongs to another number, instance, flow, queue or caller id.",
		Fix: "Give the number and the configuration that the measurement began with, or name another state file.",
	}
}

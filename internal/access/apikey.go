package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// An API key is ro_PREFIX_SECRET: 12 characters by which it is found, then 52 of 256 random bits and 7 of a checksum. The checksum lets a scanner of
// repositories, and this program, know a mistyped key without a look-up; it protects nothing.
const (
	keyMark    = "ro_"
	prefixSize = 12
	secretSize = 52
	sumSize    = 7
	keySize    = len(keyMark) + prefixSize + 1 + secretSize + sumSize
)

// letters are of RFC 4648 in small letters: a double click takes a key as one word, and no two of them look alike.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// secretKey is the text of an API key. No verb prints it.
type secretKey struct{ text string }

// Format implements fmt.Formatter: every verb prints that there is a key.
func (secretKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "(api key)") }

// newKey makes a key of randomness.
func newKey(random io.Reader) (secretKey, error) {
	var bits [8 + 32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return secretKey{}, fmt.Errorf("access: no randomness for a key: %w", err)
	}
	text := keyMark + letters.EncodeToString(bits[:8])[:prefixSize] + "_" + letters.EncodeToString(bits[8:])
	return secretKey{text: text + checksum(text)}, nil
}

func checksum(text string) string {
	return letters.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))))
}

// parseKey reports whether a text has the form of a key, checksum included.
func parseKey(text string) (secretKey, bool) {
	if len(text) != keySize || !strings.HasPrefix(text, keyMark) || text[len(keyMark)+prefixSize] != '_' {
		return secretKey{}, false
	}
	for i := len(keyMark); i < keySize; i++ {
		if c := text[i]; i != len(keyMark)+prefixSize && (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return secretKey{}, false
		}
	}
	body := text[:keySize-sumSize]
	return secretKey{text: text}, text[keySize-sumSize:] == checksum(body)
}

// prefix is what a key is found by; it is no secret.
func (k secretKey) prefix() string {
	return k.text[len(keyMark) : len(keyMark)+prefixSize]
}

// hash is what is stored. A key holds 256 random bits, so a slow hash would protect nothing that SHA-256 does not.
func (k secretKey) hash() string {
	sum := sha256.Sum256([]byte(k.text))
	return hex.EncodeToString(sum[:])
}

// same compares in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

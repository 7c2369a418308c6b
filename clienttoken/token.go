package clienttoken

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// frameRoom is how long a frame may be before it needs the heap, in bytes; ids of
// ordinary length fit.
const frameRoom = 256

// Token returns the token of in: the same for the same Maker options and input, in
// every process and for ever. Every error is an *Error; the token is then empty and
// nothing may be sent, because an SDK would fill an empty token with a random one.
func (m *Maker) Token(in Input) (string, error) {
	if err := in.checkCommon(); err != nil {
		return "", err
	}
	switch m.recipe {
	case SHA256, HMACSHA256:
		if err := in.checkIDs(); err != nil {
			return "", err
		}
		return hashIDs(m.key, &in), nil
	case Template:
		if err := in.checkIDs(); err != nil {
			return "", err
		}
		first, err := m.pattern.token(&in)
		if err != nil {
			return "", err
		}
		if err := checkLength(fieldTemplate, first); err != nil {
			return "", err
		}
		return atRing(first, in.Ring), nil
	case Message:
		return taken(CodeClientTokenMissing, fieldClientToken, in.ClientToken, &in)
	case EventID:
		return taken(CodeEventIDMissing, fieldEventID, in.EventID, &in)
	}
	return "", fail(CodeRecipeUnknown, fieldRecipe, "the Maker has no recipe", "make it with New")
}

// hashIDs hashes the frame of in, under the key if there is one. The two kinds have
// a frame each, so that the plain one stays on the stack.
func hashIDs(key []byte, in *Input) string {
	if key != nil {
		mac := hmac.New(sha256.New, key)
		mac.Write(appendFrame(nil, in))
		return hex.EncodeToString(mac.Sum(nil))
	}
	var room [frameRoom]byte
	return hexSHA256(appendFrame(room[:0], in))
}

// taken makes the token of a recipe that takes over a value made elsewhere.
func taken(missing, field, value string, in *Input) (string, error) {
	if err := checkPresent(missing, field, value); err != nil {
		return "", err
	}
	if err := checkLength(field, value); err != nil {
		return "", err
	}
	if in.KeySpace != "" {
		value = hexSHA256([]byte(in.KeySpace + "\n" + value))
	}
	return atRing(value, in.Ring), nil
}

// checkLength measures what people write. It runs before any hashing, so that a
// value is not refused in one key space or ring and accepted in another.
func checkLength(field, value string) error {
	if utf8.RuneCountInString(value) > MaxLength {
		return fail(CodeTokenTooLong, field, "the token is longer than 500 characters",
			"shorten the values it is made of or choose the recipe sha256")
	}
	return nil
}

// atRing turns the token of ring 0 into that of ring, for the recipes that do not
// hash a frame.
func atRing(first string, ring int) string {
	if ring == 0 {
		return first
	}
	return hexSHA256(appendRing([]byte(first), ring))
}

func hexSHA256(data []byte) string {
	sum := sha256.Sum256(data)
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}

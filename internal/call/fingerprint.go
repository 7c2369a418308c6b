package call

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf16"
)

// FingerprintVersion is the version of the canonical form below. Old versions stay computable.
const FingerprintVersion = 1

// Fingerprint hashes what the producer asked for: {version, kind, destinationPhoneNumber, attributes, profile as asked},
// plus the ids when they are not the key. Absent, null and {} are one value. requestedAt, notAfter, timeZone, urgent, action, unknown members and
// everything of the envelope stay out, so that no redelivery conflicts with itself (protocol.md section 2).
//
// The canonical form is JSON without spaces, members in the order of the list, attribute names in byte order. A quotation mark and
// a backslash get a backslash; every other character outside U+0020 to U+007E is \uXXXX in lower-case hex, as a surrogate pair
// above U+FFFF. It needs no JSON library of the same version to compute again.
func Fingerprint(k Key, r Request, ignore []string) string {
	var scratch [1024]byte
	buf := append(scratch[:0], `{"version":`...)
	buf = strconv.AppendInt(buf, FingerprintVersion, 10)
	buf = appendMember(buf, "kind", string(k.Kind))
	buf = appendMember(buf, "destinationPhoneNumber", r.Destination.Wire())
	buf = append(buf, `,"attributes":{`...)
	buf = appendAttributes(buf, r.Attributes, ignore)
	buf = append(buf, '}')
	buf = appendMember(buf, "profile", r.Profile)
	if k.Instead != "" {
		buf = appendMember(buf, "notificationId", r.NotificationID)
		buf = appendMember(buf, "recipientId", r.RecipientID)
		buf = appendMember(buf, "recallId", r.RecallID)
	}
	digest := sha256.Sum256(append(buf, '}'))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

func appendAttributes(buf []byte, attributes map[string]string, ignore []string) []byte {
	var scratch [16]string
	names := scratch[:0]
	for name := range attributes {
		if !slices.Contains(ignore, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendQuoted(buf, name)
		buf = append(buf, ':')
		buf = appendQuoted(buf, attributes[name])
	}
	return buf
}

func appendMember(buf []byte, name, value string) []byte {
	buf = append(buf, ',', '"')
	buf = append(buf, name...)
	buf = append(buf, '"', ':')
	return appendQuoted(buf, value)
}

// appendQuoted appends the value as the JSON string of the canonical form.
func appendQuoted(buf []byte, value string) []byte {
	buf = append(buf, '"')
	for _, r := range value {
		switch {
		case r == '"' || r == '\\':
			buf = append(buf, '\\', byte(r))
		case r >= ' ' && r <= '~':
			buf = append(buf, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			buf = appendEscape(appendEscape(buf, high), low)
		default:
			buf = appendEscape(buf, r)
		}
	}
	return append(buf, '"')
}

func appendEscape(buf []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(buf, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

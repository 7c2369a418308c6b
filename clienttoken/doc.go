// Package clienttoken derives the ClientToken of an API call from business ids,
// so that every process that handles the same logical request sends the same token.
//
// # Recipes
//
// The bare forms are for the unnamed key space; "+" joins strings, "\n" is one
// line feed (U+000A), and SHA-256 is written as 64 lower-case hexadecimal digits.
//
//	sha256       SHA-256(notificationId + "\n" + recipientId), with "\n" + recallId appended when there is one
//	hmac-sha256  HMAC-SHA256(key, the same bytes)
//	template     the template with its placeholders replaced
//	message      the producer's clientToken, unchanged
//	event-id     the EventBridge id, unchanged
//
// A named key space puts keySpace + "\n" in front of the bytes that sha256 and
// hmac-sha256 hash; message and event-id become SHA-256(keySpace + "\n" + value);
// a template must contain {keySpace}. Ring n > 0 appends "\n\n" + n (decimal, no
// leading zero) to the bytes that sha256 and hmac-sha256 hash; the other recipes
// use SHA-256(token of ring 0 + "\n\n" + n).
//
// # Values
//
// A value that a recipe reads is non-empty valid UTF-8 without control characters
// (general category Cc: U+0000 to U+001F and U+007F to U+009F). Line and paragraph
// separators, joiners and every other character are allowed. Nothing is trimmed,
// folded or normalized: the NFC and NFD spellings of one name are different ids,
// on purpose, because a normalization rule would have to be the same in every
// language and Unicode version that ever computes a token. Fields that a recipe
// does not read are ignored.
//
// # Templates
//
// The placeholders are {notificationId}, {recipientId}, {recallId} and {keySpace}.
// Each is replaced in one pass; a brace inside an id stays a brace. A template must
// contain {notificationId} and {recipientId}, otherwise all recipients of a
// notification would share one ring. A part of the identity that the template
// leaves out is refused rather than dropped: a recallId without {recallId}, a named
// key space without {keySpace}. A placeholder without a value is refused too.
//
// # Length
//
// A token has at most MaxLength characters, counted as Unicode code points. A filled
// template, a producer's clientToken and an event id are measured before they are
// hashed for a key space or a later ring.
//
// # What is injective
//
// Within one key space sha256 and hmac-sha256 hash different bytes for different
// (ids, ring); the proof is beside the framing in frame.go. Across key spaces there
// is one clash: the named key space a with the ids (b, c) and the unnamed key space
// with the ids (a, b) and the recallId c both hash a\nb\nc. The named key space a
// with the event id or clientToken b likewise hashes the bytes of the ids (a, b)
// under sha256. The formats are published and cannot change, so whoever stores tokens keeps
// them unique and refuses a clash for every recipe. Templates and producers' tokens
// are not injective at all: "a-{notificationId}-{recipientId}" gives one token for
// (x-y, z) and (x, y-z). Two named key spaces get one token under some templates only;
// Maker.SeparatesKeySpaces tells them.
//
// # Other operations of AWS
//
// For knows the idempotency parameters of 145 AWS operations, and Maker.For makes a token that is legal there from the same key: Provider
// hands it to a client of aws-sdk-go-v2, Rule.Fill sets it where the SDK fills nothing. docs/idempotent-apis.md is the table,
// docs/idempotency.md has a program for each of the common ones.
package clienttoken

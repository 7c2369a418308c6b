package call

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
)

// Key is the business identity of a logical request: two deliveries with the same key ask for the same call.
type Key struct {
	KeySpace       string `json:"keySpace,omitempty"` // the room in which the ids are unique; empty is the unnamed one
	Kind           Kind   `json:"kind"`
	NotificationID string `json:"notificationId"`
	RecipientID    string `json:"recipientId"`
	RecallID       string `json:"recallId,omitempty"`
	// Instead replaces the three ids under the recipes "event-id" and "message": the event id or the client token. The ids
	// then stay here for reading only and join the fingerprint.
	Instead string `json:"instead,omitempty"`
}

// IdentityMode says how ids become row ids. It is stored in the ledger and never changes (protocol.md section 2).
type IdentityMode string

// The identity modes.
const (
	IdentityPlain IdentityMode = "plain" // SHA-256: nothing to lose
	IdentityHMAC  IdentityMode = "hmac"  // HMAC-SHA256 under K_id, for ids that are personal or can be guessed
)

// Naming turns keys into row ids. The zero value is the plain mode.
type Naming struct {
	Mode   IdentityMode
	Secret []byte // K_id in hmac mode; it never rotates inside a key space
}

// Format implements fmt.Formatter: every verb prints the mode and never the secret.
func (n Naming) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("naming " + string(n.Mode))) }

// Row returns the id of the row of one ring: a hash over the key's fields and the ring number, each ended by 0x00, in
// base64url without padding, 43 characters. Ids hold no control characters, so the framing is injective.
func (n Naming) Row(k Key, ring int) string {
	var buf [512]byte
	return n.sum(append(strconv.AppendInt(k.frame(buf[:0]), int64(ring), 10), 0))
}

// Recipient returns the hash under which all calls of one recipient in one key space are found.
func (n Naming) Recipient(keySpace, recipientID string) string {
	var buf [256]byte
	return n.sum(frame(buf[:0], "recipient", keySpace, recipientID))
}

// Check returns a value that two processes share exactly when they share the mode and the secret. A ledger stores it.
func (n Naming) Check() string {
	return n.sum([]byte("ringonce identity check"))
}

// sum keeps nothing of what it is given, so that its callers may frame on their stacks: a row id is asked for several times in each act.
func (n Naming) sum(framed []byte) string {
	var digest [sha256.Size]byte
	if n.Mode == IdentityHMAC {
		mac := hmac.New(sha256.New, n.Secret)
		mac.Write(bytes.Clone(framed))
		copy(digest[:], mac.Sum(nil))
	} else {
		digest = sha256.Sum256(framed)
	}
	var text [(sha256.Size*8 + 5) / 6]byte
	base64.RawURLEncoding.Encode(text[:], digest[:])
	return string(text[:])
}

func (k Key) frame(dst []byte) []byte {
	if k.Instead != "" {
		return frame(dst, k.KeySpace, string(k.Kind), k.Instead)
	}
	return frame(dst, k.KeySpace, string(k.Kind), k.NotificationID, k.RecipientID, k.RecallID)
}

func frame(dst []byte, fields ...string) []byte {
	for _, field := range fields {
		dst = append(append(dst, field...), 0)
	}
	return dst
}

// Identity names what a key is made of.
type Identity string

// The identities, by token recipe (design.md section 4).
const (
	IdentityIDs         Identity = "ids"          // sha256, template, hmac-sha256
	IdentityClientToken Identity = "client-token" // message
	IdentityEventID     Identity = "event-id"     // event-id
)

// keyOf derives the key of a request, or the refusal that names the missing member.
func keyOf(d Delivery, keySpace string, kind Kind, identity Identity) (Key, error) {
	r := d.Request
	k := Key{
		KeySpace: keySpace, Kind: kind,
		NotificationID: r.NotificationID, RecipientID: r.RecipientID, RecallID: r.RecallID,
	}
	switch identity {
	case IdentityClientToken:
		if r.ClientToken == "" {
			return Key{}, refuse(CodeFieldMissing, "clientToken", "Send one, or choose another token.recipe.", "The field clientToken is missing and token.recipe is message.")
		}
		k.Instead = r.ClientToken
	case IdentityEventID:
		if d.EventID == "" {
			return Key{}, refuse(CodeFieldMissing, "id", "Route EventBridge events here, or choose another token.recipe.", "The delivery has no EventBridge id and token.recipe is event-id.")
		}
		if err := validateID("id", d.EventID, true); err != nil {
			return Key{}, err
		}
		k.Instead = d.EventID
	case IdentityIDs:
	}
	return k, nil
}

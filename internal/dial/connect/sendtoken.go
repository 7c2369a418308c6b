package connect

import (
	"bytes"
	"encoding/json"

	"github.com/ringonce/ringonce/internal/call"
)

// checkSendToken refuses a send whose token is missing, too long, or not the one in the stored bytes: without a token each
// request on the wire is a ring of its own.
func checkSendToken(s call.Send) error {
	if err := checkToken(s.Token); err != nil {
		return err
	}
	var scratch [160]byte
	if bytes.Contains(s.Body, appendMember(scratch[:0], "ClientToken", s.Token)) {
		return nil
	}
	// Stored by another serializer, or not stored by us at all: look at the member itself.
	// By its exact name, as the service reads it: a struct would take clientToken for it too.
	var body map[string]json.RawMessage
	var token string
	if json.Unmarshal(s.Body, &body) != nil || json.Unmarshal(body["ClientToken"], &token) != nil || token != s.Token {
		return refuse(call.CodeTokenInvalid, "clientToken", "Look for what changed the ledger.",
			"The stored body does not carry the client token of its call.")
	}
	return nil
}

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
	var body struct{ ClientToken string }
	if err := json.Unmarshal(s.Body, &body); err != nil || body.ClientToken != s.Token {
		return refuse(call.CodeTokenInvalid, "clientToken", "Look for what changed the ledger.",
			"The stored body does not carry the client token of its call.")
	}
	return nil
}

// Package problem writes what went wrong as problem documents (RFC 9457): one shape for every part that answers HTTP.
package problem

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/ringonce/ringonce/internal/call"
)

// Document is a problem document (RFC 9457, section 3) with our members: the stable code and the next step. It holds no personal data.
type Document struct {
	Type   string `json:"type"`             // a URN made of the code
	Title  string `json:"title"`            // of the status
	Status int    `json:"status"`           // as the response's
	Detail string `json:"detail,omitempty"` // one sentence with the field's name
	Code   string `json:"code"`             // stable: a script may look at it
	Fix    string `json:"fix,omitempty"`    // the next step
	CallID string `json:"callId,omitempty"` // the call that justified a conflict
}

// ContentType is of a problem document (RFC 9457, section 6.1).
const ContentType = "application/problem+json"

// New returns a problem of a code.
func New(status int, code, detail, fix string) Document {
	return Document{Type: "urn:ringonce:problem:" + code, Title: http.StatusText(status), Status: status, Detail: detail, Code: code, Fix: fix}
}

// Of returns the problem of an error: a *[call.Error] in its own words, anything else without a word of its text.
func Of(status int, err error) Document {
	if told, ok := errors.AsType[*call.Error](err); ok {
		return New(status, string(told.Code), told.Message, told.Fix)
	}
	return New(status, "internal", "The request could not be answered.", "Send it again; the log of the service says what happened.")
}

// Write answers with a problem.
func Write(w http.ResponseWriter, d Document) {
	body, err := json.Marshal(d)
	if err != nil { // strings and a number: cannot fail
		body = []byte(`{}`)
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(d.Status)
	_, _ = w.Write(body)
}

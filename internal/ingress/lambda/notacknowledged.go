package lambda

import (
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// NotAcknowledged is the error of an invocation that its source must keep: Lambda retries it, or moves it to the dead-letter queue
// or the on-failure destination. Its type name becomes the errorType of the invocation record. It holds no phone number and no id
// of the request.
type NotAcknowledged struct {
	Code    call.Code
	Message string
	Fix     string
	Path    string // JSON pointer of the first record that was not acknowledged, empty for the whole document
	Failed  int    // records that were not acknowledged
	Records int    // records of the document
}

// Refused is a [NotAcknowledged] that would end the same way next time: every record that was not acknowledged was refused for good. By its
// type name, the errorType of the invocation, a state machine can tell it from what is worth a Retry.
type Refused struct{ *NotAcknowledged }

// Unwrap returns the refusal as what it has in common with every other.
func (e *Refused) Unwrap() error { return e.NotAcknowledged }

// Error returns the code, the sentence, the next step and the place.
func (e *NotAcknowledged) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code) + ": " + e.Message)
	if e.Fix != "" {
		b.WriteString(" " + e.Fix)
	}
	if e.Path != "" {
		b.WriteString(" (record " + e.Path)
		if e.Records > 1 {
			fmt.Fprintf(&b, "; %d of %d records were not acknowledged", e.Failed, e.Records)
		}
		b.WriteString(")")
	}
	return b.String()
}

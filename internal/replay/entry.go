package replay

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// The verdicts of records that never reach the core, beside those of [call.Verdicts].
const (
	VerdictUnreadable call.Verdict = "unreadable" // no request could be read, or the source is not served
	VerdictEvidence   call.Verdict = "evidence"   // a contact event: it is merged into its call if it is about one of ours
	VerdictIgnored    call.Verdict = "ignored"    // no request by its shape
)

// Verdicts lists every verdict of a replay, those first that somebody must look at.
func Verdicts() []call.Verdict {
	return append(call.Verdicts(), VerdictUnreadable, VerdictEvidence, VerdictIgnored)
}

// Entry is one record of a replay.
type Entry struct {
	Number  int    // in the order of the replay, from 1
	Name    string // where it stands
	Message string // id of the queue's message; empty for files

	Document envelope.Document // that holds the record; its own list of records is empty
	Record   envelope.Record   // zero when there is a Problem

	Verdict call.Verdict
	Preview call.Preview // of a record that is a request
	Code    call.Code    // why it is unreadable or ignored
	Text    string       // one sentence about it
	Fix     string       // the next step

	Done    bool         // it was placed, or answered
	Outcome call.Outcome // when done
	Gone    bool         // its source gave it to others before it was done
	Err     error        // why its source could not be told
}

// Filter chooses records by the time they were first requested at, as far as the evidence goes. The zero value takes all.
type Filter struct {
	Since time.Time // not earlier
	Until time.Time // earlier
}

// takes reports whether the filter takes a record. One without evidence of its time is left out by every filter.
func (f Filter) takes(record envelope.Record) bool {
	if f.Since.IsZero() && f.Until.IsZero() {
		return true
	}
	at := record.FirstRequested.At
	return !at.IsZero() && !at.Before(f.Since) && (f.Until.IsZero() || at.Before(f.Until))
}

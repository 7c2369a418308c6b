package call

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Forgetting is a person's wish that a recipient is erased.
type Forgetting struct {
	RecipientID string
	KeySpace    string // the room of the id; empty is the unnamed one
	Actor       string
	Reason      string // required; it is kept, so it must not name the recipient
}

// Forgot is what became of the calls of a recipient.
type Forgot struct {
	Erased  []string  // ids of rows that this run erased
	Already []string  // ids of rows that an earlier run erased, and whose clean-up this one finished
	Waiting []Waiting // rows that are not erased yet: run it again
	Failed  []Unforgotten
}

// Unforgotten is a call whose key could not be forgotten because of an error: it, or another ring of its key, could not be read or written.
type Unforgotten struct {
	ID  string
	Err error
}

// Waiting is a call that cannot be forgotten yet, because it or another ring of its key may still ring.
type Waiting struct {
	ID    string
	State State
	Until time.Time // when the key can be forgotten, as far as is known now
}

// Until returns the time after which nothing waits any more, as far as is known now; zero when nothing waits.
func (f Forgot) Until() time.Time {
	var latest time.Time
	for _, w := range f.Waiting {
		if w.Until.After(latest) {
			latest = w.Until
		}
	}
	return latest
}

// Forget erases a recipient from every call of theirs, so that nothing but row ids and the evidence of rings is left. Calls that are open
// are canceled; they are erased when they are settled, by a further run. It can be run again at any time, and must be after an error.
// The error joins those of all calls in Failed, and of the clean-up.
func (e *Engine) Forget(ctx context.Context, f Forgetting) (Forgot, error) {
	if err := e.mayForget(f); err != nil {
		return Forgot{}, err
	}
	if err := e.MergeSpool(ctx); err != nil { // what waits there names no recipient; it is only better merged before
		e.Observer.Decided(ctx, Decided{What: "spool-failed", Reason: err.Error(), Alarm: true})
	}
	recipient := e.Naming.Recipient(f.KeySpace, f.RecipientID)
	run := forgetRun{Engine: e, wish: f, seen: map[string]bool{}}
	err := run.walk(ctx, recipient)
	scrubbed := e.Eraser.Scrub(ctx, recipient, slices.Concat(run.report.Erased, run.report.Already))
	for try := 1; scrubbed != nil && !definite(scrubbed) && try < writeTries; try++ {
		scrubbed = e.Eraser.Scrub(ctx, recipient, slices.Concat(run.report.Erased, run.report.Already))
	}
	return run.report, errors.Join(err, scrubbed)
}

// longestDigits is how many digits in a row a reason may have: more could be a phone number.
const longestDigits = 6

func (e *Engine) mayForget(f Forgetting) error {
	switch {
	case e.Eraser == nil || e.Index == nil:
		return refuse(CodeNeedsLedger, "", "Use a ledger that can erase.", "This ledger cannot forget.")
	case f.RecipientID == "":
		return refuse(CodeFieldMissing, "recipientId", "Name the recipient as the requests do.", "The recipient is missing.")
	case f.Reason == "":
		return refuse(CodeReasonMissing, "reason", "Say why, for example which request for erasure it answers.", "Forgetting a recipient needs a reason.")
	case strings.Contains(f.Reason, f.RecipientID) || mostDigits(f.Reason) > longestDigits:
		return refuse(CodeFieldValue, "reason", "Name the request for erasure instead.", "The reason is kept, and it names the recipient or holds what may be a phone number.")
	}
	return nil
}

// mostDigits returns the length of the longest run of digits, over the marks that numbers are grouped with.
func mostDigits(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			run++
		case strings.ContainsRune(" -.()/", r):
		default:
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

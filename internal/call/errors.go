package call

import (
	"errors"
	"fmt"
)

// Code is a stable, machine-readable name of a refusal or a failure. Codes are part of the public interface: they appear in
// logs, metrics, the CLI's JSON and the HTTP API, and never change their meaning.
type Code string

// The codes of refused requests and refused acts.
const (
	CodeFieldMissing       Code = "field_missing"
	CodeFieldValue         Code = "field_value"
	CodeAttributesTooLarge Code = "attributes_too_large"
	CodeProfileUnknown     Code = "profile_unknown"
	CodeRequestedInFuture  Code = "requested_at_in_future"
	CodeUndated            Code = "undated"
	CodeStale              Code = "stale"
	CodeConflict           Code = "conflict"
	CodeTokenTaken         Code = "token_taken"
	CodeTokenInvalid       Code = "token_invalid"
	CodeNeedsLedger        Code = "needs_ledger"
	CodeDestinationRefused Code = "destination_refused"
	CodeNotFound           Code = "not_found"
	CodeNotFinal           Code = "not_final"
	CodeNotSettled         Code = "not_settled"
	CodeRingMoved          Code = "ring_moved"
	CodeCanceledBeforeCall Code = "canceled_before_call"
	CodeReasonMissing      Code = "reason_missing"
	CodeLedgerUnavailable  Code = "ledger_unavailable"
	CodeLedgerWentBack     Code = "ledger_went_back"
	CodeBreach             Code = "invariant_breach"
	CodeContactUnconfirmed Code = "contact_unconfirmed"
	CodeRecoveryNotOpen    Code = "recovery_not_open"
	CodeDeadlineTooNear    Code = "deadline_too_near"
	CodeNoCredentials      Code = "credentials_unavailable" // of a dial that was not sent
	CodeConfiguration      Code = "configuration"
	CodeForgotten          Code = "forgotten"
	CodeDestinationDenied  Code = "destination_denied" // by the configured rules, before anything was dialed
	CodeNotHeld            Code = "not_held"           // of a person's release or drop
	CodeMayHaveRung        Code = "may_have_rung"      // of a person's re-call of a doubt, without the word that allows it
	CodeDoNotCall          Code = "do_not_call"        // its number is on the do-not-call list
	CodeNotTracked         Code = "not_tracked"        // asks for what needs the outcomes of calls, of a profile that does not track them
)

// Error is a refusal that a person can act on: a stable code, the field it is about, one sentence, and the next step. It
// never holds a full phone number.
type Error struct {
	Code    Code
	Field   string // the request member or configuration key, empty when none is to blame
	Message string // one sentence
	Fix     string // the next step
}

// Error returns the sentence and the next step.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Fix != "" {
		text += " " + e.Fix
	}
	return text
}

// Is reports whether target is an Error of the same code, so that errors.Is(err, &Error{Code: c}) asks for the code.
func (e *Error) Is(target error) bool {
	var other *Error
	return errors.As(target, &other) && other.Code == e.Code && other.Field == ""
}

// CodeOf returns the code of the first Error in err's chain, or the empty code.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func refuse(code Code, field, fix, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// The errors a [Ledger] promises. Any other error of a ledger is ambiguous: the write may have been applied. The core then
// sends the same write with the same op id again, and returns the delivery to its source when that fails too.
var (
	// ErrNotFound says that no row has the id.
	ErrNotFound = errors.New("no such call in the ledger")
	// ErrTokenTaken says that another row already owns the client token: nothing was written.
	ErrTokenTaken = errors.New("the client token belongs to another call")
	// ErrWentBack says that the ledger is older than its witness: it must not be dialed from until it is recovered.
	ErrWentBack = errors.New("the ledger went back in time")
	// ErrInUse says that another process holds the ledger: rows cannot be written beside it.
	ErrInUse = errors.New("another process holds the ledger")
	// ErrNewerRow says that a row was written by a newer version of this program and must not be touched.
	ErrNewerRow = errors.New("the row was written by a newer version")
)

func errorAs(err error) (*Error, bool) { return errors.AsType[*Error](err) }

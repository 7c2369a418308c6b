package dynamodb

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/call"
)

var (
	errClosed   = errors.New("the ledger is closed")
	errReadOnly = errors.New("the ledger was opened for reading only")
)

// refusal is a call.Error with the error behind it. Only the first is printed, both are found by errors.Is and errors.As.
type refusal struct {
	shown *call.Error
	cause error
}

// Error returns the sentence and the next step.
func (r *refusal) Error() string { return r.shown.Error() }

// Unwrap returns what is shown and what is behind it.
func (r *refusal) Unwrap() []error { return []error{r.shown, r.cause} }

func unavailable(cause error, fix, format string, args ...any) error {
	shown := &call.Error{Code: call.CodeLedgerUnavailable, Field: "ledger.table", Message: fmt.Sprintf(format, args...), Fix: fix}
	return &refusal{shown: shown, cause: cause}
}

// throttled reports an answer by which DynamoDB says that it did not carry the request out and that it may be sent again
// (Amazon DynamoDB Developer Guide, "Error handling with DynamoDB": ProvisionedThroughputExceeded, RequestLimitExceeded, Throttling).
// A 500 or 503 is not among them: the same page says that a write may have succeeded then.
func throttled(err error) bool {
	coded, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return false
	}
	switch coded.ErrorCode() {
	case "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException":
		return true
	}
	return false
}

// lost returns the answer to a compare that failed. The item in it may be empty.
func lost(err error) (*types.ConditionalCheckFailedException, bool) {
	return errors.AsType[*types.ConditionalCheckFailedException](err)
}

// explain turns what DynamoDB or the way to it answered into a sentence. Errors that a person must repair name the setting; every other
// error leaves the fate of a write unknown.
func (l *Ledger) explain(err error, during string) error {
	coded, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return fmt.Errorf("ledger: %s: %w", during, err)
	}
	switch coded.ErrorCode() {
	case "ResourceNotFoundException":
		return unavailable(err, "Create the table, or correct ledger.table and ledger.region.",
			"The table %s, or an index of it, does not exist in %s; nothing was written.", l.options.Table, l.options.Region)
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "MissingAuthenticationTokenException":
		return unavailable(err, "Grant the ledger's actions on the table to this role, or renew its credentials.",
			"AWS refuses this process (%s) while it was to %s; nothing was written.", coded.ErrorCode(), during)
	}
	return fmt.Errorf("ledger: %s: %w", during, err)
}

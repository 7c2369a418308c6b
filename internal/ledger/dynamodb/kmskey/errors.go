package kmskey

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringonce/ringonce/internal/call"
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
	shown := &call.Error{Code: call.CodeLedgerUnavailable, Field: "ledger.kms_key", Message: fmt.Sprintf(format, args...), Fix: fix}
	if cause == nil {
		return shown
	}
	return &refusal{shown: shown, cause: cause}
}

// mayPass reports a failure after which the same request may succeed: no answer, a 5xx, or one of the codes with which KMS asks for
// patience (AWS KMS API Reference, errors of Decrypt and GenerateDataKey; KMS Developer Guide, "Throttling requests").
func mayPass(err error) bool {
	coded, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return true
	}
	switch coded.ErrorCode() {
	case "ThrottlingException", "RequestLimitExceeded", "KeyUnavailableException", "DependencyTimeoutException", "KMSInternalException":
		return true
	}
	response, ok := errors.AsType[*smithyhttp.ResponseError](err)
	return ok && response.HTTPStatusCode() >= 500
}

// explain turns what KMS or the way to it answered into a sentence.
func explain(ctx context.Context, err error, arn, permission string) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	coded, ok := errors.AsType[smithy.APIError](err)
	code := ""
	if ok {
		code = coded.ErrorCode()
	}
	switch code {
	case "AccessDeniedException":
		return unavailable(err, "Allow "+permission+" on this key in the role's policy and in the key's own; a condition on kms:EncryptionContext must name the table.",
			"AWS KMS refuses %s on %s to this process.", permission, arn)
	case "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "MissingAuthenticationTokenException", "InvalidClientTokenId":
		return unavailable(err, "Renew the credentials of this process.", "AWS KMS does not take the credentials of this process (%s).", code)
	case "NotFoundException":
		return unavailable(err, "Correct ledger.kms_key. The calls that a deleted key encrypted cannot be read any more.", "The KMS key %s does not exist.", arn)
	case "DisabledException", "KMSInvalidStateException":
		return unavailable(err, "Enable the key, or cancel its deletion; until then no encrypted call can be read or written.",
			"The KMS key %s is disabled or about to be deleted (%s).", arn, code)
	case "InvalidKeyUsageException", "InvalidArnException", "ValidationException":
		return unavailable(err, "Name a symmetric key for encryption, or an alias of one.", "The KMS key %s cannot make data keys (%s).", arn, code)
	case "InvalidCiphertextException", "IncorrectKeyException":
		return unavailable(err, "Restore the item of the data key from a backup.", "A stored data key is not what the KMS key %s sealed for this ledger (%s).", arn, code)
	}
	return unavailable(err, "The delivery goes back to its source; check AWS KMS and the way to it.", "AWS KMS did not answer %s for %s.", permission, arn)
}

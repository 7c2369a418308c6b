package record

import (
	"errors"
	"fmt"

	"github.com/aws/smithy-go"
)

// Refused wraps an error of an AWS SDK with ErrNothingHappened where the service says that the request is at fault, which holds only for a
// client that sends one wire request (aws.NopRetryer): the SDK reports the last of its attempts, and an earlier one may have had the effect.
func Refused(err error) error {
	if failure, ok := errors.AsType[smithy.APIError](err); ok && failure.ErrorFault() == smithy.FaultClient {
		return fmt.Errorf("%w: %w", ErrNothingHappened, err)
	}
	return err
}

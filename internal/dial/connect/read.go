package connect

import (
	"context"
	"errors"
	"fmt"

	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/call"
)

// read runs one operation that cannot ring, under the dialer's time limit.
//
// The SDK's retries are off here too. It would sleep on the machine's clock, not on the injected one, and spend the budget of
// SearchContacts (one request in two seconds) three times over; whoever looks for evidence looks again on a schedule.
func (d *Dialer) read(
	ctx context.Context, what string, t call.Target, run func(context.Context, *awsconnect.Client) error,
) error {
	client, err := d.client(t.Region)
	if err != nil {
		return err
	}
	ctx, end := d.bound(ctx)
	defer end()
	if err := run(ctx, client); err != nil {
		return readError(ctx, what, err)
	}
	return nil
}

// errIncomplete says that an answer was a success and lacks what the API promises: a proxy's, or one that was cut. It says nothing.
var errIncomplete = errors.New("the answer lacks a member that the API promises")

// readError returns an *[call.Error] with the service's error name, or an error that wraps the context's. The SDK's own error is
// not kept: it repeats what the service said, and that may hold a number.
func readError(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return &call.Error{Code: CodeConnectionLost, Message: tidy(what+": "+err.Error(), ""), Fix: "Try again later."}
	}
	return &call.Error{
		Code:    snake(family(api.ErrorCode())),
		Message: tidy(what+": Amazon Connect answered "+api.ErrorCode()+": "+api.ErrorMessage(), ""),
		Fix:     "Try again later, or look at the permissions of the dialer.",
	}
}

// isNamed reports whether the service answered with one of the error names, given without the word Exception.
func isNamed(err error, names ...string) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return false
	}
	for _, name := range names {
		if family(api.ErrorCode()) == name {
			return true
		}
	}
	return false
}

// checkContactID refuses ids that would not be a path of their own (DescribeContact, ContactId: 1 to 256 characters).
func checkContactID(id string) error {
	if id == "" || len(id) > 256 {
		return refuse(call.CodeFieldValue, "contactId", "Use the id that Amazon Connect gave.", "The contact id has %d characters.", len(id))
	}
	return nil
}

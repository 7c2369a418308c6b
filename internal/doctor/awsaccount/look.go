package awsaccount

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/doctor"
)

// look sends one operation and turns its error into a [doctor.Unseen].
func look[I, O, F any](ctx context.Context, a *Account, read Read, resource string, in I, send func(context.Context, I, ...F) (O, error)) (O, error) {
	ctx, cancel := context.WithTimeout(ctx, a.lookWithin)
	defer cancel()
	out, err := send(ctx, in)
	if err != nil {
		return out, unseen(read, resource, err)
	}
	return out, nil
}

var (
	denials  = []string{"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "NotAuthorized", "NotAuthorizedException", "AuthorizationError"}
	absences = []string{
		"ResourceNotFoundException", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "NoSuchResourceException", "TableNotFoundException",
	}
	// phone finds what could be a telephone number in the words of a service.
	phone = regexp.MustCompile(`\+[0-9]{5,}`)
)

// longestReason bounds what is repeated of a service's words.
const longestReason = 300

func unseen(read Read, resource string, err error) error {
	u := &doctor.Unseen{Action: read.Action, Resource: resource, Reason: clean(err.Error())}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return u
	}
	code := api.ErrorCode()
	u.Denied, u.Absent, u.Draft = slices.Contains(denials, code), slices.Contains(absences, code), code == "ContactFlowNotPublishedException"
	u.Reason = clean("the service answered " + code + ": " + api.ErrorMessage())
	return u
}

func clean(text string) string {
	text = phone.ReplaceAllString(strings.Join(strings.Fields(text), " "), "+***")
	if len(text) > longestReason {
		text = strings.ToValidUTF8(text[:longestReason], "") + "..."
	}
	return text
}

// missing is the error of an answer that lacks what it promises.
func missing(read Read, resource, what string) error {
	return &doctor.Unseen{Action: read.Action, Resource: resource, Reason: "the answer lacks " + what}
}

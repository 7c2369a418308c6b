package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
)

// environment reads credentials from the variables that Lambda sets, at each use, so that rotated ones are seen. Beside an
// emulator and without variables it returns the emulator's own. Without either it asks roles, where there is such a thing.
type environment struct {
	lookup func(string) (string, bool)
	test   bool
	roles  aws.CredentialsProvider
}

var (
	errNoCredentials   = errors.New("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set")
	errHalfCredentials = errors.New("one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set without the other")
)

// Retrieve implements aws.CredentialsProvider.
func (e environment) Retrieve(ctx context.Context) (aws.Credentials, error) {
	id, _ := e.lookup("AWS_ACCESS_KEY_ID")
	secret, _ := e.lookup("AWS_SECRET_ACCESS_KEY")
	session, _ := e.lookup("AWS_SESSION_TOKEN")
	switch {
	case id != "" && secret != "":
		return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: session, Source: "environment"}, nil
	case e.test:
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test", Source: "emulator"}, nil
	case id != "" || secret != "": // a role would be another one than whoever set it means
		return aws.Credentials{}, errHalfCredentials
	case e.roles == nil:
		return aws.Credentials{}, errNoCredentials
	}
	c, err := e.roles.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("%w, and %w", errNoCredentials, err)
	}
	return c, nil
}

// CheckCredentials says why nothing could be dialed for want of credentials; nil when there are some, which does not say that AWS takes them.
func (a *App) CheckCredentials(ctx context.Context) error {
	if _, err := a.Signs.Retrieve(ctx); err != nil {
		return &call.Error{
			Code: call.CodeNoCredentials, Message: "There are no credentials to dial with: " + err.Error() + ".",
			Fix: "Give the process a role or variables, as docs/serve.md says under Credentials.",
		}
	}
	return nil
}

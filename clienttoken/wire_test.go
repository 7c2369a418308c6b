package clienttoken_test

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// anonymous are credentials that open nothing.
type anonymous struct{}

func (anonymous) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) Do(r *http.Request) (*http.Response, error) { return f(r) }

// capture is an HTTP client that keeps the clientToken of the query and answers that all is well.
func capture(token *string) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		*token = r.URL.Query().Get("clientToken")
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}
}

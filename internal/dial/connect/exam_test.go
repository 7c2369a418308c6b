package connect

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/dialtest"
)

// keys is a provider of fixed credentials.
func keys(key, secret string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret, Source: "test"}, nil
	})
}

// dialerFor opens the dialer that a lab asks for.
func dialerFor(tb testing.TB, lab *dialtest.Lab, tune func(*Options)) *Dialer {
	tb.Helper()
	o := Options{Credentials: keys(lab.Key, lab.Secret), Clock: lab.Clock, Endpoint: lab.Endpoint, NonProduction: true}
	if tune != nil {
		tune(&o)
	}
	d, err := New(o)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return d
}

func TestTheDialerPassesTheExam(t *testing.T) {
	t.Parallel()
	dialtest.Run(t, func(tb testing.TB, lab *dialtest.Lab) call.Dialer {
		tb.Helper()
		return dialerFor(tb, lab, nil)
	})
}

func TestTheDialerPassesTheExamOnKeptConnections(t *testing.T) {
	t.Parallel()
	dialtest.Run(t, func(tb testing.TB, lab *dialtest.Lab) call.Dialer {
		tb.Helper()
		transport := &http.Transport{}
		tb.Cleanup(transport.CloseIdleConnections)
		return dialerFor(tb, lab, func(o *Options) { o.HTTPClient = &http.Client{Transport: transport} })
	})
}

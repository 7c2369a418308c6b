package connect

import (
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// The bounds of [Options.Timeout] (protocol.md section 4: retries off, 10 to 15 s timeout).
const (
	DefaultTimeout = 12 * time.Second
	MinTimeout     = 10 * time.Second
	MaxTimeout     = 15 * time.Second
)

// Options is what a [Dialer] is made of. Credentials and Clock are required. The Region is not here: it is pinned with each
// call, and the dialer makes one client for each Region it meets.
type Options struct {
	// Credentials sign the requests. They are cached here unless they already are.
	Credentials aws.CredentialsProvider
	// Clock gives the date of signatures and measures the time limit. It is the clock of the leases.
	Clock call.Clock
	// Timeout ends one dial, one read or one hang-up. Zero means 12 s; else 10 s to 15 s.
	Timeout time.Duration
	// HTTPClient replaces the dialer's own clients, for dials and reads alike. Nil means HTTP/1.1, one connection for each
	// dial. Redirects are never followed with an *http.Client; another kind of client must not follow them.
	HTTPClient awsconnect.HTTPClient
	// Endpoint replaces the address of Amazon Connect, for an emulator. It is refused in production, where an endpoint of
	// one's own could delay or sign requests again (protocol.md section 5). No variable and no file does the same.
	Endpoint string
	// NonProduction allows Endpoint.
	NonProduction bool
}

// check returns an *[call.Error] that names the first option that cannot be used.
func (o Options) check() error {
	if o.Credentials == nil {
		return refuse(call.CodeConfiguration, "connect.credentials", "Give the dialer a credentials provider.",
			"The dialer has no AWS credentials.")
	}
	if o.Clock == nil {
		return refuse(call.CodeConfiguration, "clock", "Give the dialer the clock that the leases use.", "The dialer has no clock.")
	}
	if o.Timeout != 0 && (o.Timeout < MinTimeout || o.Timeout > MaxTimeout) {
		return refuse(call.CodeConfiguration, "connect.timeout", "Use 10s to 15s, or leave it out for 12s.",
			"The setting connect.timeout is %v.", o.Timeout)
	}
	if o.NonProduction {
		return checkEndpoint(o.Endpoint)
	}
	if o.Endpoint != "" {
		return refuse(call.CodeConfiguration, "connect.endpoint", "Remove it, or mark the configuration as not for production.",
			"The setting connect.endpoint replaces Amazon Connect in a production configuration.")
	}
	return nil
}

func checkEndpoint(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return refuse(call.CodeConfiguration, "connect.endpoint", "Write it like http://127.0.0.1:7465.",
			"The setting connect.endpoint is not the address of an HTTP server.")
	}
	return nil
}

func refuse(code call.Code, field, fix, format string, args ...any) *call.Error {
	return &call.Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...), Fix: fix}
}

package dynamodb

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"github.com/ringonce/ringonce/internal/trace"
)

// newClient makes the client from its options, without the SDK's configuration loader: that one reads files and the environment, costs
// milliseconds at every start, and the environment must not move a ledger.
func newClient(o Options) *awsdynamodb.Client {
	options := awsdynamodb.Options{
		Region: o.Region, Credentials: aws.NewCredentialsCache(o.Credentials), HTTPClient: o.HTTPClient, Retryer: aws.NopRetryer{},
		AccountIDEndpointMode: aws.AccountIDEndpointModeDisabled, APIOptions: []func(*middleware.Stack) error{trace.Install},
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
	}
	if options.HTTPClient == nil {
		options.HTTPClient = newHTTPClient()
	}
	return awsdynamodb.New(options)
}

// newHTTPClient keeps enough connections for a Lambda batch, and none longer than the idle time of the far end.
func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: false, MaxIdleConnsPerHost: 32,
			IdleConnTimeout: 50 * time.Second, TLSHandshakeTimeout: 2 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// throttleTries is how often a throttled request is sent; the pauses between are 25, 50 and 100 ms.
const throttleTries = 4

// ask sends one request, and again while DynamoDB says that it refused to look at it. No other answer leads to a second request.
func ask[I, O any](ctx context.Context, l *Ledger, during string, in I, send func(context.Context, I, ...func(*awsdynamodb.Options)) (O, error)) (O, error) {
	for try := 1; ; try++ {
		out, err := once(ctx, l.options.Timeout, in, send)
		if err == nil {
			return out, nil
		}
		if ended := ctx.Err(); ended != nil {
			return out, ended
		}
		if try == throttleTries || !throttled(err) {
			return out, l.explain(err, during)
		}
		if err := l.options.Clock.Sleep(ctx, 25*time.Millisecond<<(try-1)); err != nil {
			return out, err
		}
	}
}

func once[I, O any](ctx context.Context, limit time.Duration, in I, send func(context.Context, I, ...func(*awsdynamodb.Options)) (O, error)) (O, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return send(ctx, in)
}

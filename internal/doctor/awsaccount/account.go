package awsaccount

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/ringonce/ringonce/internal/call"
)

// Options is what an [Account] is made of.
type Options struct {
	Region      string
	Credentials aws.CredentialsProvider
	Clock       call.Clock // signs requests to Amazon Connect, and is compared with the clock of AWS
	// HTTPClient replaces the package's own; nil means a client with a time-out that follows no redirects.
	HTTPClient *http.Client
	// Endpoint replaces the address of every service but Amazon Connect and DynamoDB, which have their own, for emulators.
	Endpoint, ConnectEndpoint, TableEndpoint string
}

// Account looks at one account and Region. It is safe for concurrent use.
type Account struct {
	region string
	watch  *watch

	sts        *sts.Client
	connect    *connect.Client
	quotas     *servicequotas.Client
	sqs        *sqs.Client
	lambda     *lambda.Client
	events     *eventbridge.Client
	schedules  *scheduler.Client
	dynamodb   *dynamodb.Client
	lookWithin time.Duration
}

// lookTime bounds one look with its retries; a doctor that hangs helps nobody.
const lookTime = 20 * time.Second

// New returns an account to look at. It sends nothing yet, and reads neither files nor the environment.
func New(o Options) *Account {
	client := o.HTTPClient
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	w := &watch{inner: client, clock: o.Clock}
	config := aws.Config{
		Region: o.Region, Credentials: aws.NewCredentialsCache(o.Credentials), HTTPClient: w,
		Retryer: func() aws.Retryer { return retry.NewStandard(func(s *retry.StandardOptions) { s.MaxAttempts = 3 }) },
	}
	if o.Endpoint != "" {
		config.BaseEndpoint = &o.Endpoint
	}
	return &Account{
		region: o.Region, watch: w, lookWithin: lookTime,
		sts: sts.NewFromConfig(config), quotas: servicequotas.NewFromConfig(config), sqs: sqs.NewFromConfig(config),
		lambda: lambda.NewFromConfig(config), events: eventbridge.NewFromConfig(config), schedules: scheduler.NewFromConfig(config),
		connect: connect.NewFromConfig(config, func(c *connect.Options) {
			c.HTTPSignerV4 = signer{v4.NewSigner(), o.Clock}
			if o.ConnectEndpoint != "" {
				c.BaseEndpoint = &o.ConnectEndpoint
			}
		}),
		dynamodb: dynamodb.NewFromConfig(config, func(c *dynamodb.Options) {
			c.AccountIDEndpointMode = aws.AccountIDEndpointModeDisabled
			if o.TableEndpoint != "" {
				c.BaseEndpoint = &o.TableEndpoint
			}
		}),
	}
}

// signer signs by the injected clock, which in tests is that of the emulator.
type signer struct {
	inner connect.HTTPSignerV4
	clock call.Clock
}

// SignHTTP implements connect.HTTPSignerV4.
func (s signer) SignHTTP(
	ctx context.Context, credentials aws.Credentials, r *http.Request, payloadHash, service, region string, _ time.Time,
	options ...func(*v4.SignerOptions),
) error {
	return s.inner.SignHTTP(ctx, credentials, r, payloadHash, service, region, s.clock.Now().UTC(), options...)
}

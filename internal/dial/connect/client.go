package connect

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	smithyendpoints "github.com/aws/smithy-go/endpoints"
	"github.com/aws/smithy-go/middleware"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/trace"
)

// client returns the client of a Region and makes it at the first use, which takes microseconds.
func (d *Dialer) client(region string) (*awsconnect.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if client, ok := d.clients[region]; ok {
		return client, nil
	}
	client, err := d.newClient(region)
	if err != nil {
		return nil, err
	}
	d.clients[region] = client
	return client, nil
}

// newClient makes a client from its options, without the SDK's configuration loader: that one reads files and the environment
// and costs milliseconds, and the environment must not move this client anyway.
func (d *Dialer) newClient(region string) (*awsconnect.Client, error) {
	endpoint, err := d.endpoint(region)
	if err != nil {
		return nil, err
	}
	return awsconnect.New(awsconnect.Options{
		Region:             region,
		Credentials:        d.options.Credentials,
		HTTPClient:         d.http,
		Retryer:            aws.NopRetryer{},
		EndpointResolverV2: fixedEndpoint{endpoint},
		HTTPSignerV4:       signer{inner: v4.NewSigner(), clock: d.options.Clock},
		APIOptions:         []func(*middleware.Stack) error{storedBytes{}.install, trace.Install},
	}), nil
}

// endpoint asks the SDK's rules once, so that they are not evaluated for each call.
func (d *Dialer) endpoint(region string) (smithyendpoints.Endpoint, error) {
	if !isRegion(region) {
		return smithyendpoints.Endpoint{}, refuse(call.CodeConfiguration, "region", "Use a name such as us-east-1.",
			"The Region of the call is not the name of an AWS Region.")
	}
	parameters := awsconnect.EndpointParameters{Region: aws.String(region)}
	if d.options.Endpoint != "" {
		parameters.Endpoint = aws.String(d.options.Endpoint)
	}
	endpoint, err := awsconnect.NewDefaultEndpointResolverV2().ResolveEndpoint(context.Background(), parameters)
	if err != nil {
		return smithyendpoints.Endpoint{}, fmt.Errorf("resolve the endpoint of Amazon Connect in %s: %w", region, err)
	}
	return endpoint, nil
}

// fixedEndpoint is an endpoint that is already known.
type fixedEndpoint struct{ endpoint smithyendpoints.Endpoint }

// ResolveEndpoint returns the endpoint.
func (f fixedEndpoint) ResolveEndpoint(context.Context, awsconnect.EndpointParameters) (smithyendpoints.Endpoint, error) {
	return f.endpoint, nil
}

// isRegion reports whether the name can stand in a host name and nothing else can be smuggled in with it.
func isRegion(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return len(name) >= 3 && len(name) <= 32
}

// credentials marks the errors of a provider, which would otherwise look like any other.
type credentials struct{ provider aws.CredentialsProvider }

// Retrieve asks the provider.
func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	value, err := c.provider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, &credentialsError{err}
	}
	return value, nil
}

// credentialsError says that no credentials could be had.
type credentialsError struct{ err error }

// Error returns the provider's words.
func (e *credentialsError) Error() string { return "retrieve credentials: " + e.err.Error() }

// Unwrap returns the provider's error.
func (e *credentialsError) Unwrap() error { return e.err }

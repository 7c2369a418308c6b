// Package rolecreds fetches the credentials that AWS hands to a process that lives: of an IAM role for a service account, of a task or pod, of
// an instance. They expire and are fetched again. It is apart from package app so that the Lambda binary, whose variables hold its role's
// credentials, does not link it.
//
// Nothing here reads a shared configuration file or an endpoint variable of an SDK, and none of the requests to this machine or its link goes
// through a proxy, which could read what they carry.
package rolecreds

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// The variables that say where credentials come from (AWS SDKs and Tools Reference Guide, "Standardized credential providers").
const (
	webTokenFile   = "AWS_WEB_IDENTITY_TOKEN_FILE" //nolint:gosec // G101: the name of a variable
	webRole        = "AWS_ROLE_ARN"
	webSession     = "AWS_ROLE_SESSION_NAME"
	region         = "AWS_REGION"
	otherRegion    = "AWS_DEFAULT_REGION"
	relativeURI    = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
	fullURI        = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
	containerToken = "AWS_CONTAINER_AUTHORIZATION_TOKEN"      //nolint:gosec // G101: the name of a variable
	containerFile  = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE" //nolint:gosec // G101: the name of a variable
	imdsDisabled   = "AWS_EC2_METADATA_DISABLED"
	imdsMode       = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"
	imdsEndpoint   = "AWS_EC2_METADATA_SERVICE_ENDPOINT"
)

// early is how long before their end credentials are fetched again, so that no request carries some that end on its way.
const early = 5 * time.Minute

// errNone says that nothing around this process hands it credentials.
var errNone = errors.New("nothing hands this process credentials: no variable names a web identity or a container's credentials, and " +
	imdsDisabled + " keeps it from the metadata service of an instance")

// Provider is an aws.CredentialsProvider for a whole process. It looks at the environment when it is first asked, asks one source ever after,
// and keeps what it got until shortly before its end. It is safe for concurrent use; requests that meet share one fetch.
type Provider struct {
	lookup func(name string) (string, bool)
	ends   endpoints
	source func() (aws.CredentialsProvider, error)
}

// endpoints are where the sources are asked that no variable names. Only tests have others.
type endpoints struct {
	task, sts, imds4, imds6 string // an empty sts is that of the Region
}

// New makes a Provider. It asks nobody yet.
func New(lookup func(name string) (string, bool)) *Provider {
	return newProvider(lookup, endpoints{task: "http://169.254.170.2", imds4: "http://169.254.169.254", imds6: "http://[fd00:ec2::254]"})
}

func newProvider(lookup func(name string) (string, bool), ends endpoints) *Provider {
	p := &Provider{lookup: lookup, ends: ends}
	p.source = sync.OnceValues(func() (aws.CredentialsProvider, error) {
		source, err := p.choose()
		if err != nil {
			return nil, err
		}
		return aws.NewCredentialsCache(source, func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = early }), nil
	})
	return p
}

// Retrieve implements aws.CredentialsProvider. Its errors name the source and never hold a token, nor the path of a task's credentials.
func (p *Provider) Retrieve(ctx context.Context) (aws.Credentials, error) {
	source, err := p.source()
	if err != nil {
		return aws.Credentials{}, err
	}
	return source.Retrieve(ctx)
}

// choose picks the source as the SDKs of AWS do: the first one that a variable names, else the instance. A source that fails is never replaced
// by another one: it would be another role.
func (p *Provider) choose() (aws.CredentialsProvider, error) {
	switch {
	case p.variable(webTokenFile) != "":
		return p.webIdentity()
	case p.variable(relativeURI) != "" || p.variable(fullURI) != "":
		return p.container()
	case strings.EqualFold(p.variable(imdsDisabled), "true"):
		return nil, errNone
	}
	return p.instance()
}

func (p *Provider) variable(name string) string {
	value, _ := p.lookup(name)
	return value
}

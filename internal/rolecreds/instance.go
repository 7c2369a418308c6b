package rolecreds

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
)

// instance asks the metadata service of an EC2 instance, by its version 2 alone: version 1 answers whatever can be made to send a GET.
func (p *Provider) instance() (aws.CredentialsProvider, error) {
	address := p.ends.imds4
	if strings.EqualFold(p.variable(imdsMode), "IPv6") {
		address = p.ends.imds6
	}
	if named := p.variable(imdsEndpoint); named != "" {
		if err := local(imdsEndpoint, named, metadata); err != nil {
			return nil, err
		}
		address = named
	}
	over := newLine()
	client := imds.New(imds.Options{
		Endpoint: address, HTTPClient: over, EnableFallback: aws.FalseTernary, ClientEnableState: imds.ClientEnabled,
	})
	provider := ec2rolecreds.New(func(o *ec2rolecreds.Options) { o.Client = client })
	return lasting{told{provider, "the role of the instance", over}, provider}, nil
}

// lasting keeps the two strategies of the SDK's provider, by which credentials outlast an outage of the metadata service: AWS honors them
// beyond their written end then.
type lasting struct {
	told

	provider *ec2rolecreds.Provider
}

// HandleFailToRefresh implements aws.HandleFailRefreshCredentialsCacheStrategy.
func (l lasting) HandleFailToRefresh(ctx context.Context, before aws.Credentials, err error) (aws.Credentials, error) {
	return l.provider.HandleFailToRefresh(ctx, before, err)
}

// AdjustExpiresBy implements aws.AdjustExpiresByCredentialsCacheStrategy.
func (l lasting) AdjustExpiresBy(c aws.Credentials, by time.Duration) (aws.Credentials, error) {
	return l.provider.AdjustExpiresBy(c, by)
}

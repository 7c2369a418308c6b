package rolecreds

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
)

// container asks the agent of a task of Amazon ECS, or of a pod of Amazon EKS (Pod Identity).
func (p *Provider) container() (aws.CredentialsProvider, error) {
	address := p.variable(fullURI)
	if relative := p.variable(relativeURI); relative != "" {
		if !strings.HasPrefix(relative, "/") { // behind a host name it could be made part of one
			return nil, fmt.Errorf("%s does not begin with a slash", relativeURI)
		}
		address = p.ends.task + relative
	} else if err := local(fullURI, address, agents); err != nil {
		return nil, err
	}
	source := agent{address: address, token: p.variable(containerToken), tokenFile: p.variable(containerFile), line: newLine()}
	return told{source, "the credentials of the container", source.line}, nil
}

// agent is asked with a path or a token that says who asks.
type agent struct {
	address, token, tokenFile string
	line                      *line
}

// Retrieve implements aws.CredentialsProvider. A token in a file is read for each fetch, since it is renewed there.
func (a agent) Retrieve(ctx context.Context) (aws.Credentials, error) {
	token := a.token
	if a.tokenFile != "" {
		content, err := os.ReadFile(a.tokenFile)
		if err != nil {
			return aws.Credentials{}, err
		}
		token = string(content)
	}
	return endpointcreds.New(a.address, func(o *endpointcreds.Options) {
		o.HTTPClient, o.AuthorizationToken = a.line, token
	}).Retrieve(ctx)
}

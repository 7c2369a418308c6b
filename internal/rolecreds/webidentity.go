package rolecreds

import (
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

// regionName is what may stand in the host name of STS.
var regionName = regexp.MustCompile(`^[a-z0-9-]{3,32}$`)

// stsTime is how long STS may take for one try.
const stsTime = 5 * time.Second

// webIdentity takes a role with the token of a service account of Kubernetes (IAM roles for service accounts), at STS in the Region of the
// process. The file is read again for each fetch, since the token in it is renewed.
func (p *Provider) webIdentity() (aws.CredentialsProvider, error) {
	role, at := p.variable(webRole), p.variable(region)
	if at == "" {
		at = p.variable(otherRegion)
	}
	switch {
	case role == "":
		return nil, fmt.Errorf("%s is set and %s is not", webTokenFile, webRole)
	case !regionName.MatchString(at):
		return nil, fmt.Errorf("%s is set and %s names no Region", webTokenFile, region)
	}
	options := sts.Options{Region: at, Credentials: aws.AnonymousCredentials{}, HTTPClient: awshttp.NewBuildableClient().WithTimeout(stsTime)}
	if p.ends.sts != "" {
		options.BaseEndpoint = &p.ends.sts
	}
	provider := stscreds.NewWebIdentityRoleProvider(sts.New(options), role, tokenFile(p.variable(webTokenFile)),
		func(o *stscreds.WebIdentityRoleOptions) {
			if o.RoleSessionName = p.variable(webSession); o.RoleSessionName == "" {
				o.RoleSessionName = "ringonce"
			}
		})
	return told{provider, "the role of the service account", nil}, nil
}

// tokenFile is the SDK's IdentityTokenFile with an error that can be looked into.
type tokenFile string

// GetIdentityToken implements stscreds.IdentityTokenRetriever.
func (f tokenFile) GetIdentityToken() ([]byte, error) { return os.ReadFile(string(f)) }

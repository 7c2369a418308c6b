package demo

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// clockSigner signs at the demo's time instead of the wall's, which the emulator would reject as stale.
type clockSigner struct {
	clock call.Clock
	inner awsconnect.HTTPSignerV4
}

func newSigner() awsconnect.HTTPSignerV4 { return v4.NewSigner() }

// SignHTTP implements the SDK's signer.
func (s clockSigner) SignHTTP(ctx context.Context, credentials aws.Credentials, r *http.Request, hash, service, region string, _ time.Time, options ...func(*v4.SignerOptions)) error {
	return s.inner.SignHTTP(ctx, credentials, r, hash, service, region, s.clock.Now(), options...)
}

package connect

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// signer dates every signature by the injected clock and holds dials to their bounds. It is the last code that runs before a
// request is given to the HTTP client.
type signer struct {
	inner awsconnect.HTTPSignerV4
	clock call.Clock
}

// SignHTTP ignores the date it is given: that one is the machine's, corrected by what servers said (facts F7). A dial outside
// its bounds ends here.
func (s signer) SignHTTP(
	ctx context.Context, credentials aws.Credentials, r *http.Request, payloadHash, service, region string, _ time.Time,
	options ...func(*v4.SignerOptions),
) error {
	now := s.clock.Now().UTC()
	if f := flightOf(ctx); f != nil {
		f.signed = now
		if err := f.guard(); err != nil {
			f.signed = time.Time{}
			return err
		}
	}
	return s.inner.SignHTTP(ctx, credentials, r, payloadHash, service, region, now, options...)
}

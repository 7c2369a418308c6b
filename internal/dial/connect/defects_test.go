package connect

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/dialtest"
)

// reclient replaces the dialer's client by one whose options were changed.
func reclient(tb testing.TB, d *Dialer, region string, change func(*awsconnect.Options)) {
	tb.Helper()
	client, err := d.newClient(region)
	if err != nil {
		tb.Fatalf("newClient: %v", err)
	}
	options := client.Options()
	options.AuthSchemes = nil // they hold the signer
	change(&options)
	d.clients[region] = awsconnect.New(options)
}

// noDelay retries at once, so that a dialer with retries sits the exam in no time.
type noDelay struct{}

func (noDelay) BackoffDelay(int, error) (time.Duration, error) { return 0, nil }

// plainSigner signs what it is given, at the time that the SDK or the clock says, and looks at no bounds.
type plainSigner struct {
	inner *v4.Signer
	clock call.Clock // nil takes the SDK's time
	round bool       // guards to the second instead of exactly
}

func (s plainSigner) SignHTTP(
	ctx context.Context, c aws.Credentials, r *http.Request, hash, service, region string, at time.Time, o ...func(*v4.SignerOptions),
) error {
	if s.clock != nil {
		at = s.clock.Now()
	}
	if f := flightOf(ctx); f != nil {
		f.signed = at
		if s.round {
			f.send.NotBefore, f.send.NotAfter = f.send.NotBefore.Add(-time.Second), f.send.NotAfter.Add(time.Second)
			if err := f.guard(); err != nil {
				return err
			}
		}
	}
	return s.inner.SignHTTP(ctx, c, r, hash, service, region, at, o...)
}

// otherBytes puts something else than the stored bytes on the wire.
func otherBytes(change func(map[string]any)) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		return stack.Serialize.Insert(middleware.SerializeMiddlewareFunc("OtherBytes", func(
			ctx context.Context, in middleware.SerializeInput, next middleware.SerializeHandler,
		) (middleware.SerializeOutput, middleware.Metadata, error) {
			if f := flightOf(ctx); f != nil {
				var body map[string]any
				if err := json.Unmarshal(f.send.Body, &body); err != nil {
					return middleware.SerializeOutput{}, middleware.Metadata{}, err
				}
				change(body)
				data, err := json.Marshal(body)
				if err != nil {
					return middleware.SerializeOutput{}, middleware.Metadata{}, err
				}
				request, ok := in.Request.(*smithyhttp.Request)
				if !ok {
					return middleware.SerializeOutput{}, middleware.Metadata{}, io.ErrUnexpectedEOF
				}
				if in.Request, err = request.SetStream(bytes.NewReader(data)); err != nil {
					return middleware.SerializeOutput{}, middleware.Metadata{}, err
				}
			}
			return next.HandleSerialize(ctx, in)
		}), "OperationSerializer", middleware.After)
	}
}

// replaying makes requests look safe to send again, as net/http understands it.
type replaying struct{ client *http.Client }

func (c replaying) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
		r.Header.Set("Idempotency-Key", "x")
	}
	return c.client.Do(r)
}

func TestEveryPlantedDefectFailsTheExam(t *testing.T) {
	t.Parallel()
	shared := slices.Concat(byteDefects(), dateDefects(), httpDefects(), rashVerdicts(), looseVerdicts())
	for i, bad := range slices.Concat(shared, bodyDefects(), kindDefects()) {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			var kinds []call.Kind // of a defect in what the kinds share, one is as good as all
			if i < len(shared) {
				kinds = []call.Kind{call.KindVoice}
			}
			failing := dialtest.Failing(t, func(tb testing.TB, lab *dialtest.Lab) call.Dialer {
				tb.Helper()
				return bad.plant(tb, dialerFor(tb, lab, nil), lab.Region)
			}, kinds...)
			for _, name := range bad.fails {
				if !slices.Contains(failing, name) {
					t.Errorf("the exam does not notice it in %q", name)
				}
			}
			for _, name := range failing {
				if !slices.ContainsFunc(bad.about, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
					t.Errorf("the check %q fails too, although the defect is not its business", name)
				}
			}
		})
	}
}

package bench_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
)

// instantWire answers every request at once, so that both sides pay for the same network: none.
type instantWire struct{}

// Do implements the HTTP client of the SDK.
func (instantWire) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"ContactId":"c-1"}`)),
	}, nil
}

func credentials() aws.CredentialsProvider {
	return aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	}))
}

// BenchmarkTokenOnly compares a call without a ledger with the bare SDK call in the same run: the difference is what ringonce adds.
func BenchmarkTokenOnly(b *testing.B) {
	b.Run("bare-sdk", func(b *testing.B) {
		client := awsconnect.New(awsconnect.Options{Region: "ap-northeast-1", Credentials: credentials(), HTTPClient: instantWire{}, Retryer: aws.NopRetryer{}})
		b.ReportAllocs()
		for b.Loop() {
			_, err := client.StartOutboundVoiceContact(b.Context(), &awsconnect.StartOutboundVoiceContactInput{
				ClientToken: aws.String("0123456789abcdef"), DestinationPhoneNumber: aws.String("+819000000001"),
				ContactFlowId: aws.String("22222222-2222-4222-8222-222222222222"), InstanceId: aws.String("11111111-1111-4111-8111-111111111111"),
				QueueId: aws.String("33333333-3333-4333-8333-333333333333"), Attributes: map[string]string{"language": "ja-JP"},
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ringonce", func(b *testing.B) {
		direct := tokenOnly(b)
		b.ReportAllocs()
		for b.Loop() {
			if out := direct.Place(b.Context(), delivery(1)); out.Met != call.MetPlaced {
				b.Fatal(out.Message)
			}
		}
	})
}

func tokenOnly(b *testing.B) *call.Direct {
	b.Helper()
	dialer, err := connect.New(connect.Options{
		Credentials: credentials(), Clock: app.SystemClock{}, HTTPClient: instantWire{},
	})
	if err != nil {
		b.Fatal(err)
	}
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		b.Fatal(err)
	}
	profile := call.Profile{
		Name: "alert", Region: "ap-northeast-1", InstanceID: "11111111-1111-4111-8111-111111111111",
		ContactFlowID: "22222222-2222-4222-8222-222222222222", QueueID: "33333333-3333-4333-8333-333333333333",
	}
	direct, err := call.NewDirect(call.Config{
		Dialer: dialer, Clock: app.SystemClock{}, Pacer: call.NewPace(0, 0), Observer: silent{}, Random: rand.Reader,
		Profile: func(string) (call.Profile, bool) { return profile, true },
		Token:   func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) },
	}, []call.Profile{profile})
	if err != nil {
		b.Fatal(err)
	}
	return direct
}

package connect

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// instantly answers in no time, so that what is measured is the client.
var instantly = roundTrip(func(*http.Request) (*http.Response, error) {
	return answerWith(http.StatusOK, `{"ContactId":"11111111-2222-4333-8444-555555555555"}`), nil
})

// BenchmarkBareSDK is one StartOutboundVoiceContact of the SDK alone, with its defaults and a token of the caller's.
func BenchmarkBareSDK(b *testing.B) {
	client := awsconnect.New(awsconnect.Options{
		Region: testRegion, Credentials: aws.NewCredentialsCache(keys("test", "test")), HTTPClient: &http.Client{Transport: instantly},
	})
	o := testOrder(b)
	b.ReportAllocs()
	for b.Loop() {
		output, err := client.StartOutboundVoiceContact(b.Context(), &awsconnect.StartOutboundVoiceContactInput{
			InstanceId: aws.String(o.Profile.InstanceID), ContactFlowId: aws.String(o.Profile.ContactFlowID), QueueId: aws.String(o.Profile.QueueID),
			DestinationPhoneNumber: aws.String(o.Destination.Wire()), ClientToken: aws.String(o.Token), Attributes: o.Attributes,
			RingTimeoutInSeconds: aws.Int32(45), SourcePhoneNumber: aws.String(o.Profile.SourcePhone), Name: aws.String(NamePrefix + o.CallID),
		})
		if err != nil || output.ContactId == nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDial is Prepare and Dial. Its difference to BenchmarkBareSDK is the overhead of the dialer.
func BenchmarkDial(b *testing.B) {
	d := testDialer(b, instantly, func(o *Options) { o.Clock = connectemu.WallClock{} })
	o := testOrder(b)
	b.ReportAllocs()
	for b.Loop() {
		body, err := d.Prepare(o)
		if err != nil {
			b.Fatal(err)
		}
		now := time.Now()
		got := d.Dial(b.Context(), call.Send{
			Target: call.Target{Region: testRegion, InstanceID: testInstance}, Token: o.Token, Body: body, NotBefore: now, NotAfter: now.Add(time.Minute),
		})
		if got.Class != call.ClassOK {
			b.Fatalf("%+v", got)
		}
	}
}

// BenchmarkPrepare is the serialization of one body.
func BenchmarkPrepare(b *testing.B) {
	d, o := &Dialer{}, testOrder(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Prepare(o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNew is what a process pays before its first dial: the dialer and the client of one Region.
func BenchmarkNew(b *testing.B) {
	o := Options{Credentials: keys("test", "test"), Clock: connectemu.WallClock{}}
	b.ReportAllocs()
	for b.Loop() {
		d, err := New(o)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.client(testRegion); err != nil {
			b.Fatal(err)
		}
	}
}

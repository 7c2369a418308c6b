package connectemu_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
)

// The answer of the first start is lost, so the program sends the same token again. Whether that rings a second time depends on the
// reading of the API reference once the first contact has ended.
func Example() {
	plan, err := connectemu.ParsePlan("place-then-reset nth=1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		emulator, err := connectemu.New(connectemu.Config{Reading: reading, Faults: plan, RingTime: time.Nanosecond, TalkTime: time.Nanosecond})
		if err != nil {
			fmt.Println(err)
			return
		}
		client := connect.New(connect.Options{
			Region:       connectemu.DefaultRegion,
			BaseEndpoint: aws.String("http://127.0.0.1"),
			HTTPClient:   &http.Client{Transport: emulator.RoundTripper()},
			Retryer:      aws.NopRetryer{},
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: connectemu.DefaultAccessKey, SecretAccessKey: connectemu.DefaultSecretKey}, nil
			}),
		})
		for range 2 {
			_, err := client.StartOutboundVoiceContact(context.Background(), &connect.StartOutboundVoiceContactInput{
				InstanceId:             aws.String(connectemu.DefaultInstance),
				ContactFlowId:          aws.String("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"),
				SourcePhoneNumber:      aws.String("+12025550100"),
				DestinationPhoneNumber: aws.String("+819000000001"),
				ClientToken:            aws.String("call-notification-12345-user-67890"),
			})
			fmt.Println(reading, "lost:", err != nil, "rings:", emulator.RingCount())
		}
	}
	// Output:
	// A1 lost: true rings: 1
	// A1 lost: false rings: 1
	// A1' lost: true rings: 1
	// A1' lost: false rings: 2
}

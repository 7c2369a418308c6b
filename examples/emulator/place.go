// Command emulator places one call with an emulated Amazon Connect, repeats it, looks at it, finds it and stops it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/connectemu"
)

func main() {
	endpoint := os.Getenv("EMULATOR")
	if endpoint == "" {
		endpoint = "http://" + connectemu.DefaultAddr
	}
	token := "notification-12345"
	if len(os.Args) > 1 {
		token = os.Args[1]
	}
	if err := place(context.Background(), endpoint, token); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func place(ctx context.Context, endpoint, token string) error {
	client := connect.New(connect.Options{
		Region: connectemu.DefaultRegion, BaseEndpoint: aws.String(endpoint),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: connectemu.DefaultAccessKey, SecretAccessKey: connectemu.DefaultSecretKey}, nil
		}),
	})
	instance := aws.String(connectemu.DefaultInstance)
	start := connect.StartOutboundVoiceContactInput{
		InstanceId: instance, ContactFlowId: aws.String(connectemu.DefaultFlow), SourcePhoneNumber: aws.String("+12025550100"),
		DestinationPhoneNumber: aws.String("+819000000001"), ClientToken: aws.String(token), Name: aws.String(token),
	}
	first, err := client.StartOutboundVoiceContact(ctx, &start)
	if err != nil {
		return err
	}
	fmt.Println("placed:", *first.ContactId)
	second, err := client.StartOutboundVoiceContact(ctx, &start)
	if err != nil {
		return err
	}
	fmt.Println("repeated, same contact:", *second.ContactId == *first.ContactId)

	described, err := client.DescribeContact(ctx, &connect.DescribeContactInput{InstanceId: instance, ContactId: first.ContactId})
	if err != nil {
		return err
	}
	fmt.Println("described:", described.Contact.InitiationMethod, *described.Contact.Name)

	now := time.Now()
	found, err := client.SearchContacts(ctx, &connect.SearchContactsInput{
		InstanceId: instance,
		TimeRange: &types.SearchContactsTimeRange{
			Type: types.SearchContactsTimeRangeTypeInitiationTimestamp, StartTime: aws.Time(now.Add(-time.Hour)), EndTime: aws.Time(now.Add(time.Minute)),
		},
		SearchCriteria: &types.SearchCriteria{Name: &types.NameCriteria{MatchType: types.SearchContactsMatchTypeMatchExact, SearchText: []string{token}}},
	})
	if err != nil {
		return err
	}
	fmt.Println("found:", len(found.Contacts))

	stop := &connect.StopContactInput{InstanceId: instance, ContactId: first.ContactId}
	if _, err := client.StopContact(ctx, stop); err != nil {
		return err
	}
	_, err = client.StopContact(ctx, stop)
	_, gone := errors.AsType[*types.ContactNotFoundException](err)
	fmt.Println("stopped, and gone:", gone)
	return nil
}

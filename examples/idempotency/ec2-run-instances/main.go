// Command ec2-run-instances launches one instance for one key, however often it is run:
//
//	go run ./ec2-run-instances -image ami-12c6146b -zone us-east-1a -notification notification-12345 -recipient user-67890
//
// How long EC2 remembers a token is not stated, and the same token launches again in another Availability Zone. So the zone is a part of the
// key, and a repeat that may be late looks for the instance by its token first; an instance that was terminated is gone from there after a
// while, and only a record of your own outlives that (connect-task shows one).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ringonce/ringonce/clienttoken"
)

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	image := flag.String("image", "", "id of the image")
	zone := flag.String("zone", "us-east-1a", "Availability Zone")
	flag.Parse()
	if err := run(context.Background(), key, *image, *zone); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, image, zone string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := ec2.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		id, err := launch(ctx, client, key, image, zone)
		if err != nil {
			return err
		}
		fmt.Println("instance", id)
	}
	return nil
}

// launch launches the instance of a key in a zone, or returns it when it is there. A token and nothing else decides that, so the zone must
// not change between repeats: to launch in another zone on purpose, count up key.Ring once the first request is known to have failed.
func launch(ctx context.Context, client *ec2.Client, key clienttoken.Input, image, zone string) (string, error) {
	token, err := tokenOf(key)
	if err != nil {
		return "", err
	}
	if id, err := find(ctx, client, token); id != "" || err != nil {
		return id, err
	}
	out, err := client.RunInstances(ctx, &ec2.RunInstancesInput{
		ImageId: &image, InstanceType: types.InstanceTypeT3Micro, MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		Placement: &types.Placement{AvailabilityZone: &zone},
	}, func(o *ec2.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) }) // for this one request
	if err != nil {
		return "", err
	}
	return *out.Instances[0].InstanceId, nil
}

// tokenOf derives the token of a key.
func tokenOf(key clienttoken.Input) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	return maker.For("ec2", "RunInstances", key)
}

// find looks for the instance of a token; the id is empty when there is none. It sees what was launched some time ago: EC2 is eventually
// consistent, and inside that time the token answers.
func find(ctx context.Context, client *ec2.Client, token string) (string, error) {
	out, err := client.DescribeInstances(ctx, &ec2.DescribeInstancesInput{
		Filters: []types.Filter{{Name: aws.String("client-token"), Values: []string{token}}},
	})
	if err != nil {
		return "", err
	}
	for _, r := range out.Reservations {
		if len(r.Instances) > 0 {
			return *r.Instances[0].InstanceId, nil
		}
	}
	return "", nil
}

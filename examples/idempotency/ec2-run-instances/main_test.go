package main

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
)

const (
	image = "ami-12c6146b"
	zone  = "us-east-1a"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

func service(t *testing.T) (*standin.Instances, *ec2.Client, aws.Config) {
	t.Helper()
	instances := &standin.Instances{}
	front := httptest.NewServer(instances)
	t.Cleanup(front.Close)
	cfg := local.Config(front.URL)
	return instances, ec2.NewFromConfig(cfg), cfg
}

// request asks for one instance, without a look and without a token of its own.
func request(image string) *ec2.RunInstancesInput {
	return &ec2.RunInstancesInput{ImageId: aws.String(image), MinCount: aws.Int32(1), MaxCount: aws.Int32(1)}
}

// provider gives one request a token.
func provider(t *testing.T, key clienttoken.Input) func(*ec2.Options) {
	t.Helper()
	token, err := tokenOf(key)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *ec2.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) }
}

func TestARepeatLaunchesNothing(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	first, err := launch(t.Context(), client, key, image, zone)
	if err != nil {
		t.Fatal(err)
	}
	again, err := launch(t.Context(), client, key, image, zone)
	if err != nil || again != first || instances.Launched() != 1 {
		t.Errorf("%d launched, %q and %q, %v", instances.Launched(), first, again, err)
	}
	other := key
	other.Ring++
	if _, err := launch(t.Context(), client, other, image, zone); err != nil || instances.Launched() != 2 {
		t.Errorf("another ring on purpose: %d launched, %v", instances.Launched(), err)
	}
}

func TestTheTokenAloneKeepsARepeatFromLaunching(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	for range 2 {
		if _, err := client.RunInstances(t.Context(), request(image), provider(t, key)); err != nil {
			t.Fatal(err)
		}
	}
	if got := instances.Launched(); got != 1 {
		t.Errorf("%d launched, want 1", got)
	}
}

func TestTheRandomTokenOfTheSDKLaunchesTwo(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	for range 2 {
		if _, err := client.RunInstances(t.Context(), request(image)); err != nil {
			t.Fatal(err)
		}
	}
	if got := instances.Launched(); got != 2 {
		t.Errorf("%d launched, want 2", got)
	}
}

func TestOtherParametersUnderTheTokenAreRefused(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	if _, err := client.RunInstances(t.Context(), request(image), provider(t, key)); err != nil {
		t.Fatal(err)
	}
	_, err := client.RunInstances(t.Context(), request("ami-00000000"), provider(t, key))
	rule, _ := clienttoken.For("ec2", "RunInstances")
	failure, ok := errors.AsType[smithy.APIError](err)
	if !ok || rule.Mismatch != clienttoken.MismatchError || failure.ErrorCode() != rule.Errors[0] || instances.Launched() != 1 {
		t.Errorf("%d launched, %v", instances.Launched(), err)
	}
}

// The token says nothing about another zone, which is why launch looks first.
func TestAnotherZoneLaunchesAgainUnlessSomebodyLooks(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	first, err := launch(t.Context(), client, key, image, zone)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := launch(t.Context(), client, key, image, "us-east-1b"); err != nil || again != first || instances.Launched() != 1 {
		t.Errorf("with a look: %d launched, %q, %v", instances.Launched(), again, err)
	}
	if _, err := client.RunInstances(t.Context(), request(image), provider(t, key)); err != nil || instances.Launched() != 2 { // no zone
		t.Errorf("without a look: %d launched, %v", instances.Launched(), err)
	}
}

// A provider belongs to one request. Given to a client, it makes every request of the client the same one: that of the second key is answered
// with the instance of the first, and nobody learns that nothing was launched for it.
func TestAProviderForAWholeClientLosesRequests(t *testing.T) {
	t.Parallel()
	instances, _, cfg := service(t)
	token, err := tokenOf(key)
	if err != nil {
		t.Fatal(err)
	}
	wrong := ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) })
	first, err := wrong.RunInstances(t.Context(), request(image)) // meant for key
	if err != nil {
		t.Fatal(err)
	}
	second, err := wrong.RunInstances(t.Context(), request(image)) // meant for another key
	if err != nil || *second.Instances[0].InstanceId != *first.Instances[0].InstanceId || instances.Launched() != 1 {
		t.Errorf("%d launched, %v", instances.Launched(), err)
	}
}

// The SDK writes the token into the input that it is given, random or not.
func TestAnInputThatIsUsedAgainKeepsItsToken(t *testing.T) {
	t.Parallel()
	instances, client, _ := service(t)
	in := request(image)
	other := key
	other.RecipientID = "user-2"
	for _, key := range []clienttoken.Input{key, other} {
		if _, err := client.RunInstances(t.Context(), in, provider(t, key)); err != nil {
			t.Fatal(err)
		}
	}
	if got := instances.Launched(); got != 1 {
		t.Errorf("%d launched: the SDK asked the provider of the second key, so inputs may be used again", got)
	}
}

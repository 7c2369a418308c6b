package main

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

const (
	template = `{"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}`
	another  = `{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}`
)

func TestARepeatCreatesNothingUnderEveryReading(t *testing.T) {
	t.Parallel()
	for _, reading := range standin.Repeats() {
		stacks := &standin.Stacks{Repeat: reading}
		front := httptest.NewServer(stacks)
		t.Cleanup(front.Close)
		client := cloudformation.NewFromConfig(local.Config(front.URL))
		first, err := create(t.Context(), client, key, template)
		if err != nil {
			t.Fatal(err)
		}
		again, err := create(t.Context(), client, key, template)
		if err != nil || again != first || stacks.Created() != 1 {
			t.Errorf("reading %d: %d created, %q and %q, %v", reading, stacks.Created(), first, again, err)
		}
		if _, err := create(t.Context(), client, key, another); !errors.Is(err, errOther) || stacks.Created() != 1 {
			t.Errorf("reading %d: another template: %d created, %v", reading, stacks.Created(), err)
		}
		other := key
		other.RecipientID = "user-2"
		if _, err := create(t.Context(), client, other, template); err != nil || stacks.Created() != 2 {
			t.Errorf("reading %d: another key: %d created, %v", reading, stacks.Created(), err)
		}
	}
}

// A name that is not derived is no protection, whatever the token.
func TestRandomNamesMakeTwoStacks(t *testing.T) {
	t.Parallel()
	stacks := &standin.Stacks{}
	front := httptest.NewServer(stacks)
	t.Cleanup(front.Close)
	client := cloudformation.NewFromConfig(local.Config(front.URL))
	for _, name := range []string{"random-1", "random-2"} {
		if _, err := client.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &name, TemplateBody: aws.String(template)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := stacks.Created(); got != 2 {
		t.Errorf("%d created, want 2", got)
	}
}

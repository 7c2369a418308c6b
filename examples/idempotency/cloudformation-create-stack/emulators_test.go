//go:build integration

package main

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

func created(t *testing.T, client *cloudformation.Client) int {
	t.Helper()
	out, err := client.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Stacks)
}

// makeForeign creates the stack that has the name of a key, without its token.
func makeForeign(t *testing.T, client *cloudformation.Client, key clienttoken.Input) {
	t.Helper()
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := maker.For("cloudformation", "CreateStack", key)
	if err != nil {
		t.Fatal(err)
	}
	in := cloudformation.CreateStackInput{StackName: aws.String(nameOf(token)), TemplateBody: aws.String(template), ClientRequestToken: aws.String("somebody")}
	if _, err := client.CreateStack(t.Context(), &in); err != nil {
		t.Fatal(err)
	}
}

// TestStacks runs on ministack, which refuses a second stack of the name and writes the token into the events. It lives in one of the readings:
// AlreadyExistsException.
func TestStacks(t *testing.T) {
	t.Parallel()
	client := cloudformation.NewFromConfig(local.Config(awstest.StartMinistack(t).URL))
	first, err := create(t.Context(), client, key, template)
	if err != nil {
		t.Fatal(err)
	}
	again, err := create(t.Context(), client, key, template)
	if err != nil || again != first || created(t, client) != 1 {
		t.Errorf("%d created, %q and %q, %v", created(t, client), first, again, err)
	}
	if _, err := create(t.Context(), client, key, another); !errors.Is(err, errOther) || created(t, client) != 1 {
		t.Errorf("another template: %d created, %v", created(t, client), err)
	}
	foreign := key
	foreign.RecipientID = "user-2"
	makeForeign(t, client, foreign)
	if _, err := create(t.Context(), client, foreign, template); !errors.Is(err, errForeign) || created(t, client) != 2 {
		t.Errorf("a stack of somebody else: %d created, %v", created(t, client), err)
	}
	for _, name := range []string{"random-1", "random-2"} { // without a derived name
		if _, err := client.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &name, TemplateBody: aws.String(template)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := created(t, client); got != 4 {
		t.Errorf("%d created, want 4", got)
	}
}

// TestMotoForgetsTheToken holds the reason why these tests run on ministack alone: the events of moto have no token, so that nobody can tell
// whose a stack is.
func TestMotoForgetsTheToken(t *testing.T) {
	t.Parallel()
	client := cloudformation.NewFromConfig(local.Config(awstest.StartMoto(t)))
	if _, err := create(t.Context(), client, key, template); err != nil {
		t.Fatal(err)
	}
	if _, err := create(t.Context(), client, key, template); !errors.Is(err, errForeign) || created(t, client) != 1 {
		t.Errorf("%d created, %v; moto kept no token when this was written", created(t, client), err)
	}
}

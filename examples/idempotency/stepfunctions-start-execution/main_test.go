//go:build integration

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

// create makes a state machine for the test, whose executions run until they are stopped.
func create(t *testing.T, client *sfn.Client) string {
	t.Helper()
	out, err := client.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{
		Name: aws.String(strings.ReplaceAll(t.Name(), "/", "-")), RoleArn: aws.String("arn:aws:iam::123456789012:role/states"),
		Definition: aws.String(`{"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 3600, "End": true}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return *out.StateMachineArn
}

func started(t *testing.T, client *sfn.Client, machine string) int {
	t.Helper()
	out, err := client.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &machine})
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Executions)
}

// TestExecutions runs on moto, which honors the name.
func TestExecutions(t *testing.T) {
	t.Parallel()
	client := sfn.NewFromConfig(local.Config(awstest.StartMoto(t)))
	for name, test := range map[string]func(*testing.T, *sfn.Client){
		"a repeat starts nothing":                 aRepeat,
		"a repeat after the end starts nothing":   aRepeatAfterTheEnd,
		"the name that AWS draws starts two":      theRandomName,
		"another input under the name is refused": anotherInput,
	} {
		t.Run(name, func(t *testing.T) { test(t, client) })
	}
}

func aRepeat(t *testing.T, client *sfn.Client) {
	machine := create(t, client)
	first, err := start(t.Context(), client, key, machine, `{"order": 1}`)
	if err != nil {
		t.Fatal(err)
	}
	again, err := start(t.Context(), client, key, machine, `{"order": 1}`)
	if err != nil || again != first || started(t, client, machine) != 1 {
		t.Errorf("%d started, %q and %q, %v", started(t, client, machine), first, again, err)
	}
}

func aRepeatAfterTheEnd(t *testing.T, client *sfn.Client) {
	machine := create(t, client)
	first, err := start(t.Context(), client, key, machine, `{"order": 1}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &first}); err != nil {
		t.Fatal(err)
	}
	again, err := start(t.Context(), client, key, machine, `{"order": 1}`)
	if err != nil || again != first || started(t, client, machine) != 1 {
		t.Errorf("%d started, %q and %q, %v", started(t, client, machine), first, again, err)
	}
	if _, err := start(t.Context(), client, key, machine, `{"order": 2}`); !errors.Is(err, errOtherInput) {
		t.Errorf("another input: %v", err)
	}
}

func theRandomName(t *testing.T, client *sfn.Client) {
	machine := create(t, client)
	for range 2 {
		if _, err := client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine}); err != nil {
			t.Fatal(err)
		}
	}
	if got := started(t, client, machine); got != 2 {
		t.Errorf("%d started, want 2", got)
	}
}

func anotherInput(t *testing.T, client *sfn.Client) {
	machine := create(t, client)
	if _, err := start(t.Context(), client, key, machine, `{"order": 1}`); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t.Context(), client, key, machine, `{"order": 2}`); !errors.Is(err, errOtherInput) || started(t, client, machine) != 1 {
		t.Errorf("%d started, %v", started(t, client, machine), err)
	}
}

// TestMinistackRefusesEveryRepeat holds the reason why these tests run on moto alone: ministack answers ExecutionAlreadyExists also while the
// execution runs. The program has one effect there too.
func TestMinistackRefusesEveryRepeat(t *testing.T) {
	t.Parallel()
	client := sfn.NewFromConfig(local.Config(awstest.StartMinistack(t).URL))
	aRepeat(t, client)
	machine := create(t, client)
	in := sfn.StartExecutionInput{StateMachineArn: &machine, Name: aws.String("name-1")}
	if _, err := client.StartExecution(t.Context(), &in); err != nil {
		t.Fatal(err)
	}
	_, err := client.StartExecution(t.Context(), &in)
	if _, refused := errors.AsType[*types.ExecutionAlreadyExists](err); !refused {
		t.Errorf("ministack answers %v; it refused a repeat when this was written", err)
	}
}

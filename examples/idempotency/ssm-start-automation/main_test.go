package main

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

const document = "AWS-RestartEC2Instance"

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

func service(t *testing.T, answers bool) (*standin.Automations, *ssm.Client) {
	t.Helper()
	automations := &standin.Automations{Answers: answers}
	front := httptest.NewServer(automations)
	t.Cleanup(front.Close)
	return automations, ssm.NewFromConfig(local.Config(front.URL))
}

func TestOneIsStartedUnderBothReadings(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{true, false} {
		automations, client := service(t, answers)
		remembered := record.Record{Dir: t.TempDir()}
		first, err := startOnce(t.Context(), client, key, document, remembered)
		if err != nil {
			t.Fatal(err)
		}
		again, err := startOnce(t.Context(), client, key, document, remembered)
		if err != nil || again != first || automations.Started() != 1 {
			t.Errorf("answers %t: %d started, %q and %q, %v", answers, automations.Started(), first, again, err)
		}
	}
}

func TestALostAnswerIsInDoubtAndNotRepeated(t *testing.T) {
	t.Parallel()
	automations, client := service(t, true)
	automations.LoseAnswers(1)
	remembered := record.Record{Dir: t.TempDir()}
	_, first := startOnce(t.Context(), client, key, document, remembered)
	_, second := startOnce(t.Context(), client, key, document, remembered)
	if first == nil || !errors.Is(second, record.ErrInDoubt) || automations.Started() != 1 {
		t.Errorf("%d started; %v; %v", automations.Started(), first, second)
	}
}

// Nothing fills the token, so that without Fill there is none at all.
func TestWithoutATokenTwoAreStarted(t *testing.T) {
	t.Parallel()
	automations, client := service(t, true)
	for range 2 {
		if _, err := client.StartAutomationExecution(t.Context(), &ssm.StartAutomationExecutionInput{DocumentName: aws.String(document)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := automations.Started(); got != 2 {
		t.Errorf("%d started, want 2", got)
	}
}

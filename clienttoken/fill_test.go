package clienttoken_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/clienttoken"
)

// CreateServiceInput stands for that of Amazon ECS, whose client this module does not have.
type CreateServiceInput struct{ ClientToken, ServiceName *string }

func TestFillSetsTheParameterThatTheSDKDoesNot(t *testing.T) {
	t.Parallel()
	r := rule(t, "ecs", "CreateService")
	token, err := r.Token("base")
	if err != nil {
		t.Fatal(err)
	}
	in := &CreateServiceInput{}
	if err := r.Fill(in, token); err != nil || in.ClientToken == nil || *in.ClientToken != token || in.ServiceName != nil {
		t.Errorf("%+v, %v", in, err)
	}
	if err := r.Fill(in, token); err != nil {
		t.Errorf("the same token again: %v", err)
	}
	in.ClientToken = new("another")
	if err := r.Fill(in, token); codeOf(err) != clienttoken.CodeParameterSet || *in.ClientToken != "another" {
		t.Errorf("set to another one: %v", err)
	}
	send := &sqs.SendMessageInput{}
	message := rule(t, "sqs", "SendMessage")
	if token, err = message.Token("base"); err != nil {
		t.Fatal(err)
	}
	if err := message.Fill(send, token); err != nil || *send.MessageDeduplicationId != token {
		t.Errorf("%+v, %v", send, err)
	}
}

func TestFillRefusesWhatItCannotFill(t *testing.T) {
	t.Parallel()
	schedule := rule(t, "scheduler", "CreateSchedule")
	token, err := schedule.Token("base")
	if err != nil {
		t.Fatal(err)
	}
	var none *scheduler.CreateScheduleInput
	foreign := schedule // services share names of operations, such as StartJobRun
	foreign.Service = "backup"
	for name, c := range map[string]struct {
		rule  clienttoken.Rule
		input any
		token string
		code  string
	}{
		"no pointer":        {schedule, scheduler.CreateScheduleInput{}, token, clienttoken.CodeParameterMissing},
		"nil":               {schedule, none, token, clienttoken.CodeParameterMissing},
		"nothing":           {schedule, nil, token, clienttoken.CodeParameterMissing},
		"another operation": {schedule, &scheduler.DeleteScheduleInput{}, token, clienttoken.CodeParameterMissing},
		"another service":   {foreign, &scheduler.CreateScheduleInput{}, token, clienttoken.CodeParameterMissing},
		"an illegal token":  {schedule, &scheduler.CreateScheduleInput{}, "a.b", clienttoken.CodeTokenIllegal},
		"an empty token":    {schedule, &scheduler.CreateScheduleInput{}, "", clienttoken.CodeTokenIllegal},
		"a batch":           {rule(t, "sqs", "SendMessageBatch"), &sqs.SendMessageBatchInput{}, token, clienttoken.CodeParameterMissing},
		"no token at all":   {rule(t, "ses", "SendEmail"), &scheduler.CreateScheduleInput{}, token, clienttoken.CodeTokenIllegal},
	} {
		if err := c.rule.Fill(c.input, c.token); codeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

// TestTheSDKAsksTheProvider sends a request of a real client whose input has no token.
func TestTheSDKAsksTheProvider(t *testing.T) {
	t.Parallel()
	var sent string
	client := scheduler.New(scheduler.Options{Region: "us-east-1", HTTPClient: capture(&sent), Credentials: anonymous{}})
	_, _ = client.DeleteSchedule(t.Context(), &scheduler.DeleteScheduleInput{Name: new("held-call")}, func(o *scheduler.Options) { o.IdempotencyTokenProvider = clienttoken.Provider("token-1") })
	if sent != "token-1" {
		t.Errorf("the SDK sent %q", sent)
	}
	if _, err := clienttoken.Provider("").GetIdempotencyToken(); codeOf(err) != clienttoken.CodeClientTokenMissing {
		t.Errorf("an empty provider: %v", err)
	}
	sent = ""
	_, _ = client.DeleteSchedule(t.Context(), &scheduler.DeleteScheduleInput{Name: new("held-call")}, func(o *scheduler.Options) {
		o.IdempotencyTokenProvider = clienttoken.Provider("")
	})
	if sent != "" {
		t.Errorf("an empty token left the process: %q", sent)
	}
}

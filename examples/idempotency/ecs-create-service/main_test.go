package main

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

func service(t *testing.T) (*standin.Tasks, *ecs.Client) {
	t.Helper()
	tasks := &standin.Tasks{Now: time.Now}
	front := httptest.NewServer(tasks)
	t.Cleanup(front.Close)
	return tasks, ecs.NewFromConfig(local.Config(front.URL))
}

func TestARepeatCreatesNothing(t *testing.T) {
	t.Parallel()
	tasks, client := service(t)
	first, err := create(t.Context(), client, key, "jobs", "worker", "worker:1")
	if err != nil {
		t.Fatal(err)
	}
	again, err := create(t.Context(), client, key, "jobs", "worker", "worker:1")
	if err != nil || again != first || tasks.Services() != 1 {
		t.Errorf("%d created, %q and %q, %v", tasks.Services(), first, again, err)
	}
}

// A provider does nothing here: the SDK asks it only for the operations that it fills.
func TestWithoutFillTwoAreCreatedAlsoWithAProvider(t *testing.T) {
	t.Parallel()
	tasks, client := service(t)
	for range 2 {
		_, err := client.CreateService(t.Context(), &ecs.CreateServiceInput{ServiceName: aws.String("worker"), TaskDefinition: aws.String("worker:1")},
			func(o *ecs.Options) { o.IdempotencyTokenProvider = clienttoken.Provider("token-1") })
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := tasks.Services(); got != 2 {
		t.Errorf("%d created, want 2", got)
	}
}

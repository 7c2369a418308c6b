package main

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

var (
	key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	of  = job{cluster: "jobs", task: "report:1", subnet: "subnet-1", group: "sg-1"}
)

// clock is the time of a test.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func service(t *testing.T) (*standin.Tasks, *ecs.Client, *clock) {
	t.Helper()
	time := &clock{now: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)}
	tasks := &standin.Tasks{Now: time.Now}
	front := httptest.NewServer(tasks)
	t.Cleanup(front.Close)
	client := ecs.NewFromConfig(local.Config(front.URL), func(o *ecs.Options) { o.Retryer = aws.NopRetryer{} }) // a lost answer is seen
	return tasks, client, time
}

func token(t *testing.T) string {
	t.Helper()
	_, token, err := tokenOf(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestARepeatRunsOnceWhileTheTokenLives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends  bool
		pause time.Duration
		want  int
	}{
		"at once":                           {false, 0, 1},
		"23 hours later, it still runs":     {false, 23 * time.Hour, 1},
		"a day later":                       {false, 24 * time.Hour, 2},
		"59 minutes after its end":          {true, 59 * time.Minute, 1},
		"an hour after its end, 23 to come": {true, time.Hour, 2},
	} {
		tasks, client, clock := service(t)
		if _, err := runTask(t.Context(), client, token(t), of); err != nil {
			t.Fatal(err)
		}
		if c.ends {
			tasks.EndAll()
		}
		clock.now = clock.now.Add(c.pause)
		if _, err := runTask(t.Context(), client, token(t), of); err != nil || tasks.Ran() != c.want {
			t.Errorf("%s: %d ran, want %d; %v", name, tasks.Ran(), c.want, err)
		}
	}
}

func TestTheRecordAnswersAfterTheTokenHasEnded(t *testing.T) {
	t.Parallel()
	tasks, client, clock := service(t)
	remembered := record.Record{Dir: t.TempDir(), Now: clock.Now}
	first, err := runOnce(t.Context(), client, key, of, remembered)
	if err != nil {
		t.Fatal(err)
	}
	tasks.EndAll()
	clock.now = clock.now.Add(48 * time.Hour)
	again, err := runOnce(t.Context(), client, key, of, remembered)
	if err != nil || again != first || tasks.Ran() != 1 {
		t.Errorf("%d ran, %q and %q, %v", tasks.Ran(), first, again, err)
	}
}

func TestALostAnswerIsRepeatedOnlyWhileTheTokenSurelyLives(t *testing.T) {
	t.Parallel()
	for pause, c := range map[time.Duration]struct {
		ran   int
		doubt bool
	}{
		30 * time.Minute: {1, false}, // repeated under the token: answered with the task
		2 * time.Hour:    {1, true},  // the task may have ended more than an hour ago, and a repeat would run it again
	} {
		tasks, client, clock := service(t)
		remembered := record.Record{Dir: t.TempDir(), Now: clock.Now}
		tasks.LoseAnswers(1)
		once := func() (string, error) {
			return runOnce(t.Context(), client, key, of, remembered)
		}
		if _, err := once(); err == nil {
			t.Fatal("the answer was not lost")
		}
		tasks.EndAll()
		clock.now = clock.now.Add(pause)
		if _, err := once(); errors.Is(err, record.ErrInDoubt) != c.doubt || !c.doubt && err != nil || tasks.Ran() != c.ran {
			t.Errorf("after %v: %d ran, %v", pause, tasks.Ran(), err)
		}
	}
}

func TestTheRandomTokenOfTheSDKRunsTwo(t *testing.T) {
	t.Parallel()
	tasks, client, _ := service(t)
	for range 2 {
		if _, err := client.RunTask(t.Context(), &ecs.RunTaskInput{Cluster: &of.cluster, TaskDefinition: &of.task}); err != nil {
			t.Fatal(err)
		}
	}
	if got := tasks.Ran(); got != 2 {
		t.Errorf("%d ran, want 2", got)
	}
}

func TestOtherParametersUnderTheTokenAreRefused(t *testing.T) {
	t.Parallel()
	tasks, client, _ := service(t)
	first, err := runTask(t.Context(), client, token(t), of)
	if err != nil {
		t.Fatal(err)
	}
	other := of
	other.task = "report:2"
	_, err = runTask(t.Context(), client, token(t), other)
	conflict, ok := errors.AsType[*types.ConflictException](err)
	if !ok || len(conflict.ResourceIds) != 1 || conflict.ResourceIds[0] != first || tasks.Ran() != 1 {
		t.Errorf("%d ran, %v", tasks.Ran(), err)
	}
	other = of
	other.cluster = "other" // the token belongs to a cluster
	if _, err := runTask(t.Context(), client, token(t), other); err != nil || tasks.Ran() != 2 {
		t.Errorf("in another cluster: %d ran, %v", tasks.Ran(), err)
	}
}

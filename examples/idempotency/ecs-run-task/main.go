// Command ecs-run-task runs one task for one key, however often it is run:
//
//	go run ./ecs-run-task -cluster jobs -task report:1 -subnet ID -group ID -notification notification-12345 -recipient user-67890
//
// The token lives for 24 hours, or until an hour after the task has ended if that is earlier: a job of a minute frees it after 61 minutes, and
// a message that comes back later runs it again. The directory -record remembers longer.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

// job is what is asked for.
type job struct{ cluster, task, subnet, group string }

func main() {
	var key clienttoken.Input
	var of job
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	flag.StringVar(&of.cluster, "cluster", "default", "name of the cluster")
	flag.StringVar(&of.task, "task", "", "task definition")
	flag.StringVar(&of.subnet, "subnet", "", "id of the subnet")
	flag.StringVar(&of.group, "group", "", "id of the security group")
	dir := flag.String("record", ".", "directory that remembers what was run")
	flag.Parse()
	if err := run(context.Background(), key, of, record.Record{Dir: *dir}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, of job, remembered record.Record) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := ecs.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		arn, err := runOnce(ctx, client, key, of, remembered)
		if err != nil {
			return err
		}
		fmt.Println("task", arn)
	}
	return nil
}

// runOnce is runTask with a record: one task for a key, also after the token has ended.
func runOnce(ctx context.Context, client *ecs.Client, key clienttoken.Input, of job, remembered record.Record) (string, error) {
	rule, token, err := tokenOf(key)
	if err != nil {
		return "", err
	}
	rule.Validity = time.Hour // the least that is promised: the 24 hours end early when the task ends
	return remembered.Once(rule, token, func() (string, error) { return runTask(ctx, client, token, of) })
}

// tokenOf derives the token of a key.
func tokenOf(key clienttoken.Input) (clienttoken.Rule, string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	rule, err := clienttoken.For("ecs", "RunTask")
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	return rule, token, err
}

// runTask sends one request. No task may start and the request still succeed: that is in the failures.
func runTask(ctx context.Context, client *ecs.Client, token string, of job) (string, error) {
	out, err := client.RunTask(ctx, &ecs.RunTaskInput{
		Cluster: &of.cluster, TaskDefinition: &of.task, LaunchType: types.LaunchTypeFargate,
		NetworkConfiguration: &types.NetworkConfiguration{AwsvpcConfiguration: &types.AwsVpcConfiguration{
			Subnets: []string{of.subnet}, SecurityGroups: []string{of.group},
		}},
	}, func(o *ecs.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) }) // for this one request
	switch {
	case err != nil:
		return "", err
	case len(out.Failures) > 0:
		return "", fmt.Errorf("no task was started: %s", *out.Failures[0].Reason)
	case len(out.Tasks) == 0:
		return "", fmt.Errorf("the answer has no task")
	}
	return *out.Tasks[0].TaskArn, nil
}

// Command stepfunctions-start-execution starts one execution for one key, however often it is run:
//
//	go run ./stepfunctions-start-execution -machine ARN -input '{"order": 1}' -notification notification-12345 -recipient user-67890
//
// The token is the name of the execution; the SDK does not fill it. While the execution runs, a repeat gets it back. Once it has ended, and
// with another input at any time, Step Functions answers ExecutionAlreadyExists, until 90 days after the end; so the input decides which of the
// two it was. This is true of Standard workflows: an Express workflow runs again whatever its name, and needs a record of your own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"github.com/ringonce/ringonce/clienttoken"
)

// errOtherInput says that the key was used before, with another input.
var errOtherInput = errors.New("an execution with another input was started for this key")

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	machine := flag.String("machine", "", "ARN of the state machine, a Standard workflow, without version or alias")
	input := flag.String("input", "{}", "JSON")
	flag.Parse()
	if err := run(context.Background(), key, *machine, *input); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, machine, input string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := sfn.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		arn, err := start(ctx, client, key, machine, input)
		if err != nil {
			return err
		}
		fmt.Println("execution", arn)
	}
	return nil
}

// start starts the execution of a key, or returns the one that was started, running or ended.
func start(ctx context.Context, client *sfn.Client, key clienttoken.Input, machine, input string) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	rule, err := clienttoken.For("stepfunctions", "StartExecution")
	if err != nil {
		return "", err
	}
	name, err := maker.For(rule.Service, rule.Operation, key)
	if err != nil {
		return "", err
	}
	in := &sfn.StartExecutionInput{StateMachineArn: &machine, Input: &input}
	if err := rule.Fill(in, name); err != nil {
		return "", err
	}
	out, err := client.StartExecution(ctx, in)
	if _, exists := errors.AsType[*types.ExecutionAlreadyExists](err); exists {
		return existing(ctx, client, machine, name, input)
	}
	if err != nil {
		return "", err
	}
	return *out.ExecutionArn, nil
}

// existing returns the execution of a name if it has the input. The comparison is of bytes: write the input of a key always the same way.
func existing(ctx context.Context, client *sfn.Client, machine, name, input string) (string, error) {
	arn := strings.Replace(machine, ":stateMachine:", ":execution:", 1) + ":" + name
	out, err := client.DescribeExecution(ctx, &sfn.DescribeExecutionInput{ExecutionArn: &arn})
	if err != nil {
		return "", err
	}
	if out.Input == nil || *out.Input != input {
		return "", errOtherInput
	}
	return arn, nil
}

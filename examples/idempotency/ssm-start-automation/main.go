// Command ssm-start-automation starts one automation for one key, however often it is run:
//
//	go run ./ssm-start-automation -document AWS-RestartEC2Instance -notification notification-12345 -recipient user-67890
//
// The SDK does not fill the token, which must be a UUID: Rule.Fill sets it. The reference says that it "can't be reused" and not what a repeat
// gets, so the directory -record is what is relied on: an automation whose answer was lost is in doubt and is not started again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

func main() {
	var key clienttoken.Input
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "for whom it is")
	document := flag.String("document", "", "name of the document")
	dir := flag.String("record", ".", "directory that remembers what was started")
	flag.Parse()
	if err := run(context.Background(), key, *document, record.Record{Dir: *dir}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, document string, remembered record.Record) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := ssm.NewFromConfig(cfg)
	for range 2 { // the repeat is answered from the record
		id, err := startOnce(ctx, client, key, document, remembered)
		if err != nil {
			return err
		}
		fmt.Println("automation", id)
	}
	return nil
}

// startOnce starts the automation of a key, or returns the one that was started.
func startOnce(ctx context.Context, client *ssm.Client, key clienttoken.Input, document string, remembered record.Record) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	rule, err := clienttoken.For("ssm", "StartAutomationExecution")
	if err != nil {
		return "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	if err != nil {
		return "", err
	}
	in := &ssm.StartAutomationExecutionInput{DocumentName: &document}
	if err := rule.Fill(in, token); err != nil {
		return "", err
	}
	return remembered.Once(rule, token, func() (string, error) {
		out, err := client.StartAutomationExecution(ctx, in, func(o *ssm.Options) { o.Retryer = aws.NopRetryer{} }) // one wire request
		if err != nil {
			return "", record.Refused(err)
		}
		return *out.AutomationExecutionId, nil
	})
}

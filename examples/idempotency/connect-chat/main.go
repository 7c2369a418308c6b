// Command connect-chat starts one chat for one key, however often it is run:
//
//	go run ./connect-chat -instance ID -flow ID -notification notification-12345 -recipient user-67890
//
// Nobody says what a repeat of the token of StartChatContact does, or for how long it is remembered. So the token is sent, since it may help
// and does no harm, and the directory -record is what is relied on: a chat whose answer was lost is in doubt and is not started again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

// contact is what is asked for.
type contact struct{ instance, flow, name string }

func main() {
	var key clienttoken.Input
	var to contact
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "whom it is about")
	flag.StringVar(&to.instance, "instance", "", "id of the instance")
	flag.StringVar(&to.flow, "flow", "", "id of the flow")
	flag.StringVar(&to.name, "name", "customer", "name of the customer in the chat")
	dir := flag.String("record", ".", "directory that remembers what was started")
	flag.Parse()
	if err := run(context.Background(), key, to, record.Record{Dir: *dir}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, to contact, remembered record.Record) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := connect.NewFromConfig(cfg)
	for range 2 { // the repeat is answered from the record
		id, err := startOnce(ctx, client, key, to, remembered)
		if err != nil {
			return err
		}
		fmt.Println("contact", id)
	}
	return nil
}

// startOnce starts the chat of a key, or returns the one that was started.
func startOnce(ctx context.Context, client *connect.Client, key clienttoken.Input, to contact, remembered record.Record) (string, error) {
	rule, token, err := tokenOf(key)
	if err != nil {
		return "", err
	}
	return remembered.Once(rule, token, func() (string, error) {
		id, err := start(ctx, client, token, to)
		return id, record.Refused(err)
	})
}

// tokenOf derives the token of a key; it differs from that of a call for the same key.
func tokenOf(key clienttoken.Input) (clienttoken.Rule, string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	rule, err := clienttoken.For("connect", "StartChatContact")
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	return rule, token, err
}

// start sends one wire request and no more: the SDK would repeat a lost one by itself, and what a repeat does is not documented.
func start(ctx context.Context, client *connect.Client, token string, to contact) (string, error) {
	out, err := client.StartChatContact(ctx, &connect.StartChatContactInput{
		ClientToken:        &token,
		InstanceId:         &to.instance,
		ContactFlowId:      &to.flow,
		ParticipantDetails: &types.ParticipantDetails{DisplayName: &to.name},
	}, func(o *connect.Options) { o.Retryer = aws.NopRetryer{} })
	if err != nil {
		return "", err
	}
	return *out.ContactId, nil
}

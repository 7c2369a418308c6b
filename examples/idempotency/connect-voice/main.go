// Command connect-voice places one call for one key, however often it is run:
//
//	go run ./connect-voice -instance ID -flow ID -queue ID -number +819000000001 -notification notification-12345 -recipient user-67890
//
// The token answers for 7 days after its creation. After that, and once the contact has ended under the reading of 2021, a repeat rings again:
// the directory -record remembers longer. ringonce itself does this with evidence, history and conflicts.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

// call is what is asked for.
type call struct{ instance, flow, queue, number string }

func main() {
	var key clienttoken.Input
	var to call
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "who is rung")
	flag.StringVar(&to.instance, "instance", "", "id of the instance")
	flag.StringVar(&to.flow, "flow", "", "id of the flow")
	flag.StringVar(&to.queue, "queue", "", "id of the queue")
	flag.StringVar(&to.number, "number", "", "the phone number, E.164")
	dir := flag.String("record", ".", "directory that remembers what was placed")
	flag.Parse()
	if err := run(context.Background(), key, to, record.Record{Dir: *dir}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, to call, remembered record.Record) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := connect.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		id, err := placeOnce(ctx, client, key, to, remembered)
		if err != nil {
			return err
		}
		fmt.Println("contact", id)
	}
	return nil
}

// placeOnce is place with a record: one call for a key, also after the token has ended.
func placeOnce(ctx context.Context, client *connect.Client, key clienttoken.Input, to call, remembered record.Record) (string, error) {
	rule, token, err := tokenOf(key)
	if err != nil {
		return "", err
	}
	return remembered.Once(rule, token, func() (string, error) { return place(ctx, client, token, to) })
}

// tokenOf derives the token of a key.
func tokenOf(key clienttoken.Input) (clienttoken.Rule, string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	rule, err := clienttoken.For("connect", "StartOutboundVoiceContact")
	if err != nil {
		return clienttoken.Rule{}, "", err
	}
	token, err := maker.For(rule.Service, rule.Operation, key)
	return rule, token, err
}

// place sends one request. The SDK repeats it by itself when an answer is lost, with the same token.
func place(ctx context.Context, client *connect.Client, token string, to call) (string, error) {
	out, err := client.StartOutboundVoiceContact(ctx, &connect.StartOutboundVoiceContactInput{
		ClientToken:            &token,
		InstanceId:             &to.instance,
		ContactFlowId:          &to.flow,
		QueueId:                &to.queue,
		DestinationPhoneNumber: &to.number,
	})
	if err != nil {
		return "", err
	}
	return *out.ContactId, nil
}

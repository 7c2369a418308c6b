package clienttoken_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/clienttoken"
)

// One key has a token of its own for every operation, in the form that the operation takes. Where there is none, the error says what to do.
func ExampleMaker_For() {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	key := clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	for _, api := range [][2]string{{"ec2", "RunInstances"}, {"dynamodb", "TransactWriteItems"}, {"acm", "RequestCertificate"}, {"sesv2", "SendEmail"}} {
		token, err := maker.For(api[0], api[1], key)
		if failure, ok := errors.AsType[*clienttoken.Error](err); ok {
			fmt.Println(api[1], failure.Code+":", failure.Fix)
			continue
		}
		fmt.Println(api[1], token)
	}
	// Output:
	// RunInstances 071b1302bb2328f3a56451b391a83278c38bf9798ebaff999c464fec2c34b186
	// TransactWriteItems a9b49538-3d90-8d03-91a0-31cca9819394
	// RequestCertificate 7179161c5c60548915479cfc867a8b50
	// SendEmail token_none: There is no token. Record the intent before the request and its answer after it, and never repeat a request whose answer was lost without looking for its effect.
}

// A provider is given to one request of a client, never to the client.
func ExampleProvider() {
	var sent string
	client := scheduler.New(scheduler.Options{Region: "us-east-1", Credentials: anonymous{}, HTTPClient: capture(&sent)})
	_, err := client.DeleteSchedule(context.Background(), &scheduler.DeleteScheduleInput{Name: aws.String("reminder")}, func(o *scheduler.Options) {
		o.IdempotencyTokenProvider = clienttoken.Provider("token-of-the-key")
	})
	fmt.Println(sent, err)
	// Output: token-of-the-key <nil>
}

// Fill sets the member that the SDK leaves alone, here that of a FIFO queue. It replaces nothing.
func ExampleRule_Fill() {
	rule, err := clienttoken.For("sqs", "SendMessage")
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := rule.Token("call-notification-12345-user-67890") // by any recipe
	if err != nil {
		fmt.Println(err)
		return
	}
	in := &sqs.SendMessageInput{}
	fmt.Println(rule.Fill(in, token), *in.MessageDeduplicationId == token)
	fmt.Println(rule.Fill(in, "another"))
	// Output:
	// <nil> true
	// parameter_set: MessageDeduplicationId is set already; leave it empty, or keep it and do not call Fill
}

package connect

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/internal/call"
)

// startContact calls the operation of the send's kind and returns the contact id of its answer, nil when it has none. Inputs are made for
// one attempt each: the SDK writes into them. They hold the members that it demands; what goes on the wire are the stored bytes
// (serialize.go). A chat's answer also holds a token with which its holder can speak as the customer. It is dropped here.
func startContact(ctx context.Context, client *awsconnect.Client, s call.Send) (contactID *string, err error) {
	stored, token := aws.String("stored"), aws.String(s.Token)
	switch s.Kind {
	case call.KindChat:
		output, err := client.StartChatContact(ctx, &awsconnect.StartChatContactInput{
			ClientToken: token, ContactFlowId: stored, InstanceId: stored, ParticipantDetails: &types.ParticipantDetails{DisplayName: stored},
		})
		if err != nil {
			return nil, err
		}
		return output.ContactId, nil
	case call.KindTask:
		output, err := client.StartTaskContact(ctx, &awsconnect.StartTaskContactInput{ClientToken: token, InstanceId: stored, Name: stored})
		if err != nil {
			return nil, err
		}
		return output.ContactId, nil
	case call.KindVoice:
	}
	output, err := client.StartOutboundVoiceContact(ctx, &awsconnect.StartOutboundVoiceContactInput{
		ClientToken: token, ContactFlowId: stored, DestinationPhoneNumber: stored, InstanceId: stored,
	})
	if err != nil {
		return nil, err
	}
	return output.ContactId, nil
}

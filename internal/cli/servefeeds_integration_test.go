//go:build integration

package cli

import (
	"path"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
)

// sourceARN is the name of the polled queue as other services know it.
func (s *station) sourceARN() string {
	return "arn:aws:sqs:us-east-1:123456789012:" + path.Base(s.source)
}

// publishes sends requests by topics of SNS to the polled queue: the first as a notification, the second raw.
func (s *station) publishes(notified, raw string) {
	s.t.Helper()
	client := sns.NewFromConfig(s.aws)
	for name, body := range map[string]string{"notified": notified, "raw": raw} {
		topic, err := client.CreateTopic(s.t.Context(), &sns.CreateTopicInput{Name: &name})
		if err != nil {
			s.t.Fatal(err)
		}
		in := &sns.SubscribeInput{TopicArn: topic.TopicArn, Protocol: aws.String("sqs"), Endpoint: aws.String(s.sourceARN())}
		if name == "raw" {
			in.Attributes = map[string]string{"RawMessageDelivery": "true"}
		}
		if _, err := client.Subscribe(s.t.Context(), in); err != nil {
			s.t.Fatal(err)
		}
		if _, err := client.Publish(s.t.Context(), &sns.PublishInput{TopicArn: topic.TopicArn, Message: &body}); err != nil {
			s.t.Fatal(err)
		}
	}
}

package sqsqueue_test

import (
	"net/http/httptest"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/sqsqueue"
)

func TestTheRegionIsTheOneInTheURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://sqs.ap-northeast-1.amazonaws.com/111122223333/calls":                  "ap-northeast-1",
		"https://sqs.us-gov-west-1.amazonaws.com/111122223333/calls":                   "us-gov-west-1",
		"https://sqs.cn-north-1.amazonaws.com.cn/111122223333/calls":                   "cn-north-1",
		"https://sqs-fips.us-east-1.amazonaws.com/111122223333/calls":                  "us-east-1",
		"https://eu-west-1.queue.amazonaws.com/111122223333/calls":                     "eu-west-1",
		"https://vpce-0a1b2c-3d4e.sqs.us-east-1.vpce.amazonaws.com/111122223333/calls": "us-east-1",
		"https://sqs.us-east-1.amazonaws.com.attacker.example/111122223333/calls":      "",
		"https://attacker.example/sqs.us-east-1.amazonaws.com/calls":                   "",
		"http://127.0.0.1:5000/111122223333/calls":                                     "",
		"arn:aws:sqs:us-east-1:111122223333:calls":                                     "",
		"::": "",
	} {
		if got := sqsqueue.RegionOf(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

func TestWhatIsNoQueueOfSQSIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	for url, endpoint := range map[string]string{
		"":      "",
		"calls": "",
		"arn:aws:sqs:us-east-1:111122223333:calls":              "",
		"https://attacker.example/111122223333/calls":           "",
		"http://sqs.us-east-1.amazonaws.com/111122223333/calls": "",
		"https://sqs.us-east-1.amazonaws.com/":                  "",
		"http://127.0.0.1:1/111122223333/calls":                 "http://127.0.0.1:1", // the Region is missing
	} {
		_, err := sqsqueue.Open(t.Context(), sqsqueue.Options{URL: url, Endpoint: endpoint})
		if call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAQueueThatMovesMessagesOnSaysSo(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{
		"": 0, `{"deadLetterTargetArn":"arn","maxReceiveCount":"5"}`: 5, `{"maxReceiveCount":12}`: 12, `{"maxReceiveCount":`: 0,
	} {
		s, _ := newServer(t, 0)
		s.policy = policy
		web := httptest.NewServer(s)
		if q := s.open(t, web.URL); q.MaxReceives != want {
			t.Errorf("%s: %d, want %d", policy, q.MaxReceives, want)
		}
		web.Close()
	}
}

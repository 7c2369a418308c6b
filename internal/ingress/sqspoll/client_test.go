package sqspoll_test

import (
	"context"
	"crypto/md5" // SQS defines it
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

// api answers like SQS as far as a client asks it, and remembers what it was asked.
type api struct {
	mu    sync.Mutex
	asked map[string][]map[string]any // by action
	fail  string                      // this action is answered with an error
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	var in map[string]any
	_ = json.NewDecoder(r.Body).Decode(&in)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked[action] = append(a.asked[action], in)
	if a.fail == action {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"secret body"}`)
		return
	}
	const body = `{"notificationId":"n-1"}`
	sum := md5.Sum([]byte(body))
	answers := map[string]string{
		"GetQueueAttributes": `{"Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:111122223333:calls.fifo"}}`,
		"ReceiveMessage": fmt.Sprintf(`{"Messages":[{"MessageId":"m-1","ReceiptHandle":"h-1","Body":%q,"MD5OfBody":%q,"Attributes":{"ApproximateReceiveCount":"3","MessageGroupId":"g"}}]}`,
			body, hex.EncodeToString(sum[:])),
		"DeleteMessageBatch":           `{"Successful":[{"Id":"0"}],"Failed":[{"Id":"1","SenderFault":true,"Code":"ReceiptHandleIsInvalid"},{"Id":"2","SenderFault":false,"Code":"InternalError"}]}`,
		"ChangeMessageVisibilityBatch": `{"Successful":[{"Id":"0"}],"Failed":[]}`,
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = fmt.Fprint(w, answers[action])
}

func newClient(t *testing.T) (*sqspoll.Client, *api) {
	t.Helper()
	a := &api{asked: map[string][]map[string]any{}}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	c, err := sqspoll.NewClient(sqspoll.ClientOptions{
		URL: server.URL + "/111122223333/calls.fifo", Region: "us-east-1", Endpoint: server.URL,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, a
}

func TestAMessageIsReceivedAsTheDocumentOfLambdaWithItsGroupAndItsReceives(t *testing.T) {
	t.Parallel()
	c, a := newClient(t)
	for range 2 {
		got, err := c.Receive(t.Context(), 7, 20*time.Second, time.Minute)
		if err != nil || len(got) != 1 || got[0].ID != "m-1" || got[0].Handle != "h-1" || got[0].Group != "g" || got[0].Receives != 3 {
			t.Fatalf("%+v, %v", got, err)
		}
		var document struct {
			Records []struct{ MessageID, Body, EventSource, EventSourceARN, AWSRegion string }
		}
		if err := json.Unmarshal(got[0].Document, &document); err != nil || len(document.Records) != 1 ||
			document.Records[0].EventSourceARN != "arn:aws:sqs:us-east-1:111122223333:calls.fifo" || document.Records[0].EventSource != "aws:sqs" {
			t.Errorf("%s, %v", got[0].Document, err)
		}
	}
	in := a.asked["ReceiveMessage"][0]
	if in["MaxNumberOfMessages"] != 7.0 || in["WaitTimeSeconds"] != 20.0 || in["VisibilityTimeout"] != 60.0 {
		t.Errorf("asked %v", in)
	}
	if n := len(a.asked["GetQueueAttributes"]); n != 1 {
		t.Errorf("the ARN was asked for %d times", n)
	}
}

func TestScenarioI28I34EntriesThatFailAreNamedByTheirPlaceAndSaidToBeFinalWhereTheyAre(t *testing.T) {
	t.Parallel()
	c, a := newClient(t)
	failed, err := c.Delete(t.Context(), []string{"h-1", "h-2", "h-3"})
	if _, first := failed[0]; err != nil || first || !failed[1].Final || failed[2].Final || len(failed) != 2 {
		t.Errorf("%v, %v", failed, err)
	}
	if failed, err = c.Change(t.Context(), []sqspoll.Change{{Handle: "h-1", For: 90 * time.Second}}); err != nil || len(failed) != 0 {
		t.Errorf("%v, %v", failed, err)
	}
	if text := fmt.Sprint(a.asked["ChangeMessageVisibilityBatch"]); !strings.Contains(text, "VisibilityTimeout:90") {
		t.Errorf("asked %s", text)
	}
}

func TestAnErrorOfSQSIsNamedByItsRequestAndCodeAndNothingElse(t *testing.T) {
	t.Parallel()
	for action, call := range map[string]func(c *sqspoll.Client) error{
		"GetQueueAttributes": func(c *sqspoll.Client) error { _, err := c.Receive(t.Context(), 1, 0, time.Minute); return err },
		"ReceiveMessage":     func(c *sqspoll.Client) error { _, err := c.Receive(t.Context(), 1, 0, time.Minute); return err },
		"DeleteMessageBatch": func(c *sqspoll.Client) error { _, err := c.Delete(t.Context(), []string{"h"}); return err },
		"ChangeMessageVisibilityBatch": func(c *sqspoll.Client) error {
			_, err := c.Change(t.Context(), []sqspoll.Change{{Handle: "h"}})
			return err
		},
	} {
		c, a := newClient(t)
		a.fail = action
		err := call(c)
		if err == nil || !strings.Contains(err.Error(), "SQS answered "+action+" with") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", action, err)
		}
		if n := len(a.asked[action]); n != 1 {
			t.Errorf("%s was sent %d times: the tries are the poller's", action, n)
		}
	}
}

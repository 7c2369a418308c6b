package main

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/internal/standin"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

var (
	key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	to  = contact{instance: "11111111-2222-4333-8444-555555555555", flow: "22222222-2222-4333-8444-555555555555", name: "example"}
)

func service(t *testing.T, honors bool) (*standin.Contacts, *connect.Client) {
	t.Helper()
	contacts := &standin.Contacts{Honors: honors}
	front := httptest.NewServer(contacts)
	t.Cleanup(front.Close)
	return contacts, connect.NewFromConfig(local.Config(front.URL))
}

func TestTheTokenAloneDependsOnTheReading(t *testing.T) {
	t.Parallel()
	for honors, want := range map[bool]int{true: 1, false: 2} {
		contacts, client := service(t, honors)
		for range 2 {
			_, token, err := tokenOf(key)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := start(t.Context(), client, token, to); err != nil {
				t.Fatal(err)
			}
		}
		if got := contacts.Started(); got != want {
			t.Errorf("a service that honors the token (%t) started %d, want %d", honors, got, want)
		}
	}
}

func TestTheRecordStartsOneUnderBothReadings(t *testing.T) {
	t.Parallel()
	for _, honors := range []bool{true, false} {
		contacts, client := service(t, honors)
		remembered := record.Record{Dir: t.TempDir()}
		first, err := startOnce(t.Context(), client, key, to, remembered)
		if err != nil {
			t.Fatal(err)
		}
		again, err := startOnce(t.Context(), client, key, to, remembered)
		if err != nil || again != first || contacts.Started() != 1 {
			t.Errorf("honors %t: %d started, %q and %q, %v", honors, contacts.Started(), first, again, err)
		}
	}
}

func TestALostAnswerIsInDoubtAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, honors := range []bool{true, false} {
		contacts, client := service(t, honors)
		contacts.LoseAnswers(1)
		remembered := record.Record{Dir: t.TempDir()}
		_, first := startOnce(t.Context(), client, key, to, remembered)
		_, second := startOnce(t.Context(), client, key, to, remembered)
		if first == nil || !errors.Is(second, record.ErrInDoubt) || contacts.Started() != 1 {
			t.Errorf("honors %t: %d started; %v; %v", honors, contacts.Started(), first, second)
		}
	}
}

// Without the derived token and the record, even a service that honors tokens starts two.
func TestTheRandomTokenOfTheSDKStartsTwo(t *testing.T) {
	t.Parallel()
	contacts, client := service(t, true)
	for range 2 {
		in := connect.StartChatContactInput{InstanceId: &to.instance, ContactFlowId: &to.flow, ParticipantDetails: &types.ParticipantDetails{DisplayName: &to.name}}
		if _, err := client.StartChatContact(t.Context(), &in); err != nil {
			t.Fatal(err)
		}
	}
	if got := contacts.Started(); got != 2 {
		t.Errorf("%d started, want 2", got)
	}
}

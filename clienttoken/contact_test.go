package clienttoken_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/clienttoken"
)

func TestTheTokenOfAContactIsThatOfItsRule(t *testing.T) {
	t.Parallel()
	for _, operation := range []string{clienttoken.StartChatContact, clienttoken.StartTaskContact} {
		rule, err := clienttoken.For("connect", operation)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			base := rapid.StringN(1, 500, -1).Draw(t, "base")
			want, err := rule.Token(base)
			if got := clienttoken.ContactToken(operation, base); err != nil || got != want || !rule.Takes(got) {
				t.Fatalf("ContactToken(%s) = %s, the rule says %s, %v", operation, got, want, err)
			}
		})
	}
	if got := clienttoken.ContactToken(clienttoken.StartChatContact, ""); got != "" {
		t.Errorf("the token of nothing is %q", got)
	}
}

// kindTokens returns the tokens of one request under every kind of contact: voice, chat, task.
func kindTokens(m *clienttoken.Maker, in clienttoken.Input) ([]string, error) {
	base, err := m.Token(in)
	return []string{base, clienttoken.ContactToken(clienttoken.StartChatContact, base), clienttoken.ContactToken(clienttoken.StartTaskContact, base)}, err
}

// The same ids, under every recipe, with and without a key space and a recallId, at the first rings: no token twice.
func TestTheSameIDsHaveOneTokenForEachKindAndRing(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]clienttoken.Options{
		"sha256":      {},
		"hmac-sha256": {Recipe: clienttoken.HMACSHA256, Key: make([]byte, clienttoken.MinKeyBytes)},
		"template":    {Recipe: clienttoken.Template, Template: "call-{keySpace}-{notificationId}-{recipientId}-{recallId}"},
		"message":     {Recipe: clienttoken.Message},
		"event-id":    {Recipe: clienttoken.EventID},
	} {
		maker, err := clienttoken.New(options)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for ring := range 4 {
			tokens, err := kindTokens(maker, clienttoken.Input{
				KeySpace: "space", NotificationID: "notification-12345", RecipientID: "user-67890", RecallID: "recall-2",
				ClientToken: "call-1", EventID: "6a7e8feb-b491-4cf7-a9f1-bf3703467718", Ring: ring,
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, token := range tokens {
				if token == "" || seen[token] {
					t.Errorf("%s: ring %d has the token %q of another", name, ring, token)
				}
				seen[token] = true
			}
		}
	}
}

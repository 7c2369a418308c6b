package clienttoken_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/clienttoken"
)

func drawInput(t *rapid.T) clienttoken.Input {
	text := rapid.StringN(0, 6, -1)
	return clienttoken.Input{
		KeySpace:       text.Draw(t, "keySpace"),
		NotificationID: text.Draw(t, "notificationId"),
		RecipientID:    text.Draw(t, "recipientId"),
		RecallID:       text.Draw(t, "recallId"),
		ClientToken:    text.Draw(t, "clientToken"),
		EventID:        text.Draw(t, "eventId"),
		Ring:           rapid.IntRange(-1, 3).Draw(t, "ring"),
	}
}

// checkToken holds what is true of every recipe and every input.
func checkToken(o clienttoken.Options, in clienttoken.Input) error {
	var tokens [2]string
	for i := range tokens {
		m, err := clienttoken.New(o)
		if err != nil {
			return checkError(err)
		}
		token, err := m.Token(in)
		if err != nil {
			if token != "" {
				return errors.New("an error came with a token")
			}
			return checkError(err)
		}
		if n := utf8.RuneCountInString(token); n == 0 || n > clienttoken.MaxLength || !utf8.ValidString(token) {
			return errors.New("the token is empty, too long or not UTF-8")
		}
		tokens[i] = token
	}
	if tokens[0] != tokens[1] {
		return errors.New("two Makers differ")
	}
	return nil
}

func checkError(err error) error {
	failure, ok := errors.AsType[*clienttoken.Error](err)
	if !ok || !slices.Contains(allCodes, failure.Code) {
		return fmt.Errorf("the error has no published code: %w", err)
	}
	if failure.Field == "" || failure.Message == "" || failure.Fix == "" {
		return fmt.Errorf("the error is not complete: %w", err)
	}
	return nil
}

func TestTokensAreDeterministicAndBounded(t *testing.T) {
	t.Parallel()
	for _, recipe := range clienttoken.Recipes() {
		rapid.Check(t, func(t *rapid.T) {
			if err := checkToken(optionsOf(recipe), drawInput(t)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRingAndRecallAlwaysChangeTheToken holds for every recipe over ids: a further
// ring that got the token of an earlier one would never be dialed.
func TestRingAndRecallAlwaysChangeTheToken(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ab1{}\-電\x{301}]{1,5}`)
	maybe := rapid.OneOf(rapid.Just(""), text)
	for _, c := range []struct {
		options             clienttoken.Options
		keySpaces, recallID *rapid.Generator[string]
	}{
		{optionsOf(clienttoken.SHA256), maybe, maybe},
		{optionsOf(clienttoken.HMACSHA256), maybe, maybe},
		{clienttoken.Options{Recipe: clienttoken.Template, Template: "{keySpace}{notificationId}{recipientId}"}, text, rapid.Just("")},
		{clienttoken.Options{Recipe: clienttoken.Template, Template: "{notificationId}{recipientId}{recallId}"}, rapid.Just(""), text},
	} {
		m := newMaker(t, c.options)
		rapid.Check(t, func(t *rapid.T) {
			in := clienttoken.Input{
				KeySpace: c.keySpaces.Draw(t, "keySpace"), NotificationID: text.Draw(t, "notificationId"),
				RecipientID: text.Draw(t, "recipientId"), RecallID: c.recallID.Draw(t, "recallId"),
			}
			first, err := m.Token(in)
			if err != nil {
				t.Fatal(err)
			}
			other := in
			other.RecallID += "+"
			if token, err := m.Token(other); err == nil && token == first {
				t.Fatal("another recallId has the same token")
			}
			other = in
			other.Ring = rapid.IntRange(1, 100).Draw(t, "later")
			if token, err := m.Token(other); err != nil || token == first {
				t.Fatalf("another ring has the same token (%v)", err)
			}
		})
	}
}

func FuzzToken(f *testing.F) {
	f.Add("sha256", "", []byte(nil), "", "notification-12345", "user-67890", "", "", "", 0)
	f.Add("sha256", "", []byte(nil), "受注", "通知", "👨‍👩‍👧‍👦", "recall-2", "", "", 10)
	f.Add("template", "call-{notificationId}-{recipientId}", []byte(nil), "", "{recipientId}", "}{", "", "", "", 1)
	f.Add("template", "{{notificationId}}{", []byte(nil), "", "a", "b", "", "", "", 0)
	f.Add("template", "{keySpace}{notificationId}{recipientId}{recallId}", []byte(nil), "k", "a", "b", "c", "", "", 0)
	f.Add("message", "", []byte(nil), "k", "", "", "", "token", "", 2)
	f.Add("event-id", "", []byte(nil), "", "", "", "", "", "6a7e8feb-b491-4cf7-a9f1-bf3703467718", 1)
	f.Add("hmac-sha256", "", testKey, "", "caf\u00e9", "cafe\u0301", "\xff", "", "", -1)
	f.Fuzz(func(t *testing.T, recipe, template string, key []byte, keySpace, n, r, c, clientToken, eventID string, ring int) {
		o := clienttoken.Options{Recipe: clienttoken.Recipe(recipe), Template: template, Key: key}
		err := checkToken(o, clienttoken.Input{
			KeySpace: keySpace, NotificationID: n, RecipientID: r, RecallID: c, ClientToken: clientToken, EventID: eventID, Ring: ring,
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

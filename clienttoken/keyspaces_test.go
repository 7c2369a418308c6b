package clienttoken_test

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/clienttoken"
)

// usual are the characters of key spaces in most systems.
func usual(r rune) bool {
	return strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r)
}

func TestATemplateSeparatesKeySpacesByACharacterThatNoneHas(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]bool{
		"{keySpace}/{notificationId}-{recipientId}":              true,
		"call {keySpace}:{notificationId}{recipientId}":          true,
		"{keySpace}--/{notificationId}-{recipientId}":            true,
		"{keySpace}電{notificationId}{recipientId}{keySpace}":     true,
		"{notificationId}-{recipientId}/{keySpace}":              true,
		"{notificationId}-{recipientId}/x{keySpace} call":        true,
		"{notificationId}-{recipientId}":                         true, // no named key space has a token
		"{keySpace}-{notificationId}-{recipientId}":              false,
		"{keySpace}{notificationId}/{recipientId}":               false,
		"{notificationId}/{keySpace}/{recipientId}":              false,
		"{notificationId}/{recipientId}{keySpace}":               false,
		"{notificationId}/{recipientId}-{keySpace}/":             false,
		"{keySpace}-{notificationId}/{recipientId}-{keySpace}":   false,
		"/{keySpace}.{notificationId}/{recallId}/{recipientId}/": false,
	} {
		m, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: template})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.SeparatesKeySpaces(usual); got != want {
			t.Errorf("%s: %t", template, got)
		}
	}
	for _, recipe := range []clienttoken.Recipe{clienttoken.SHA256, clienttoken.HMACSHA256, clienttoken.Message, clienttoken.EventID} {
		if !newMaker(t, optionsOf(recipe)).SeparatesKeySpaces(usual) {
			t.Errorf("%s does not", recipe)
		}
	}
}

// TestOneKeySpaceTakesTheTokenOfAnotherUnderATemplateThatDoesNotSeparate shows what the method is for.
func TestOneKeySpaceTakesTheTokenOfAnotherUnderATemplateThatDoesNotSeparate(t *testing.T) {
	t.Parallel()
	m, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: "{keySpace}-{notificationId}-{recipientId}"})
	if err != nil {
		t.Fatal(err)
	}
	one, err := m.Token(clienttoken.Input{KeySpace: "crm", NotificationID: "eu-1", RecipientID: "k"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := m.Token(clienttoken.Input{KeySpace: "crm-eu", NotificationID: "1", RecipientID: "k"})
	if err != nil || one != other {
		t.Errorf("%q and %q, %v", one, other, err)
	}
	// A digit of a hash separates nothing: a ring's token is one.
	m, err = clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: "{keySpace}a{notificationId}{recipientId}"})
	if err != nil || m.SeparatesKeySpaces(func(r rune) bool { return r == 'b' || r == 'c' }) {
		t.Errorf("%v, or a digit of hashes separates", err)
	}
}

// words returns all texts of 1 to longest characters of an alphabet.
func words(alphabet string, longest int) (all []string) {
	last := []string{""}
	for range longest {
		var next []string
		for _, word := range last {
			for _, r := range alphabet {
				next = append(next, word+string(r))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// shares searches all short names and ids for two key spaces that get one token.
func shares(t *testing.T, m *clienttoken.Maker) bool {
	t.Helper()
	spaces := map[string]string{}
	ids := words("x/-", 2)
	for _, space := range words("x-", 2) {
		for _, notification := range ids {
			for _, recipient := range ids {
				token, err := m.Token(clienttoken.Input{KeySpace: space, NotificationID: notification, RecipientID: recipient})
				if err != nil {
					t.Fatal(err)
				}
				if before, known := spaces[token]; known && before != space {
					return true
				}
				spaces[token] = space
			}
		}
	}
	return false
}

// TestTokensOfTwoKeySpacesDifferWhereTheTemplateSeparatesThem tries every order of the placeholders with every short text between them.
func TestTokensOfTwoKeySpacesDifferWhereTheTemplateSeparatesThem(t *testing.T) {
	t.Parallel()
	inName := func(r rune) bool { return r == 'x' || r == '-' }
	separated, shared := 0, 0
	for _, order := range [][]string{
		{"{keySpace}", "{notificationId}", "{recipientId}"},
		{"{notificationId}", "{keySpace}", "{recipientId}"},
		{"{notificationId}", "{recipientId}", "{keySpace}"},
		{"{keySpace}", "{notificationId}", "{recipientId}{keySpace}"},
	} {
		for _, before := range []string{"", "/", "-"} {
			for _, first := range []string{"", "/", "-", "-/"} {
				for _, second := range []string{"", "/", "-", "/-"} {
					for _, behind := range []string{"", "/", "-"} {
						template := before + order[0] + first + order[1] + second + order[2] + behind
						m, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: template})
						if err != nil {
							t.Fatal(err)
						}
						switch separates, found := m.SeparatesKeySpaces(inName), shares(t, m); {
						case separates && found:
							t.Errorf("%s gives one token to two key spaces", template)
						case separates:
							separated++
						case found:
							shared++
						}
					}
				}
			}
		}
	}
	if separated < 100 || shared < 100 {
		t.Errorf("%d templates separate, and the search sees through %d of the others", separated, shared)
	}
}

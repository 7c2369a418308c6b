package clienttoken_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/ringonce/ringonce/clienttoken"
)

var allCodes = []string{
	clienttoken.CodeIDMissing, clienttoken.CodeIDControlCharacter, clienttoken.CodeIDNotUTF8,
	clienttoken.CodeClientTokenMissing, clienttoken.CodeEventIDMissing, clienttoken.CodeRingNegative,
	clienttoken.CodeTokenTooLong, clienttoken.CodeRecipeUnknown, clienttoken.CodeOptionUnused,
	clienttoken.CodeTemplateMissing, clienttoken.CodeTemplateNotUTF8, clienttoken.CodeTemplateControlCharacter,
	clienttoken.CodeTemplateMalformed, clienttoken.CodePlaceholderUnknown, clienttoken.CodeTemplateIDMissing,
	clienttoken.CodePlaceholderEmpty, clienttoken.CodeTemplateKeySpaceMissing,
	clienttoken.CodeTemplateRecallIDMissing, clienttoken.CodeHMACKeyMissing, clienttoken.CodeHMACKeyTooShort,
}

var (
	plainInput = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	testKey    = []byte("0123456789abcdef0123456789abcdef")
)

func newMaker(t testing.TB, o clienttoken.Options) *clienttoken.Maker {
	t.Helper()
	m, err := clienttoken.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// optionsOf returns working options for each recipe.
func optionsOf(recipe clienttoken.Recipe) clienttoken.Options {
	o := clienttoken.Options{Recipe: recipe}
	switch recipe {
	case clienttoken.Template:
		o.Template = "call-{notificationId}-{recipientId}"
	case clienttoken.HMACSHA256:
		o.Key = testKey
	case clienttoken.SHA256, clienttoken.Message, clienttoken.EventID:
	}
	return o
}

func wantCode(t *testing.T, err error, code, field string) {
	t.Helper()
	failure, ok := errors.AsType[*clienttoken.Error](err)
	if !ok {
		t.Fatalf("got %v, want an *Error with code %s", err, code)
	}
	if failure.Code != code || failure.Field != field {
		t.Fatalf("got %s at %s, want %s at %s", failure.Code, failure.Field, code, field)
	}
}

func TestZeroOptionsMakeSHA256Tokens(t *testing.T) {
	t.Parallel()
	m := newMaker(t, clienttoken.Options{})
	if m.Recipe() != clienttoken.SHA256 {
		t.Errorf("recipe %q", m.Recipe())
	}
	token, err := m.Token(plainInput)
	// printf 'notification-12345\nuser-67890' | sha256sum
	if want := "e6fc7b01ac85556d5376864f508b985202b5cbe380bc8503c15c523a2c922221"; err != nil || token != want {
		t.Errorf("got %q, %v, want %q", token, err, want)
	}
}

func TestInjectiveIsFalseForTemplateAndMessageOnly(t *testing.T) {
	t.Parallel()
	for _, recipe := range clienttoken.Recipes() {
		want := recipe != clienttoken.Template && recipe != clienttoken.Message
		if got := newMaker(t, optionsOf(recipe)).Injective(); got != want {
			t.Errorf("%s: injective %v, want %v", recipe, got, want)
		}
	}
}

func TestParseRecipeKnowsExactNamesOnly(t *testing.T) {
	t.Parallel()
	for _, recipe := range clienttoken.Recipes() {
		if got, err := clienttoken.ParseRecipe(string(recipe)); err != nil || got != recipe {
			t.Errorf("%q: got %q, %v", recipe, got, err)
		}
	}
	if got, err := clienttoken.ParseRecipe(""); err != nil || got != clienttoken.SHA256 {
		t.Errorf("empty name: got %q, %v", got, err)
	}
	for _, name := range []string{"SHA256", " sha256", "sha-256", "hmac"} {
		_, err := clienttoken.ParseRecipe(name)
		wantCode(t, err, clienttoken.CodeRecipeUnknown, "recipe")
	}
}

func TestInvalidUTF8IsRefusedInEveryField(t *testing.T) {
	t.Parallel()
	const bad = "a\xff"
	sha := newMaker(t, clienttoken.Options{})
	for field, set := range map[string]func(*clienttoken.Input){
		"notificationId": func(in *clienttoken.Input) { in.NotificationID = bad },
		"recipientId":    func(in *clienttoken.Input) { in.RecipientID = bad },
		"recallId":       func(in *clienttoken.Input) { in.RecallID = bad },
		"keySpace":       func(in *clienttoken.Input) { in.KeySpace = bad },
	} {
		in := plainInput
		set(&in)
		_, err := sha.Token(in)
		wantCode(t, err, clienttoken.CodeIDNotUTF8, field)
	}
	_, err := newMaker(t, optionsOf(clienttoken.Message)).Token(clienttoken.Input{ClientToken: bad})
	wantCode(t, err, clienttoken.CodeIDNotUTF8, "clientToken")
	_, err = newMaker(t, optionsOf(clienttoken.EventID)).Token(clienttoken.Input{EventID: bad})
	wantCode(t, err, clienttoken.CodeIDNotUTF8, "eventId")
	_, err = clienttoken.New(clienttoken.Options{Recipe: clienttoken.Template, Template: bad})
	wantCode(t, err, clienttoken.CodeTemplateNotUTF8, "template")
}

func TestExactlyTheControlCharactersAreRefused(t *testing.T) {
	t.Parallel()
	m := newMaker(t, clienttoken.Options{})
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue // surrogates are not characters
		}
		_, err := m.Token(clienttoken.Input{NotificationID: "a" + string(r), RecipientID: "b"})
		if refused := err != nil; refused != unicode.Is(unicode.Cc, r) {
			t.Fatalf("%U: refused %v", r, refused)
		}
	}
}

func TestErrorsNeverShowAValue(t *testing.T) {
	t.Parallel()
	const secret = "+12025550147"
	for _, recipe := range clienttoken.Recipes() {
		m := newMaker(t, optionsOf(recipe))
		for _, value := range []string{secret + "\n", secret + "\xff", strings.Repeat(secret, 50)} {
			_, err := m.Token(clienttoken.Input{
				KeySpace: secret, NotificationID: value, RecipientID: secret, RecallID: value, ClientToken: value, EventID: value,
			})
			if err != nil && strings.Contains(err.Error(), "2025550147") {
				t.Errorf("%s: the error shows an id: %v", recipe, err)
			}
		}
	}
	_, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.HMACSHA256, Key: []byte("short-secret")})
	if err == nil || strings.Contains(err.Error(), "short-secret") {
		t.Errorf("got %v", err)
	}
}

func TestMakerKeepsItsOwnCopyOfTheKey(t *testing.T) {
	t.Parallel()
	key := []byte(string(testKey))
	m := newMaker(t, clienttoken.Options{Recipe: clienttoken.HMACSHA256, Key: key})
	before, err := m.Token(plainInput)
	if err != nil {
		t.Fatal(err)
	}
	clear(key)
	if after, err := m.Token(plainInput); err != nil || after != before {
		t.Errorf("the token changed with the caller's key: %v", err)
	}
}

func TestAMakerThatNewDidNotMakeRefuses(t *testing.T) {
	t.Parallel()
	var m clienttoken.Maker
	token, err := m.Token(plainInput)
	wantCode(t, err, clienttoken.CodeRecipeUnknown, "recipe")
	if token != "" || m.Injective() {
		t.Errorf("token %q, injective %v", token, m.Injective())
	}
}

func TestOneMakerServesManyGoroutines(t *testing.T) {
	t.Parallel()
	for _, recipe := range clienttoken.Recipes() {
		m := newMaker(t, optionsOf(recipe))
		in := plainInput
		in.ClientToken, in.EventID, in.Ring = "t", "e", 1
		want, err := m.Token(in)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 50 {
					if got, err := m.Token(in); err != nil || got != want {
						t.Errorf("%s: got %q, %v", recipe, got, err)
						return
					}
				}
			})
		}
		group.Wait()
	}
}

package access_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

// published is an issuer whose key set is a URL.
func (l *lab) published(fetch access.Fetch, change ...func(*access.Options)) http.Handler {
	l.t.Helper()
	return l.guard(append(change, func(o *access.Options) {
		o.Issuers = []access.Issuer{{URL: issuer, Audience: audience, Kind: access.Producer, JWKSURL: "https://issuer.example/keys", Producers: map[string]string{"svc-crm": "crm"}}}
		o.Fetch = fetch
	})...)
}

// fresh is a good token of now.
func (l *lab) fresh() string {
	return l.token(object{"iat": l.clock.Now().Unix(), "exp": l.clock.Now().Add(time.Minute).Unix()})
}

// invented is a token that names a key nobody has.
func (l *lab) invented(kid string) string {
	return forge(object{"alg": "RS256", "kid": kid}, claims(nil), byRSA(l.strange))
}

func TestAnIssuerTakesItsKeysBackByASetWithoutUsableOnes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  string
		want int
	}{
		"no keys":               {`{"keys":[]}`, http.StatusUnauthorized},
		"keys of another use":   {`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"rsa","use":"enc","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, http.StatusUnauthorized},
		"keys of another curve": {`{"keys":[{"kty":"OKP","crv":"X25519","kid":"rsa","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, http.StatusUnauthorized},
		// What is no key set tells nothing about keys: it counts as an issuer that is down.
		"a document of errors": {`{"error":"unavailable"}`, http.StatusOK},
		"null":                 {`{"keys":null}`, http.StatusOK},
		"no document":          {`maintenance`, http.StatusOK},
		"a key without a type": {`{"keys":[7]}`, http.StatusOK},
	} {
		l := newLab(t)
		set := string(l.set())
		h := l.published(func(context.Context, string) ([]byte, error) { return []byte(set), nil })
		if ask(h, bearer(l.fresh())).Code != http.StatusOK {
			t.Fatal("a good token is refused")
		}
		set = c.set
		l.clock.move(time.Hour)
		if got := ask(h, bearer(l.fresh())).Code; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if told := strings.Contains(l.log.String(), "no usable key"); told != (c.want == http.StatusUnauthorized) {
			t.Errorf("%s: the log is %s", name, l.log)
		}
		set = string(l.set())
		l.clock.move(time.Minute)
		if ask(h, bearer(l.fresh())).Code != http.StatusOK {
			t.Errorf("%s: keys that are there again are not taken", name)
		}
	}
}

// hung is an issuer whose server takes the connection and says nothing until it is let go.
type hung struct {
	h   http.Handler
	let chan struct{}

	mu       sync.Mutex
	answered map[string]int // what was asked to the status
	open     int            // requests that are not answered
}

func newHung(l *lab, failures access.Rate) *hung {
	u := &hung{let: make(chan struct{}), answered: map[string]int{}}
	u.h = l.published(func(context.Context, string) ([]byte, error) {
		<-u.let
		return l.set(), nil
	}, func(o *access.Options) { o.Failures = failures })
	return u
}

// ask asks beside the test.
func (u *hung) ask(ctx context.Context, name, address, token string) {
	u.mu.Lock()
	u.open++
	u.mu.Unlock()
	go func() {
		w := ask(u.h, func(r *http.Request) {
			*r = *r.WithContext(ctx)
			r.RemoteAddr = address + ":1"
			bearer(token)(r)
		})
		u.mu.Lock()
		defer u.mu.Unlock()
		u.answered[name] = w.Code
		u.open--
	}()
	synctest.Wait()
}

// met is the status of an answer; 0 while there is none.
func (u *hung) met(name string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.answered[name]
}

var many = access.Rate{PerSecond: 1, Burst: 1_000_000}

func TestWhoeverGivesUpDoesNotWaitForTheKeysOfAnIssuerThatHangs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	synctest.Test(t, func(t *testing.T) {
		u := newHung(l, many)
		u.ask(t.Context(), "first", "192.0.2.1", l.invented("a"))
		leaving, leave := context.WithCancel(t.Context())
		u.ask(leaving, "leaving", "192.0.2.2", l.invented("b"))
		u.ask(t.Context(), "staying", "192.0.2.3", l.token(nil))
		if u.met("first") != 0 || u.met("leaving") != 0 || u.met("staying") != 0 {
			t.Error("somebody was answered before the keys were read")
		}
		leave()
		synctest.Wait()
		if u.met("leaving") != http.StatusUnauthorized || u.met("staying") != 0 {
			t.Errorf("who gave up met %d, who did not %d", u.met("leaving"), u.met("staying"))
		}
		close(u.let)
		synctest.Wait()
		if u.met("first") != http.StatusUnauthorized || u.met("staying") != http.StatusOK {
			t.Errorf("after the keys were read: %d and %d", u.met("first"), u.met("staying"))
		}
	})
}

func TestInventedKeyIDsOccupyFewPlacesWhileAnIssuerHangs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	synctest.Test(t, func(t *testing.T) {
		u := newHung(l, many)
		for i := range 256 {
			u.ask(t.Context(), fmt.Sprint(i), fmt.Sprintf("192.0.2.%d", i), l.invented(fmt.Sprint("kid-", i)))
		}
		if u.open > 33 {
			t.Errorf("%d requests wait", u.open)
		}
		if u.met("255") != http.StatusTooManyRequests {
			t.Errorf("who finds no place is answered %d", u.met("255"))
		}
		close(u.let)
		synctest.Wait()
	})
}

// TestAnAddressThatGuessedTooOftenDoesNotWaitForKeys, but a good token of it, with a key that is new, is let in all the same.
func TestAnAddressThatGuessedTooOftenDoesNotWaitForKeys(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	synctest.Test(t, func(t *testing.T) {
		u := newHung(l, access.Rate{PerSecond: 1, Burst: 1})
		u.ask(t.Context(), "guess", "192.0.2.1", "ro_guess")
		if u.met("guess") != http.StatusUnauthorized {
			t.Fatalf("a guess met %d", u.met("guess"))
		}
		u.ask(t.Context(), "good", "192.0.2.1", l.token(nil))
		u.ask(t.Context(), "invented", "192.0.2.1", l.invented("a"))
		if u.met("invented") != http.StatusTooManyRequests || u.met("good") != 0 {
			t.Errorf("%d and %d", u.met("invented"), u.met("good"))
		}
		close(u.let)
		synctest.Wait()
		if u.met("good") != http.StatusOK {
			t.Errorf("a good token of an address that guesses met %d", u.met("good"))
		}
	})
}

// TestAFetchThatPanicsKeepsNobodyWaiting holds that the place of the reader is given back whatever ends it.
func TestAFetchThatPanicsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	broken := errors.New("broken")
	failing := true
	h := l.published(func(context.Context, string) ([]byte, error) {
		if failing {
			panic(broken)
		}
		return l.set(), nil
	})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		ask(h, bearer(l.token(nil)))
	}()
	failing = false
	l.clock.move(time.Minute)
	if got := ask(h, bearer(l.fresh())).Code; got != http.StatusOK {
		t.Errorf("after a panic: %d", got)
	}
}

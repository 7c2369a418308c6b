package access_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTheLogSaysWhyATokenIsRefusedAndItsSenderIsNotTold takes one slip each that somebody makes who configures an issuer.
func TestTheLogSaysWhyATokenIsRefusedAndItsSenderIsNotTold(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	answers := map[int]string{}
	for reason, token := range map[string]func(*lab) string{
		"malformed": func(*lab) string { return "a.b.c" },
		"header": func(l *lab) string {
			return forge(object{"alg": "RS256", "kid": "rsa", "typ": "jwe"}, claims(nil), byRSA(l.rsa))
		},
		"unknown_issuer": func(l *lab) string { return l.token(object{"iss": issuer + "/"}) },
		"unknown_key":    func(l *lab) string { return forge(object{"alg": "RS256", "kid": "new"}, claims(nil), byRSA(l.rsa)) },
		"algorithm":      func(l *lab) string { return forge(object{"alg": "ES256", "kid": "rsa"}, claims(nil), byEC(l.ec)) },
		"signature":      func(l *lab) string { return forge(object{"alg": "RS256", "kid": "rsa"}, claims(nil), byRSA(l.strange)) },
		"audience":       func(l *lab) string { return l.token(object{"aud": "secret-other"}) },
		"times":          func(l *lab) string { return l.token(object{"iat": nil}) },
		"lifetime":       func(l *lab) string { return l.token(object{"exp": at(16 * time.Minute)}) },
		"expired":        func(l *lab) string { return l.token(object{"iat": at(-10 * time.Minute), "exp": at(-time.Minute)}) },
		"not_yet_valid":  func(l *lab) string { return l.token(object{"iat": at(time.Minute), "exp": at(2 * time.Minute)}) },
		"name":           func(l *lab) string { return l.token(object{"sub": nil}) },
		"no_role":        func(l *lab) string { return l.token(object{"iss": people, "roles": "secret-role"}) },
		"producer":       func(l *lab) string { return l.token(object{"sub": "secret-sub"}) },

		"key_space_not_granted": func(l *lab) string { return l.token(object{"space": "shop"}) },
	} {
		l := newLab(t)
		text := token(l)
		w := ask(l.guard(), bearer(text))
		if w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", reason, w.Code)
		}
		if told := l.log.String(); !strings.Contains(told, "kind=token reason="+reason+"\n") || strings.Contains(told, "secret") || strings.Contains(told, text[:5]) {
			t.Errorf("%s: the log says %s", reason, told)
		}
		if before, known := answers[w.Code]; known && before != w.Body.String() {
			t.Errorf("%s: the answer differs: %s", reason, w.Body)
		}
		answers[w.Code] = w.Body.String()
	}
}

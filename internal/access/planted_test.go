package access_test

import (
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	strict "github.com/go-json-experiment/json"
)

// defects are what a guard that somebody writes in an afternoon gets wrong.
type defects struct {
	prefixOnly, ignoresExpiry, ignoresRevocation, trimsKeys, urlKeys          bool // of API keys
	noneIsFine, confused, embedded, noExp, noLife, noAud, noIss, noNbf, noSub bool // of tokens
	firstOfSeveral, unverifiedCertificates, panics, loose                     bool // of requests
}

// sloppy is a guard of its own, written for nothing but to be wrong in one way. It shares no line with the real one.
type sloppy struct {
	l                      *lab
	d                      defects
	good, expired, revoked string
}

func (s sloppy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.takes(r) {
		w.WriteHeader(http.StatusOK)
		return
	}
	if s.d.panics && strings.Contains(r.Header.Get("Authorization"), "..") {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.WriteHeader(http.StatusUnauthorized)
}

func (s sloppy) takes(r *http.Request) bool {
	if s.d.urlKeys && r.URL.Query().Get("access_token") == s.good {
		return true
	}
	if r.TLS != nil {
		if s.d.unverifiedCertificates && len(r.TLS.VerifiedChains) == 0 {
			return true
		}
		if !s.d.firstOfSeveral {
			return false
		}
	}
	lines := r.Header.Values("Authorization")
	if len(lines) == 0 || len(lines) > 1 && !s.d.firstOfSeveral || !s.d.urlKeys && r.URL.RawQuery != "" || len(r.Header.Values("X-Api-Key")) > 0 {
		return false
	}
	text, ok := strings.CutPrefix(lines[0], "Bearer ")
	if s.d.trimsKeys {
		text = strings.TrimSpace(text)
	}
	return ok && (s.key(text) || s.token(text))
}

func (s sloppy) key(text string) bool {
	if s.d.prefixOnly && len(text) == len(s.good) && strings.HasPrefix(text, s.good[:15]) {
		return true
	}
	return text == s.good || s.d.ignoresExpiry && text == s.expired || s.d.ignoresRevocation && text == s.revoked
}

func (s sloppy) token(text string) bool {
	parts := strings.Split(text, ".")
	if len(parts) != 3 || len(text) > 8<<10 {
		return false
	}
	var header, payload object
	for i, into := range []*object{&header, &payload} {
		part, err := base64.RawURLEncoding.DecodeString(parts[i])
		read := func() error { return strict.Unmarshal(part, into) }
		if s.d.loose {
			read = func() error { return json.Unmarshal(part, into) }
		}
		if err != nil || read() != nil {
			return false
		}
	}
	return s.signed(text, parts, header) && s.claimed(payload)
}

func (s sloppy) signed(text string, parts []string, header object) bool {
	switch {
	case s.d.noneIsFine && header["alg"] == "none":
		return true
	case s.d.confused && header["alg"] == "HS256":
		der, err := x509.MarshalPKIXPublicKey(&s.l.rsa.PublicKey)
		if err != nil {
			return false
		}
		mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		mac.Write([]byte(parts[0] + "." + parts[1]))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) == parts[2]
	case s.d.embedded && header["jwk"] != nil:
		return verified(text, &s.l.strange.PublicKey)
	}
	return header["kid"] == "rsa" && header["alg"] == "RS256" && len(header) == 2 && verified(text, &s.l.rsa.PublicKey)
}

func verified(text string, key *rsa.PublicKey) bool {
	token, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return false
	}
	_, err = token.Verify(key)
	return err == nil
}

func (s sloppy) claimed(c object) bool {
	now := float64(s.l.clock.Now().Unix())
	number := func(name string) (float64, bool) { n, ok := c[name].(float64); return n, ok }
	iat, hasIat := number("iat")
	exp, hasExp := number("exp")
	nbf, hasNbf := number("nbf")
	sub, _ := c["sub"].(string)
	switch {
	case !hasIat || iat > now+30, !s.d.noExp && (!hasExp || exp+30 <= now || exp <= iat), !s.d.noLife && exp-iat > 900:
		return false
	case !s.d.noAud && c["aud"] != audience, !s.d.noIss && c["iss"] != issuer, !s.d.noSub && sub != "svc-crm":
		return false
	}
	return s.d.noNbf || (!hasNbf && c["nbf"] == nil) || hasNbf && nbf <= now+30
}

func TestTheMatrixSeesEveryPlantedDefect(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	good, expired, revoked := l.threeKeys()
	l.clock.move(5 * time.Second)
	all := l.matrix(good, expired, revoked)
	for name, d := range map[string]struct {
		planted defects
		seenBy  string
	}{
		"compares the prefix only":     {defects{prefixOnly: true}, "key: own prefix, other secret"},
		"takes expired keys":           {defects{ignoresExpiry: true}, "key: expired"},
		"takes revoked keys":           {defects{ignoresRevocation: true}, "key: revoked"},
		"trims what it is given":       {defects{trimsKeys: true}, "trailing space"},
		"takes keys from the URL":      {defects{urlKeys: true}, "in the query"},
		"takes alg none":               {defects{noneIsFine: true}, "token: alg none"},
		"does not pin the algorithm":   {defects{confused: true}, "token: HS256 with the public key"},
		"takes the key of the token":   {defects{embedded: true}, "token: embedded key"},
		"does not check exp":           {defects{noExp: true}, "token: expired"},
		"takes tokens that last":       {defects{noLife: true}, "token: exp far"},
		"does not check aud":           {defects{noAud: true}, "token: other aud"},
		"does not check iss":           {defects{noIss: true}, "token: unknown iss"},
		"does not check nbf":           {defects{noNbf: true}, "token: nbf in the future"},
		"does not check sub":           {defects{noSub: true}, "token: no sub"},
		"takes the first of several":   {defects{firstOfSeveral: true}, "two lines"},
		"takes whatever certificate":   {defects{unverifiedCertificates: true}, "certificate that was not verified"},
		"reads claims loosely":         {defects{loose: true}, "token: a claim twice"},
		"ends badly on a strange word": {defects{panics: true}, "token: dots"},
	} {
		wrong := accepted(sloppy{l: l, d: d.planted, good: good, expired: expired, revoked: revoked}, all)
		if wrong[d.seenBy] == 0 {
			t.Errorf("a guard that %s passes the matrix at %q; seen by %d others", name, d.seenBy, len(wrong))
		}
	}
	if wrong := accepted(sloppy{l: l, good: good, expired: expired, revoked: revoked}, all); len(wrong) > 0 {
		names := make([]string, 0, len(wrong))
		for name := range wrong {
			names = append(names, name)
		}
		slices.Sort(names)
		t.Errorf("without a defect it would be wrong too: %v", names)
	}
}

package access_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

// bad is a credential that must not be taken.
type bad struct {
	name string
	with func(*http.Request)
}

// matrix is every malformed credential, made for one lab. Of the keys it is given one that is good, one that has expired and one that was revoked.
func (l *lab) matrix(good, expired, revoked string) []bad {
	return append(append(l.badKeys(good, expired, revoked), l.badTokens()...), l.badRequests(good)...)
}

func (l *lab) badKeys(good, expired, revoked string) []bad {
	prefix, secret := good[:16], good[16:]
	other := strings.Map(func(r rune) rune {
		if r == 'a' {
			return 'b'
		}
		return 'a'
	}, secret[:52])
	unknown, err := access.KeyForTest(strings.NewReader(strings.Repeat("k", 64)))
	if err != nil {
		l.t.Fatal(err)
	}
	sealed := func(text string) string { return text + access.ChecksumForTest(text) }
	var all []bad
	for name, text := range map[string]string{
		"expired": expired, "revoked": revoked, "unknown": unknown, "prefix only": prefix[:15], "prefix and mark": prefix,
		"own prefix, other secret": sealed(prefix + other), "own secret, other prefix": sealed(unknown[:16] + secret[:52]),
		"wrong checksum": good[:len(good)-1] + flip(good[len(good)-1]), "one letter of the secret": good[:20] + flip(good[20]) + good[21:],
		"upper case": strings.ToUpper(good[:3]) + good[3:], "all upper case": strings.ToUpper(good), "too short": good[:len(good)-1], "too long": good + "a",
		"mark only": "ro_", "empty parts": "ro__", "two keys": good + good, "hash instead of the key": sum(good), "no mark": good[3:],
		"other mark": "rk_" + good[3:], "underscore moved": "ro" + good[3:4] + "_" + good[4:], "digit outside the alphabet": good[:20] + "1" + good[21:],
		"half a secret": sealed(prefix + secret[:26]), "8 KiB": "ro_" + strings.Repeat("a", 8<<10),
	} {
		all = append(all, bad{"key: " + name, bearer(text)})
	}
	return all
}

func textOf(o object) string {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func flip(c byte) string {
	if c == 'a' {
		return "b"
	}
	return "a"
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return strings.ToLower(base64.RawURLEncoding.EncodeToString(s[:]))
}

func (l *lab) badTokens() []bad {
	all := append(l.badHeaders(), l.badClaims()...)
	good := l.token(nil)
	parts := strings.Split(good, ".")
	for name, text := range map[string]string{
		"no signature": parts[0] + "." + parts[1] + ".", "two parts": parts[0] + "." + parts[1], "four parts": good + ".x", "five parts": good + ".x.y",
		"dots": "..", "no header": "." + parts[1] + "." + parts[2], "signature of another token": l.tokenWith(parts, "sub", "svc-other"),
		"signature cut": good[:len(good)-4], "payload changed": parts[0] + "." + encode(claims(object{"sub": "svc-shop"})) + "." + parts[2],
		"header changed":         encode(object{"alg": "RS256", "kid": "rsa", "typ": "JWT"}) + "." + parts[1] + "." + parts[2],
		"over 8 KiB":             l.token(object{"pad": strings.Repeat("x", 8<<10)}),
		"padded base64":          parts[0] + "." + parts[1] + "=." + parts[2],
		"payload is no object":   forge(object{"alg": "RS256", "kid": "rsa"}, "[1]", byRSA(l.rsa)),
		"payload is null":        forge(object{"alg": "RS256", "kid": "rsa"}, "null", byRSA(l.rsa)),
		"payload is no JSON":     forge(object{"alg": "RS256", "kid": "rsa"}, "{", byRSA(l.rsa)),
		"deep payload":           forge(object{"alg": "RS256", "kid": "rsa"}, strings.Repeat("[", 3000), byRSA(l.rsa)),
		"a claim twice":          forge(object{"alg": "RS256", "kid": "rsa"}, `{"sub":"svc-crm",`+textOf(claims(nil))[1:], byRSA(l.rsa)),
		"bytes that are no text": forge(object{"alg": "RS256", "kid": "rsa"}, "{\"iss\":\"\xff\"}", byRSA(l.rsa)),
	} {
		all = append(all, bad{"token: " + name, bearer(text)})
	}
	return all
}

func (l *lab) tokenWith(parts []string, name string, value any) string {
	other := strings.Split(l.token(object{name: value}), ".")
	return parts[0] + "." + parts[1] + "." + other[2]
}

func (l *lab) badHeaders() []bad {
	public, err := x509.MarshalPKIXPublicKey(&l.rsa.PublicKey)
	if err != nil {
		l.t.Fatal(err)
	}
	armored := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	hs := func(secret []byte) func([]byte) []byte {
		return func(text []byte) []byte {
			mac := hmac.New(sha256.New, secret)
			mac.Write(text)
			return mac.Sum(nil)
		}
	}
	nothing := func([]byte) []byte { return nil }
	embedded := object{"kty": "RSA", "n": base64.RawURLEncoding.EncodeToString(l.strange.N.Bytes()), "e": "AQAB"}
	var all []bad
	for name, made := range map[string]string{
		"alg none": forge(object{"alg": "none", "kid": "rsa"}, claims(nil), nothing), "alg None": forge(object{"alg": "None", "kid": "rsa"}, claims(nil), nothing),
		"alg none with a signature": forge(object{"alg": "none", "kid": "rsa"}, claims(nil), byRSA(l.rsa)),
		"HS256 with the public key": forge(object{"alg": "HS256", "kid": "rsa"}, claims(nil), hs(armored)),
		"HS256 with its DER":        forge(object{"alg": "HS256", "kid": "rsa"}, claims(nil), hs(public)),
		"HS256 with nothing":        forge(object{"alg": "HS256", "kid": "rsa"}, claims(nil), hs(nil)),
		"alg of another key":        forge(object{"alg": "ES256", "kid": "rsa"}, claims(nil), byEC(l.ec)),
		"kid of another type":       forge(object{"alg": "RS256", "kid": "ec"}, claims(nil), byRSA(l.rsa)),
		"RS384":                     forge(object{"alg": "RS384", "kid": "rsa"}, claims(nil), byRSA(l.rsa)),
		"no alg":                    forge(object{"kid": "rsa"}, claims(nil), byRSA(l.rsa)),
		"alg is a number":           forge(object{"alg": 256, "kid": "rsa"}, claims(nil), byRSA(l.rsa)),
		"no kid":                    forge(object{"alg": "RS256"}, claims(nil), byRSA(l.rsa)),
		"unknown kid":               forge(object{"alg": "RS256", "kid": "x"}, claims(nil), byRSA(l.rsa)),
		"kid is a path":             forge(object{"alg": "RS256", "kid": "../../../dev/null"}, claims(nil), byRSA(l.rsa)),
		"long kid":                  forge(object{"alg": "RS256", "kid": strings.Repeat("k", 1000)}, claims(nil), byRSA(l.rsa)),
		"kid is a list":             forge(object{"alg": "RS256", "kid": []string{"rsa"}}, claims(nil), byRSA(l.rsa)),
		"key for encryption":        forge(object{"alg": "RS256", "kid": "enc"}, claims(nil), byRSA(l.strange)),
		"strange key":               forge(object{"alg": "RS256", "kid": "rsa"}, claims(nil), byRSA(l.strange)),
		"embedded key":              forge(object{"alg": "RS256", "jwk": embedded}, claims(nil), byRSA(l.strange)),
		"embedded key and kid":      forge(object{"alg": "RS256", "kid": "rsa", "jwk": embedded}, claims(nil), byRSA(l.rsa)),
		"jku":                       forge(object{"alg": "RS256", "kid": "rsa", "jku": "https://evil.example"}, claims(nil), byRSA(l.rsa)),
		"x5u":                       forge(object{"alg": "RS256", "kid": "rsa", "x5u": "https://evil.example"}, claims(nil), byRSA(l.rsa)),
		"crit":                      forge(object{"alg": "RS256", "kid": "rsa", "crit": []string{"exp"}, "exp": 1}, claims(nil), byRSA(l.rsa)),
		"typ of a logout token":     forge(object{"alg": "RS256", "kid": "rsa", "typ": "logout+jwt"}, claims(nil), byRSA(l.rsa)),
		"header is no object":       forge("[]", claims(nil), byRSA(l.rsa)),
		"ECDSA of zeros":            forge(object{"alg": "ES256", "kid": "ec"}, claims(nil), func([]byte) []byte { return make([]byte, 64) }),
		"ECDSA too short":           forge(object{"alg": "ES256", "kid": "ec"}, claims(nil), func([]byte) []byte { return make([]byte, 8) }),
		"EdDSA of zeros":            forge(object{"alg": "EdDSA", "kid": "ed"}, claims(nil), func([]byte) []byte { return make([]byte, 64) }),
	} {
		all = append(all, bad{"token: " + name, bearer(made)})
	}
	return all
}

func (l *lab) badClaims() []bad {
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	var all []bad
	for name, change := range map[string]object{
		"expired": {"iat": at(-20 * time.Minute), "exp": at(-6 * time.Minute)}, "just expired": {"iat": at(-10 * time.Minute), "exp": at(-30 * time.Second)},
		"no exp": {"exp": nil}, "exp is text": {"exp": "2030"}, "exp is null": {"exp": "null"}, "exp far": {"exp": at(16 * time.Minute)}, "exp huge": {"exp": math.MaxFloat64},
		"exp negative": {"exp": -1}, "exp before iat": {"exp": at(-time.Second)}, "no iat": {"iat": nil}, "iat in the future": {"iat": at(time.Minute), "exp": at(2 * time.Minute)},
		"nbf in the future": {"nbf": at(time.Minute)}, "nbf is text": {"nbf": "0"}, "no iss": {"iss": nil}, "unknown iss": {"iss": "https://evil.example"},
		"iss with a slash": {"iss": issuer + "/"}, "iss is a list": {"iss": []string{issuer}}, "no aud": {"aud": nil}, "other aud": {"aud": "other"},
		"aud in capitals": {"aud": "RINGONCE"}, "aud is an object": {"aud": object{"ringonce": true}}, "aud is empty": {"aud": []string{}}, "aud of numbers": {"aud": []int{1}},
		"no sub": {"sub": nil}, "sub is a number": {"sub": 7}, "sub of two": {"sub": []string{"svc-crm", "svc-shop"}}, "sub is empty": {"sub": ""},
		"sub with a line": {"sub": "svc-crm\nadmin"}, "sub is long": {"sub": strings.Repeat("s", 1000)},
	} {
		all = append(all, bad{"token: " + name, bearer(l.token(change))})
	}
	return all
}

func both(a, b func(*http.Request)) func(*http.Request) {
	return func(r *http.Request) { a(r); b(r) }
}

func (l *lab) badRequests(good string) []bad {
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	query := func(text string) func(*http.Request) {
		return func(r *http.Request) { bearer(good)(r); r.URL.RawQuery = text }
	}
	return []bad{
		{"nothing", func(*http.Request) {}},
		{"empty header", header("Authorization", "")},
		{"scheme only", header("Authorization", "Bearer")},
		{"scheme and space", header("Authorization", "Bearer ")},
		{"two spaces", header("Authorization", "Bearer  "+good)},
		{"no scheme", header("Authorization", good)},
		{"basic", header("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("crm:"+good)))},
		{"signature of AWS", header("Authorization", "AWS4-HMAC-SHA256 Credential=x")},
		{"two lines", header("Authorization", "Bearer "+good, "Bearer "+good)},
		{"two in a line", header("Authorization", "Bearer "+good+", Bearer "+good)},
		{"trailing space", header("Authorization", "Bearer "+good+" ")},
		{"control character", header("Authorization", "Bearer "+good+"\x00")},
		{"in another header", header("X-Api-Key", good)},
		{"in two headers", both(bearer(good), header("X-Api-Key", good))},
		{"for a proxy", header("Proxy-Authorization", "Bearer "+good)},
		{"in the query", func(r *http.Request) { r.URL.RawQuery = "access_token=" + good }},
		{"in the query too", query("access_token=" + good)},
		{"api_key in the query", query("api_key=x")},
		{"query that is none", query("a=%zz")},
		{"key and certificate", both(bearer(good), certificate(true, spiffe))},
		{"token and certificate", both(bearer(l.token(nil)), certificate(true, spiffe))},
		{"key and certificate of two producers", both(bearer(good), certificate(true, spiffe, "dns:shop.example"))},
		{"key and certificate with a name more", both(bearer(good), certificate(true, "dns:other.example", spiffe))},
		{"key and certificate that was not verified", both(bearer(good), certificate(false, "dns:evil.example"))},
		{"wrong key and certificate of a stranger", both(bearer(good+"x"), certificate(true, "dns:evil.example"))},
		{"two keys and certificate of a stranger", both(header("Authorization", "Bearer "+good, "Bearer "+good), certificate(true, "dns:evil.example"))},
		{"certificate that was not verified", certificate(false, spiffe)},
		{"certificate without names", certificate(true)},
		{"certificate of a stranger", certificate(true, "dns:evil.example")},
		{"certificate of two producers", certificate(true, spiffe, "dns:shop.example")},
		{"certificate with a path more", certificate(true, spiffe+"/x")},
		{"name of the other kind", certificate(true, "uri:shop.example")},
	}
}

// accepted runs a matrix and returns the names of those a guard does not answer with 401.
func accepted(h http.Handler, all []bad) map[string]int {
	wrong := map[string]int{}
	for _, b := range all {
		if w := ask(h, b.with); w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" {
			wrong[b.name] = w.Code
		}
	}
	return wrong
}

func (l *lab) threeKeys() (good, expired, revoked string) {
	expired, _ = l.add(access.Scope{Producer: "late"}, start.Add(5*time.Second))
	revoked, record := l.add(access.Scope{Producer: "gone"}, time.Time{})
	if _, err := l.file.Revoke(record.Prefix); err != nil {
		l.t.Fatal(err)
	}
	good, _ = l.add(access.Scope{Producer: "crm"}, time.Time{})
	return good, expired, revoked
}

func TestNoMalformedCredentialIsTaken(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	good, expired, revoked := l.threeKeys()
	h := l.guard()
	if w := ask(h, bearer(expired)); w.Code != http.StatusOK {
		t.Fatalf("the key that will expire is not good before: %d", w.Code)
	}
	l.clock.move(5 * time.Second)
	all := l.matrix(good, expired, revoked)
	if len(all) < 100 {
		t.Fatalf("%d credentials", len(all))
	}
	for name, code := range accepted(h, all) {
		t.Errorf("%s: %d", name, code)
	}
	body := ask(h, bearer(revoked)).Body.String()
	for _, b := range all {
		if got := ask(h, b.with).Body.String(); got != body {
			t.Fatalf("%s is told apart: %s", b.name, got)
		}
	}
	for _, secret := range []string{good[16:], expired[16:], revoked[16:], strings.Split(l.token(nil), ".")[1]} {
		if strings.Contains(l.log.String(), secret) {
			t.Error("a credential is in the log")
		}
	}
}

func TestEveryKindOfCredentialIsTakenForWhatItIs(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	good, _, _ := l.threeKeys()
	h := l.guard()
	for name, with := range map[string]func(*http.Request){
		"api key": bearer(good), "RS256": bearer(l.token(nil)), "scheme in small letters": func(r *http.Request) { r.Header.Set("Authorization", "bearer "+good) },
		"ES256":       bearer(forge(object{"alg": "ES256", "kid": "ec", "typ": "JWT"}, claims(nil), byEC(l.ec))),
		"EdDSA":       bearer(forge(object{"alg": "EdDSA", "kid": "ed", "typ": "at+jwt"}, claims(object{"aud": []string{"x", audience}}), byEd(l.ed))),
		"certificate": certificate(true, "dns:other.example", spiffe),
		"api key beside a certificate that stands for nobody": both(bearer(good), certificate(true, "dns:laptop.example")),
		"token beside a certificate that stands for nobody":   both(bearer(l.token(nil)), certificate(true)),
		"skewed clocks": bearer(l.token(object{"iat": start.Add(29 * time.Second).Unix(), "nbf": start.Add(29 * time.Second).Unix()})),
	} {
		p := whoOf(t, ask(h, with))
		if p.Kind != access.Producer || p.Name != "crm" || p.KeySpace != "crm" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	for want, roles := range map[access.Role]any{access.RoleOperate: "ops", access.RoleAdmin: []string{"ops", "admins", "x"}} {
		p := whoOf(t, ask(h, bearer(l.token(object{"iss": people, "sub": "ann@example.com", "roles": roles}))))
		if p.Kind != access.Operator || p.Role != want || p.Name != "ann@example.com" {
			t.Errorf("%+v", p)
		}
	}
}

func TestWhoeverIsKnownAndWasGrantedNothingGets403(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	thief, _ := l.add(access.Scope{Producer: "thief", KeySpace: "calls"}, time.Time{})
	h := l.guard()
	for name, text := range map[string]string{
		"subject that is not listed": l.token(object{"sub": "svc-x"}), "key space that was not granted": l.token(object{"space": "shop"}),
		"key space that is none": l.token(object{"space": []string{"calls", "crm"}}), "no role": l.token(object{"iss": people}),
		"role that is not listed": l.token(object{"iss": people, "roles": "root"}), "key of a space it was not granted": thief,
	} {
		if w := ask(h, bearer(text)); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if p := whoOf(t, ask(h, bearer(l.token(object{"space": "calls"})))); p.KeySpace != "calls" {
		t.Errorf("%+v", p)
	}
}

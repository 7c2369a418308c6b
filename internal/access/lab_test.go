package access_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/ringonce/ringonce/internal/access"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(context.Context, time.Duration) error { return nil }

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const (
	issuer   = "https://issuer.example"
	people   = "https://people.example"
	audience = "ringonce"
	spiffe   = "uri:spiffe://example/crm"
)

// lab is a service with one credential of every kind.
type lab struct {
	t       *testing.T
	clock   *clock
	log     *strings.Builder
	path    string // of the file of keys
	file    access.KeyFile
	keys    *access.Keys
	rsa     *rsa.PrivateKey
	ec      *ecdsa.PrivateKey
	ed      ed25519.PrivateKey
	strange *rsa.PrivateKey // in no key set
	jwks    string
}

var rsaKeys = sync.OnceValue(func() [2]*rsa.PrivateKey {
	var made [2]*rsa.PrivateKey
	for i := range made {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		made[i] = key
	}
	return made
})

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, clock: &clock{now: start}, log: &strings.Builder{}, rsa: rsaKeys()[0], strange: rsaKeys()[1]}
	var err error
	if l.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, l.ed, err = ed25519.GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	l.path, l.jwks = filepath.Join(dir, "keys.json"), filepath.Join(dir, "jwks.json")
	l.file = access.KeyFile{Path: l.path, Clock: l.clock, Random: rand.Reader, By: "tester"}
	if err := os.WriteFile(l.jwks, l.set(), 0o600); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) set() []byte {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: &l.rsa.PublicKey, KeyID: "rsa", Use: "sig"},
		{Key: &l.ec.PublicKey, KeyID: "ec"},
		{Key: l.ed.Public(), KeyID: "ed", Algorithm: "EdDSA"},
		{Key: &l.strange.PublicKey, KeyID: "enc", Use: "enc"},
	}}
	text, err := json.Marshal(set)
	if err != nil {
		l.t.Fatal(err)
	}
	return text
}

func (l *lab) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l.log, nil)) }

// add makes a key of a scope.
func (l *lab) add(s access.Scope, expires time.Time) (string, access.Record) {
	l.t.Helper()
	text, record, err := l.file.Add(s, expires)
	if err != nil {
		l.t.Fatal(err)
	}
	return text, record
}

// guard makes the guard of the lab's configuration, which a test may change.
func (l *lab) guard(change ...func(*access.Options)) http.Handler {
	l.t.Helper()
	keys, err := access.OpenKeys(l.path, l.clock, l.logger())
	if err != nil {
		l.t.Fatal(err)
	}
	l.keys = keys
	o := access.Options{
		Keys: keys, Clock: l.clock, Log: l.logger(), Failures: access.Rate{PerSecond: 1, Burst: 1_000_000},
		Certificates: map[string]string{spiffe: "crm", "dns:shop.example": "shop"},
		Issuers: []access.Issuer{
			{URL: issuer, Audience: audience, Kind: access.Producer, JWKSFile: l.jwks, Producers: map[string]string{"svc-crm": "crm"}, KeySpaceClaim: "space"},
			{URL: people, Audience: audience, Kind: access.Operator, JWKSFile: l.jwks, Roles: map[string]access.Role{"ops": access.RoleOperate, "admins": access.RoleAdmin}},
		},
		Grants: access.Grants{{Name: "calls", Producers: []string{"crm", "shop"}, Readers: []string{"audit"}}},
	}
	for _, f := range change {
		f(&o)
	}
	g, err := access.NewGuard(o)
	if err != nil {
		l.t.Fatal(err)
	}
	return g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := access.From(r.Context())
		if !ok || r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(who)
	}))
}

// ask sends one request.
func ask(h http.Handler, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/v1/calls", http.NoBody)
	change(r)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func bearer(text string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }
}

// whoOf reads the principal out of an answer of 200.
func whoOf(t *testing.T, w *httptest.ResponseRecorder) access.Principal {
	t.Helper()
	var p access.Principal
	if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &p) != nil {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return p
}

type object = map[string]any

// claims returns good ones, changed.
func claims(change object) object {
	all := object{"iss": issuer, "aud": audience, "sub": "svc-crm", "iat": start.Unix(), "exp": start.Add(10 * time.Minute).Unix()}
	for name, value := range change {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

func encode(part any) string {
	text, ok := part.(string)
	if !ok {
		made, err := json.Marshal(part)
		if err != nil {
			panic(err)
		}
		text = string(made)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// forge signs whatever it is given.
func forge(header, payload any, sign func([]byte) []byte) string {
	signed := encode(header) + "." + encode(payload)
	return signed + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(signed)))
}

func byRSA(key *rsa.PrivateKey) func([]byte) []byte {
	return func(text []byte) []byte {
		sum := sha256.Sum256(text)
		made, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			panic(err)
		}
		return made
	}
}

func byEC(key *ecdsa.PrivateKey) func([]byte) []byte {
	return func(text []byte) []byte {
		sum := sha256.Sum256(text)
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			panic(err)
		}
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
}

func byEd(key ed25519.PrivateKey) func([]byte) []byte {
	return func(text []byte) []byte { return ed25519.Sign(key, text) }
}

// token is a good one with changed claims.
func (l *lab) token(change object) string {
	return forge(object{"alg": "RS256", "kid": "rsa"}, claims(change), byRSA(l.rsa))
}

// certificate offers a client certificate with names.
func certificate(verified bool, names ...string) func(*http.Request) {
	leaf := &x509.Certificate{}
	for _, name := range names {
		kind, rest, _ := strings.Cut(name, ":")
		if kind == "dns" {
			leaf.DNSNames = append(leaf.DNSNames, rest)
			continue
		}
		if u, err := url.Parse(rest); err == nil {
			leaf.URIs = append(leaf.URIs, u)
		}
	}
	return func(r *http.Request) {
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}}
		if verified {
			r.TLS.VerifiedChains = [][]*x509.Certificate{{leaf}}
		}
	}
}

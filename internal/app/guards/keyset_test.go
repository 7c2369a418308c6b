package guards_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/outbound"
)

// moved is a clock that is moved by hand.
type moved struct {
	mu  sync.Mutex
	now time.Time
}

func (m *moved) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (*moved) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func (m *moved) move(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

// publisher is an issuer that publishes its keys over TLS, with a certificate of its own authority.
type publisher struct {
	*httptest.Server

	t     *testing.T
	clock *moved

	mu      sync.Mutex
	keys    map[string]*ecdsa.PrivateKey // by kid
	fetched int
	status  int
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{t: t, clock: &moved{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}, keys: map[string]*ecdsa.PrivateKey{}, status: http.StatusOK}
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.fetched++
		set := jose.JSONWebKeySet{}
		for kid, key := range p.keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: &key.PublicKey, KeyID: kid, Use: "sig"})
		}
		w.WriteHeader(p.status)
		_ = json.NewEncoder(w).Encode(set)
	}))
	t.Cleanup(p.Close)
	return p
}

// publish replaces the keys by new ones.
func (p *publisher) publish(kids ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = map[string]*ecdsa.PrivateKey{}
	for _, kid := range kids {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			p.t.Fatal(err)
		}
		p.keys[kid] = key
	}
}

func (p *publisher) answers(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

func (p *publisher) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetched
}

// token is signed by the key of one kid under the name of another.
func (p *publisher) token(kid, claimed string) string {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: p.keys[kid], KeyID: claimed}}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	now := p.clock.Now()
	claims, err := json.Marshal(map[string]any{"iss": p.URL, "aud": "ringonce", "sub": "kim", "groups": "ops", "iat": now.Unix(), "exp": now.Add(10 * time.Minute).Unix()})
	if err != nil {
		p.t.Fatal(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

// guarded serves a guard whose one issuer is the publisher, and returns what asks it.
func (p *publisher) guarded(o outbound.Options) (ask func(token string) int) {
	p.t.Helper()
	c := &app.Config{Access: app.Access{Issuers: []app.AccessIssuer{{
		Issuer: p.URL, Audience: "ringonce", Kind: "operator", JWKSURL: p.URL + "/keys", RoleClaim: "groups", Roles: map[string]string{"ops": "operate"},
	}}}}
	g, err := guards.OpenWith(c, nil, p.clock, quiet, outbound.New(o))
	if err != nil {
		p.t.Fatal(err)
	}
	served := httptest.NewServer(g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if who, ok := access.From(r.Context()); !ok || who.Name != "kim" || who.Role != access.RoleOperate {
			w.WriteHeader(http.StatusTeapot)
		}
	})))
	p.t.Cleanup(func() {
		served.Close()
		_ = g.Close()
	})
	return func(token string) int {
		p.t.Helper()
		r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, served.URL+"/v1/calls", http.NoBody)
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			p.t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func (p *publisher) trusted() outbound.Options {
	roots := x509.NewCertPool()
	roots.AddCert(p.Certificate())
	return outbound.Options{Allow: loopback, RootCAs: roots}
}

func TestTokensAreVerifiedByKeysThatTheIssuerPublishesOverTLS(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	p.publish("a")
	ask := p.guarded(p.trusted())
	want := func(what, token string, status, fetched int) {
		t.Helper()
		if got := ask(token); got != status || p.asked() != fetched {
			t.Errorf("%s: %d after %d fetches, want %d after %d", what, got, p.asked(), status, fetched)
		}
	}
	first := p.token("a", "a")
	want("the first", first, http.StatusOK, 1)
	want("again", first, http.StatusOK, 1)
	want("a kid that nobody knows", p.token("a", "made-up"), http.StatusUnauthorized, 1) // within a minute: nobody is asked
	p.clock.move(time.Minute)
	want("and another, a minute later", p.token("a", "made-up"), http.StatusUnauthorized, 2)
	want("and a third at once", p.token("a", "made-up-too"), http.StatusUnauthorized, 2)

	stolen := p.token("a", "b") // by the old key, under the name of the new one
	p.publish("b", "c")         // rotated: a is gone
	p.clock.move(time.Minute)
	rotated := p.token("b", "b")
	want("the new key", rotated, http.StatusOK, 3)
	want("the old key", first, http.StatusUnauthorized, 3)
	want("the old key under the new name", stolen, http.StatusUnauthorized, 3)
	want("another new key", p.token("c", "c"), http.StatusOK, 3)

	p.answers(http.StatusInternalServerError)
	p.clock.move(2 * time.Hour)
	want("an issuer that is down keeps its keys", p.token("b", "b"), http.StatusOK, 4)
	want("a kid that nobody knows, meanwhile", p.token("b", "made-up"), http.StatusUnauthorized, 4)
	p.clock.move(24 * time.Hour)
	want("but not for more than a day", p.token("b", "b"), http.StatusUnauthorized, 5)
	p.answers(http.StatusOK)
	p.clock.move(time.Minute)
	want("when it is back", p.token("b", "b"), http.StatusOK, 6)
	late := p.token("b", "b")
	p.Close()
	p.clock.move(2 * time.Minute)
	want("a server that is gone", late, http.StatusOK, 6)
}

func TestKeysOfAServerThatCannotBeTrustedOrReachedOpenNothing(t *testing.T) {
	t.Parallel()
	strange := x509.NewCertPool() // nobody's
	for name, change := range map[string]func(*outbound.Options){
		"another authority":      func(o *outbound.Options) { o.RootCAs = strange },
		"the machine's own":      func(o *outbound.Options) { o.RootCAs = nil },
		"a range that is closed": func(o *outbound.Options) { o.Allow = nil },
	} {
		p := newPublisher(t)
		p.publish("a")
		o := p.trusted()
		change(&o)
		if got := p.guarded(o)(p.token("a", "a")); got != http.StatusUnauthorized || p.asked() != 0 {
			t.Errorf("%s: %d, %d fetches", name, got, p.asked())
		}
	}
	p := newPublisher(t)
	p.publish("a")
	token := p.token("a", "a")
	ask := p.guarded(p.trusted())
	p.Close()
	if got := ask(token); got != http.StatusUnauthorized {
		t.Errorf("a server that was never reached: %d", got)
	}
}

package access

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/problem"
)

// Options is what a [Guard] decides with. Clock and Log are required, and at least one kind of credential, or Local.
type Options struct {
	Keys         *Keys             // API keys; nil: none
	Issuers      []Issuer          // bearer tokens
	Certificates map[string]string // "dns:NAME" or "uri:URI" of a verified client certificate to a producer's name
	Scopes       []Scope           // of the producers that tokens and certificates stand for; one that is not listed has its own key space and nothing else
	Grants       Grants            // shared key spaces
	Reporters    []string          // names of producers whose credentials forward what contact flows report, and open nothing else
	Fetch        Fetch             // of jwks_url
	Local        *LocalOptions     // the embedded default; not beside any kind of credential
	Rate         Rate              // of producers whose scope has none; zero: no limit
	Failures     Rate              // wrong credentials for each remote address; zero: 2 a second, 20 at once
	Clock        call.Clock
	Log          *slog.Logger
}

// Guard finds out who asks. It is safe for concurrent use.
type Guard struct {
	o        Options
	issuers  map[string]*issuer
	scopes   map[string]Scope
	local    *local
	asked    buckets // by producer
	failures buckets // by remote address
}

var defaultFailures = Rate{PerSecond: 2, Burst: 20}

// NewGuard checks the options. Its errors are *call.Error of CodeConfiguration.
func NewGuard(o Options) (*Guard, error) {
	g := &Guard{o: o, issuers: map[string]*issuer{}, scopes: map[string]Scope{}}
	if o.Failures == (Rate{}) {
		g.o.Failures = defaultFailures
	}
	if err := g.checkScopes(); err != nil {
		return nil, err
	}
	for _, i := range o.Issuers {
		made, err := newIssuer(i, o.Fetch, o.Clock, o.Log)
		if err != nil {
			return nil, err
		}
		if g.issuers[i.URL] != nil {
			return nil, badIssuer("issuer", "is there twice.")
		}
		g.issuers[i.URL] = made
	}
	known := o.Keys != nil || len(o.Issuers) > 0 || len(o.Certificates) > 0
	switch {
	case !known && o.Local == nil:
		return nil, &call.Error{
			Code: call.CodeConfiguration, Field: "access", Message: "No kind of credential is configured, so nobody could ask for anything.",
			Fix: "Set access.keys_file, access.issuers or access.certificates.",
		}
	case known && o.Local != nil:
		return nil, &call.Error{
			Code: call.CodeConfiguration, Field: "access", Message: "Credentials are configured, and access without any as well.",
			Fix: "Decide for one of them.",
		}
	case o.Local != nil:
		g.local = newLocal(*o.Local)
	}
	return g, nil
}

func (g *Guard) checkScopes() error {
	for _, s := range g.o.Scopes {
		if _, err := g.o.Grants.principal(s); err != nil {
			return &call.Error{
				Code: call.CodeConfiguration, Field: "access.producers", Message: "The entry of access.producers for " + strconv.Quote(s.Producer) + " cannot be used: " + err.Error() + ".",
				Fix: "A key space other than its own needs an entry in access.key_spaces.",
			}
		}
		g.scopes[s.Producer] = s
	}
	return nil
}

// Wrap authenticates each request before next sees it. It answers 401, 403 and 429 by itself, as problem documents; what it says does not depend on what
// is wrong with a credential. The header that carried a credential is taken off, so that nothing behind can write it down.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, refused := g.admit(r)
		if refused != nil {
			refused.write(w)
			return
		}
		r = r.WithContext(With(r.Context(), who))
		if _, carried := r.Header["Authorization"]; carried { // net/http writes names in their canonical form
			r.Header = r.Header.Clone()
			r.Header.Del("Authorization")
		}
		next.ServeHTTP(w, r)
	})
	if g.local != nil {
		return g.local.wrap(guarded)
	}
	return guarded
}

// admit decides on one request.
func (g *Guard) admit(r *http.Request) (Principal, *refusal) {
	if g.local != nil {
		return Local(), nil
	}
	now, address := g.o.Clock.Now(), remote(r)
	found, why := g.authenticate(r, now)
	switch {
	case why == nil:
	case errors.Is(why, errNotGranted):
		g.o.Log.WarnContext(r.Context(), "a credential is not good for what it asks", slog.String("remote", address), slog.String("kind", found.kind), slog.String("reason", string(found.why)))
		return Principal{}, forbidden()
	case errors.Is(why, errWaiting): // nobody knows yet whether the token is wrong
		return Principal{}, tooMany(time.Second, "Too many tokens wait for the keys of their issuer.")
	default:
		// Only what is wrong is slowed down: behind one address may be a proxy with every producer, and a good credential cannot be guessed.
		if wait, ok := g.failures.take(address, g.o.Failures, now); !ok {
			return Principal{}, tooMany(wait, "Too many wrong credentials came from this address.")
		}
		told := []slog.Attr{slog.String("remote", address), slog.String("kind", found.kind)}
		if found.why != "" {
			told = append(told, slog.String("reason", string(found.why)))
		}
		g.o.Log.LogAttrs(r.Context(), slog.LevelWarn, "a credential was refused", told...)
		return Principal{}, unauthorized()
	}
	rate := found.rate
	if rate == (Rate{}) {
		rate = g.o.Rate
	}
	if found.who.Kind == Producer && rate != (Rate{}) {
		if wait, ok := g.asked.take(found.who.Name, rate, now); !ok {
			return Principal{}, tooMany(wait, "The producer asks oftener than it may.")
		}
	}
	return found.who, nil
}

// admission is who asks and what goes with the credential.
type admission struct {
	who  Principal
	rate Rate
	kind string // of the credential, for the log
	why  fault  // it is not taken, where that is known, for the log
}

// authenticate takes the one credential of a request.
func (g *Guard) authenticate(r *http.Request, now time.Time) (admission, error) {
	offered, err := offer(r)
	if err != nil {
		return admission{kind: "none or several"}, err
	}
	switch {
	case offered.bearer == "":
		return g.byCertificate(r)
	case offered.certificate && !standsForNobody(r.TLS, g.o.Certificates): // two credentials, and nobody could say which of them was meant
		return admission{kind: "several"}, errCredential
	case strings.HasPrefix(offered.bearer, keyMark):
		return g.byKey(offered.bearer)
	}
	// Who spent its wrong guesses waits for no keys. The keys are read all the same, so a good token of that address is let in by its next try.
	mayWait := func() bool { return !g.failures.spent(remote(r), g.o.Failures, now) }
	return g.byToken(r.Context(), offered.bearer, now, mayWait)
}

func (g *Guard) byKey(text string) (admission, error) {
	if g.o.Keys == nil {
		return admission{kind: "api key"}, errCredential
	}
	record, ok := g.o.Keys.find(text)
	if !ok {
		return admission{kind: "api key"}, errCredential
	}
	if record.Operator != "" {
		return admission{who: Principal{Kind: Operator, Name: record.Operator, Role: record.Role}, kind: "api key " + record.Prefix}, nil
	}
	return g.producer(record.Scope, "api key "+record.Prefix)
}

func (g *Guard) byCertificate(r *http.Request) (admission, error) {
	name, ok := certified(r.TLS, g.o.Certificates)
	if !ok {
		return admission{kind: "certificate"}, errCredential
	}
	return g.producer(g.scopeOf(name), "certificate")
}

func (g *Guard) byToken(ctx context.Context, text string, now time.Time, mayWait func() bool) (admission, error) {
	from, c, err := verify(ctx, text, g.issuers, now, mayWait)
	if errors.Is(err, errWaiting) {
		return admission{kind: "token"}, err
	}
	if err != nil {
		why, _ := errors.AsType[fault](err)
		return admission{kind: "token", why: why}, errCredential
	}
	names := c.texts(from.NameClaim)
	if len(names) != 1 || !plainName(names[0]) {
		return admission{kind: "token", why: faultName}, errCredential
	}
	if from.Kind == Operator {
		p, ok := from.operator(c, names[0])
		if !ok {
			return admission{kind: "token", why: faultRole}, errNotGranted
		}
		return admission{who: p, kind: "token"}, nil
	}
	scope, ok := from.scope(c, names[0], g.scopes)
	if !ok {
		return admission{kind: "token", why: faultProducer}, errNotGranted
	}
	return g.producer(scope, "token")
}

func (g *Guard) scopeOf(producer string) Scope {
	if s, known := g.scopes[producer]; known {
		return s
	}
	return Scope{Producer: producer}
}

func (g *Guard) producer(s Scope, kind string) (admission, error) {
	p, err := g.o.Grants.principal(s)
	if err != nil {
		return admission{kind: kind, why: faultSpace}, errNotGranted
	}
	if slices.Contains(g.o.Reporters, p.Name) { // without a rate: a report that is refused is a confirmation that is lost
		return admission{who: Principal{Kind: Reporter, Name: p.Name}, kind: kind}, nil
	}
	return admission{who: p, rate: s.Rate, kind: kind}, nil
}

// remote names where a request comes from: an IPv4 address, or the /64 of an IPv6 one, which is one customer's. Headers that tell another address are
// not believed: whoever sends one chooses it.
func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	addr, bad := netip.ParseAddr(host)
	if err != nil || bad != nil {
		return "unknown"
	}
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}

// refusal is an answer of the guard's own.
type refusal struct {
	document  problem.Document
	challenge bool
	wait      time.Duration
}

func (f *refusal) write(w http.ResponseWriter) {
	if f.challenge {
		w.Header().Set("WWW-Authenticate", `Bearer realm="ringonce"`)
	}
	if f.document.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(min(f.wait, time.Hour).Seconds())))))
	}
	problem.Write(w, f.document)
}

func unauthorized() *refusal {
	return &refusal{challenge: true, document: problem.New(http.StatusUnauthorized, "unauthorized", "The request has no usable credential.",
		"Send exactly one: an API key or a token as Authorization: Bearer, or a client certificate that stands for a producer.")}
}

func forbidden() *refusal {
	return &refusal{document: problem.New(http.StatusForbidden, "forbidden", "The credential is not good for this service.",
		"Ask who runs it for a role, or for the key space.")}
}

func tooMany(wait time.Duration, why string) *refusal {
	return &refusal{wait: wait, document: problem.New(http.StatusTooManyRequests, "rate_limited", why, "Wait for as long as Retry-After says.")}
}

package access

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/ringonce/ringonce/internal/call"
)

// Issuer is who signs bearer tokens, and what its claims stand for. A claim opens nothing by itself: it chooses among what is listed here.
type Issuer struct {
	URL        string   // as the claim iss has it, to the letter
	Audience   string   // that the claim aud must hold
	Kind       Kind     // whom its tokens stand for
	Algorithms []string // of RS256, ES256, EdDSA; empty: all three
	JWKSFile   string   // one of the two
	JWKSURL    string
	NameClaim  string // default sub: whose name it is

	RoleClaim string          // operators: default roles; a text or a list of texts
	Roles     map[string]Role // operators: its values; the highest counts, none of them is refused

	Producers     map[string]string // producers: value of NameClaim to the producer's name
	KeySpaceClaim string            // producers: chooses among the key spaces the producer was granted; empty: none does
}

// algorithms is the allow-list. Nothing outside it can be configured, so neither none nor an HMAC is ever accepted.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// issuer is an Issuer that was checked.
type issuer struct {
	Issuer

	allowed []jose.SignatureAlgorithm
	keys    *keySet
}

func newIssuer(i Issuer, fetch Fetch, clock call.Clock, log *slog.Logger) (*issuer, error) {
	made := &issuer{Issuer: i, keys: &keySet{clock: clock, log: log, name: i.URL}}
	if i.NameClaim == "" {
		made.NameClaim = "sub"
	}
	if i.RoleClaim == "" {
		made.RoleClaim = "roles"
	}
	for _, a := range i.Algorithms {
		made.allowed = append(made.allowed, jose.SignatureAlgorithm(a))
	}
	if len(made.allowed) == 0 {
		made.allowed = algorithms
	}
	if field, why := i.wrong(made.allowed); field != "" {
		return nil, badIssuer(field, why)
	}
	if made.keys.read = fileSet(i.JWKSFile); i.JWKSURL != "" {
		if fetch == nil {
			return nil, badIssuer("jwks_url", "cannot be read here.")
		}
		made.keys.read = reading(fetch, i.JWKSURL)
	}
	return made, nil
}

// wrong names the first member nothing can be made of.
func (i Issuer) wrong(allowed []jose.SignatureAlgorithm) (field, why string) {
	u, err := url.Parse(i.JWKSURL)
	switch {
	case i.URL == "":
		return "issuer", "is missing."
	case i.Audience == "":
		return "audience", "is missing; without one, a token for another service would open this one."
	case i.Kind != Producer && i.Kind != Operator:
		return "kind", "is neither producer nor operator."
	case slices.ContainsFunc(allowed, func(a jose.SignatureAlgorithm) bool { return !slices.Contains(algorithms, a) }):
		return "algorithms", "has one that is not RS256, ES256 or EdDSA."
	case (i.JWKSFile == "") == (i.JWKSURL == ""):
		return "jwks_file", "and jwks_url: exactly one of them is needed."
	case i.JWKSURL != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil):
		return "jwks_url", "is no https URL."
	case i.Kind == Operator && len(i.Roles) == 0:
		return "roles", "is empty, so that no operator could do anything."
	case i.Kind == Producer && len(i.Producers) == 0:
		return "producers", "is empty, so that nobody could ask for a call."
	}
	for _, role := range i.Roles {
		if !slices.Contains(ranks, role) {
			return "roles", "has a role that is not read, operate or admin."
		}
	}
	return "", ""
}

func badIssuer(field, why string) error {
	return &call.Error{
		Code: call.CodeConfiguration, Field: "access.issuers." + field, Message: "The setting access.issuers[]." + field + " " + why,
		Fix: "docs/access.md has the forms.",
	}
}

// operator makes who asks of the claims of an operator's token.
func (i *issuer) operator(c claims, name string) (Principal, bool) {
	p := Principal{Kind: Operator, Name: name}
	for _, value := range c.texts(i.RoleClaim) {
		if role, listed := i.Roles[value]; listed && slices.Index(ranks, role) > slices.Index(ranks, p.Role) {
			p.Role = role
		}
	}
	return p, p.Role != ""
}

// scope makes the scope of a producer's token out of what its producer was granted.
func (i *issuer) scope(c claims, name string, scopes map[string]Scope) (Scope, bool) {
	producer, listed := i.Producers[name]
	if !listed {
		return Scope{}, false
	}
	scope, known := scopes[producer]
	if !known {
		scope = Scope{Producer: producer}
	}
	if i.KeySpaceClaim == "" || c.members[i.KeySpaceClaim] == nil {
		return scope, true
	}
	chosen := c.texts(i.KeySpaceClaim)
	if len(chosen) != 1 || !validName(chosen[0]) {
		return Scope{}, false
	}
	scope.KeySpace = chosen[0]
	return scope, true
}

// plainName reports whether an operator's name from a claim can stand in a log: 1 to 128 printable characters of ASCII.
func plainName(name string) bool {
	return name != "" && len(name) <= 128 && !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' })
}

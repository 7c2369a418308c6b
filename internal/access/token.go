package access

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// The bounds of a bearer token (reliability-security.md D2).
const (
	mostToken = 8 << 10
	mostLife  = 15 * time.Minute // from iat to exp
	mostSkew  = 30 * time.Second // between the issuer's clock and ours
	mostTexts = 64
)

// errToken is the one thing that is said of a token nobody can use.
var errToken = errors.New("access: the token is not usable")

// claims are the members of a token whose signature was verified.
type claims struct{ members map[string]any }

// verify checks a compact JWS (RFC 7515, RFC 7519) against its issuer. The issuer is read before the signature is verified, only to choose whose keys are
// asked; nothing else of an unverified token is used. mayWait is asked before the token waits for keys that are being read. The error is errToken or errWaiting.
func verify(ctx context.Context, text string, issuers map[string]*issuer, now time.Time, mayWait func() bool) (*issuer, claims, error) {
	if len(text) > mostToken || strings.Count(text, ".") != 2 {
		return nil, claims{}, errToken
	}
	token, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil || len(token.Signatures) != 1 || !plainHeader(token.Signatures[0].Protected) {
		return nil, claims{}, errToken
	}
	unverified, err := readClaims(token.UnsafePayloadWithoutVerification())
	if err != nil {
		return nil, claims{}, errToken
	}
	name, _ := unverified.members["iss"].(string)
	from, known := issuers[name]
	if !known {
		return nil, claims{}, errToken
	}
	header := token.Signatures[0].Protected
	alg := jose.SignatureAlgorithm(header.Algorithm)
	key, err := from.keys.find(ctx, header.KeyID, mayWait)
	if err != nil {
		return nil, claims{}, err
	}
	if key.alg != alg || !slices.Contains(from.allowed, alg) {
		return nil, claims{}, errToken
	}
	payload, err := token.Verify(key.key)
	if err != nil {
		return nil, claims{}, errToken
	}
	c, err := readClaims(payload)
	if err != nil || !c.fit(from, now) {
		return nil, claims{}, errToken
	}
	return from, c, nil
}

// plainHeader refuses headers that would have somebody else's key used, and extensions nobody here understands.
func plainHeader(h jose.Header) bool {
	for name := range h.ExtraHeaders {
		switch strings.ToLower(string(name)) {
		case "jku", "x5u", "crit", "b64", "zip":
			return false
		}
	}
	typ, present := h.ExtraHeaders[jose.HeaderType]
	kind, isText := typ.(string)
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return h.JSONWebKey == nil && (!present || isText && (kind == "jwt" || kind == "at+jwt")) // RFC 9068, section 2.1
}

// readClaims reads the payload strictly: a name that is there twice, or bytes that are no UTF-8, spoil it.
func readClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c.members); err != nil || c.members == nil {
		return claims{}, errToken
	}
	return c, nil
}

// fit checks issuer, audience and times. exp and iat are required, and they may lie 15 minutes apart at most: a token that leaks is short of life.
func (c claims) fit(from *issuer, now time.Time) bool {
	issued, hasIssued := c.time("iat")
	expires, hasExpires := c.time("exp")
	notBefore, hasNotBefore := c.time("nbf")
	_, anyNotBefore := c.members["nbf"]
	name, _ := c.members["iss"].(string)
	switch {
	case name != from.URL || !slices.Contains(c.texts("aud"), from.Audience):
		return false
	case !hasIssued || !hasExpires || anyNotBefore && !hasNotBefore:
		return false
	case !expires.After(issued) || expires.Sub(issued) > mostLife:
		return false
	case !now.Before(expires.Add(mostSkew)) || issued.After(now.Add(mostSkew)) || hasNotBefore && notBefore.After(now.Add(mostSkew)):
		return false
	}
	return true
}

// time reads a NumericDate (RFC 7519, section 2) of the years 1970 to 9999.
func (c claims) time(name string) (time.Time, bool) {
	seconds, ok := c.members[name].(float64)
	if !ok || seconds < 0 || seconds > 253402300799 || math.IsNaN(seconds) {
		return time.Time{}, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*float64(time.Second))), true
}

// texts reads a claim that is a text or a list of texts; nil when it is neither.
func (c claims) texts(name string) []string {
	switch value := c.members[name].(type) {
	case string:
		return []string{value}
	case []any:
		if len(value) > mostTexts {
			return nil
		}
		var all []string
		for _, one := range value {
			text, ok := one.(string)
			if !ok {
				return nil
			}
			all = append(all, text)
		}
		return all
	}
	return nil
}

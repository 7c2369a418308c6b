package access

import (
	"context"
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

// fault is what is wrong with a token, in one word of ours for the log of the service: nothing of the token is in it. Whoever sent the token is told none.
type fault string

const (
	faultForm      fault = "malformed"             // no compact JWS of a JSON object, or longer than 8 KiB
	faultHeader    fault = "header"                // it would have somebody else's key used, or is of another type
	faultIssuer    fault = "unknown_issuer"        // iss is in no entry of access.issuers
	faultKey       fault = "unknown_key"           // the issuer's keys, as far as they could be read, have no such kid
	faultAlgorithm fault = "algorithm"             // not that of the key, or not allowed
	faultSignature fault = "signature"             //
	faultAudience  fault = "audience"              // aud does not hold access.issuers[].audience
	faultTimes     fault = "times"                 // exp or iat is missing, or one of the times is none
	faultLife      fault = "lifetime"              // from iat to exp are more than 15 minutes, or none
	faultExpired   fault = "expired"               //
	faultEarly     fault = "not_yet_valid"         // iat or nbf lies ahead: look at the clocks
	faultName      fault = "name"                  // name_claim holds no usable name
	faultRole      fault = "no_role"               // role_claim holds none of roles
	faultProducer  fault = "producer"              // name_claim is not in producers, or key_space_claim holds no name
	faultSpace     fault = "key_space_not_granted" //
)

// Error implements error.
func (f fault) Error() string { return "access: the token is not usable: " + string(f) }

// claims are the members of a token whose signature was verified.
type claims struct{ members map[string]any }

// verify checks a compact JWS (RFC 7515, RFC 7519) against its issuer. The issuer is read before the signature is verified, only to choose whose keys are
// asked; nothing else of an unverified token is used. mayWait is asked before the token waits for keys that are being read. The error is a fault or errWaiting.
func verify(ctx context.Context, text string, issuers map[string]*issuer, now time.Time, mayWait func() bool) (*issuer, claims, error) {
	if len(text) > mostToken || strings.Count(text, ".") != 2 {
		return nil, claims{}, faultForm
	}
	token, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil || len(token.Signatures) != 1 {
		return nil, claims{}, faultForm
	}
	if !plainHeader(token.Signatures[0].Protected) {
		return nil, claims{}, faultHeader
	}
	unverified, err := readClaims(token.UnsafePayloadWithoutVerification())
	if err != nil {
		return nil, claims{}, err
	}
	name, _ := unverified.members["iss"].(string)
	from, known := issuers[name]
	if !known {
		return nil, claims{}, faultIssuer
	}
	header := token.Signatures[0].Protected
	alg := jose.SignatureAlgorithm(header.Algorithm)
	key, err := from.keys.find(ctx, header.KeyID, mayWait)
	if err != nil {
		return nil, claims{}, err
	}
	if key.alg != alg || !slices.Contains(from.allowed, alg) {
		return nil, claims{}, faultAlgorithm
	}
	payload, err := token.Verify(key.key)
	if err != nil {
		return nil, claims{}, faultSignature
	}
	c, err := readClaims(payload)
	if err == nil {
		err = c.fit(from, now)
	}
	if err != nil {
		return nil, claims{}, err
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
		return claims{}, faultForm
	}
	return c, nil
}

// fit checks issuer, audience and times. exp and iat are required, and they may lie 15 minutes apart at most: a token that leaks is short of life.
func (c claims) fit(from *issuer, now time.Time) error {
	issued, hasIssued := c.time("iat")
	expires, hasExpires := c.time("exp")
	notBefore, hasNotBefore := c.time("nbf")
	_, anyNotBefore := c.members["nbf"]
	name, _ := c.members["iss"].(string)
	switch {
	case name != from.URL:
		return faultIssuer
	case !slices.Contains(c.texts("aud"), from.Audience):
		return faultAudience
	case !hasIssued || !hasExpires || anyNotBefore && !hasNotBefore:
		return faultTimes
	case !expires.After(issued) || expires.Sub(issued) > mostLife:
		return faultLife
	case !now.Before(expires.Add(mostSkew)):
		return faultExpired
	case issued.After(now.Add(mostSkew)) || hasNotBefore && notBefore.After(now.Add(mostSkew)):
		return faultEarly
	}
	return nil
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

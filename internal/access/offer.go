package access

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// errCredential is everything that is wrong with a credential.
var errCredential = errors.New("access: no usable credential")

// offered is the one credential of a request, not yet believed.
type offered struct {
	bearer      string
	certificate bool // also beside a bearer, where it has to stand for nobody: Guard.authenticate
}

// elsewhere are places where a credential does not belong: it would be written into logs, or be mistaken for ours by what stands between.
var elsewhere = []string{"X-Api-Key", "Proxy-Authorization"}

// offer takes the credential of a request: Authorization: Bearer (RFC 6750, section 2.1), a client certificate, or both. Requests that have one in
// their URL are refused, also beside a good one, so that nobody gets used to it.
func offer(r *http.Request) (offered, error) {
	for _, name := range elsewhere {
		if len(r.Header.Values(name)) > 0 {
			return offered{}, errCredential
		}
	}
	if query, err := url.ParseQuery(r.URL.RawQuery); err != nil || query.Has("access_token") || query.Has("api_key") || query.Has("token") {
		return offered{}, errCredential
	}
	if r.URL.User != nil {
		return offered{}, errCredential
	}
	certificate := r.TLS != nil && len(r.TLS.PeerCertificates) > 0
	lines := r.Header.Values("Authorization")
	switch {
	case len(lines) > 1:
		return offered{}, errCredential
	case len(lines) == 1:
		bearer, ok := bearerOf(lines[0])
		if !ok {
			return offered{}, errCredential
		}
		return offered{bearer: bearer, certificate: certificate}, nil
	case certificate:
		return offered{certificate: true}, nil
	}
	return offered{}, errCredential
}

// bearerOf reads "Bearer b64token" (RFC 6750, section 2.1); the scheme's case does not matter (RFC 9110, section 11.1).
func bearerOf(line string) (string, bool) {
	const scheme = "bearer "
	if len(line) > mostToken+len(scheme) || len(line) <= len(scheme) || !strings.EqualFold(line[:len(scheme)], scheme) {
		return "", false
	}
	text := line[len(scheme):]
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '.' && c != '_' && c != '-' {
			return "", false
		}
	}
	return text, true
}

package access

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/secret"
)

const (
	leastToken = 32 // bytes of a scrape token
	mostTokens = 4
)

// ScrapeTokens are what a collector of metrics shows. They open nothing else. Only their hashes are kept.
type ScrapeTokens struct{ hashes [][sha256.Size]byte }

// ReadScrapeTokens reads tokens from a file that only its owner can read: one a line, of 32 printable characters at least, so that an old and a new one
// are good at a time. Its errors are *call.Error and hold nothing of a token.
func ReadScrapeTokens(path string) (*ScrapeTokens, error) {
	const field = "serve.metrics_token_file"
	text, err := secret.ReadFile(path)
	if e, ok := errors.AsType[*secret.Error](err); ok {
		return nil, &call.Error{Code: call.CodeConfiguration, Field: field, Message: "The file of " + field + " " + e.Message, Fix: e.Fix}
	}
	if err != nil {
		return nil, err
	}
	defer text.Drop()
	t := &ScrapeTokens{}
	for line := range bytes.Lines(text.Reveal()) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && (len(line) < leastToken || bytes.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r > '~' })) {
			t.hashes = nil
			break
		}
		if len(line) > 0 {
			t.hashes = append(t.hashes, sha256.Sum256(line))
		}
	}
	if len(t.hashes) == 0 || len(t.hashes) > mostTokens {
		return nil, &call.Error{
			Code: call.CodeConfiguration, Field: field, Message: "The file of " + field + " does not hold 1 to 4 tokens of at least 32 printable characters, one a line.",
			Fix: "Write 32 random bytes into it: openssl rand -base64 32.",
		}
	}
	return t, nil
}

// Allow reports whether a request shows one of the tokens, as Authorization: Bearer. Every token is compared, in constant time.
func (t *ScrapeTokens) Allow(r *http.Request) bool {
	if t == nil {
		return false
	}
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	shown := sha256.Sum256([]byte(token))
	found := 0
	for _, known := range t.hashes {
		found |= subtle.ConstantTimeCompare(known[:], shown[:])
	}
	return found == 1 && strings.EqualFold(scheme, "bearer")
}

// Reads reports whether a request comes from an operator who may read. A request without any credential is answered at once and counts as no guess.
func (g *Guard) Reads(r *http.Request) bool {
	if g.local == nil && len(r.Header.Values("Authorization")) == 0 && (r.TLS == nil || len(r.TLS.PeerCertificates) == 0) {
		return false
	}
	who, refused := g.admit(r)
	return refused == nil && who.May(RoleRead)
}

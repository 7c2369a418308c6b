package access

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"

	"github.com/ringonce/ringonce/internal/call"
)

// The bounds of a key set.
const (
	mostKeySet   = 256 << 10
	mostSetKeys  = 64
	mostKid      = 128
	setFloor     = time.Minute // between two reads, also when a token names a key nobody knows
	setAge       = time.Hour   // a set older than this is read again before it is used
	setLastsLong = 24 * time.Hour
	mostWaiting  = 32 // requests that wait for a read: those of an issuer that hangs must not be all that a service has
)

// errWaiting is told to whoever would be one too many that waits.
var errWaiting = errors.New("access: too many wait for the keys of the issuer")

// Fetch reads what a URL holds, bounded in size and time; internal/outbound makes one.
type Fetch func(ctx context.Context, url string) ([]byte, error)

// keySet is the public keys of an issuer, from a file or a URL.
type keySet struct {
	read  func(context.Context) ([]byte, error)
	clock call.Clock
	log   *slog.Logger
	name  string // of the issuer, for the log

	mu      sync.Mutex
	keys    map[string]publicKey
	tried   time.Time     // the last read, whatever came of it
	took    time.Time     // the last read that gave a set
	reading chan struct{} // closed when the read that is under way has ended; nil: there is none
	waiting int           // how many wait for it
}

// publicKey is a key with the one algorithm that it is good for. The algorithm follows from the key's own type, never from a token.
type publicKey struct {
	key crypto.PublicKey
	alg jose.SignatureAlgorithm
}

func fileSet(path string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) {
		info, err := os.Stat(path)
		if err != nil || info.Size() > mostKeySet {
			return nil, errors.New("access: the file of keys cannot be read or is too large")
		}
		return os.ReadFile(path)
	}
}

// find returns a key by its id. A kid that is not known makes the set be read again, but no oftener than once a minute, so that made-up kids cost an issuer
// nothing, and whoever has a known one does not wait for it. Who finds a read under way waits for its end, or for that of ctx, and only if mayWait says so.
// A set that could not be read again stays good for a day. The error is faultKey or errWaiting.
func (s *keySet) find(ctx context.Context, kid string, mayWait func() bool) (publicKey, error) {
	if kid == "" || len(kid) > mostKid {
		return publicKey{}, faultKey
	}
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	key, known, old := s.look(kid, now)
	switch {
	case known && (!old || s.reading != nil): // who knows a key does not wait for somebody else's read
		return key, nil
	case s.reading == nil:
		s.refresh(ctx, now)
	default:
		if err := s.wait(ctx, mayWait); err != nil {
			return publicKey{}, err
		}
	}
	if key, known, _ = s.look(kid, now); !known {
		return publicKey{}, faultKey
	}
	return key, nil
}

// look looks into what was read; old says that it should be read again. The caller holds mu.
func (s *keySet) look(kid string, now time.Time) (key publicKey, known, old bool) {
	key, known = s.keys[kid]
	age := now.Sub(s.took)
	return key, known && age < setLastsLong, age >= setAge
}

// wait waits for the read that is under way. The caller holds mu, which is free meanwhile.
func (s *keySet) wait(ctx context.Context, mayWait func() bool) error {
	switch {
	case !mayWait():
		return faultKey
	case s.waiting >= mostWaiting:
		return errWaiting
	}
	done := s.reading
	s.waiting++
	s.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.waiting--
	return nil
}

// refresh reads the set, unless that was tried a moment ago. The caller holds mu, which is free meanwhile; nobody else reads.
func (s *keySet) refresh(ctx context.Context, now time.Time) {
	if !s.tried.IsZero() && now.Sub(s.tried) < setFloor && !now.Before(s.tried) {
		return
	}
	s.tried = now
	s.reading = make(chan struct{})
	s.mu.Unlock()
	var keys map[string]publicKey
	defer func() { // also when the read panics
		s.mu.Lock()
		close(s.reading)
		if s.reading = nil; keys != nil {
			s.keys, s.took = keys, now
		}
	}()
	keys, err := s.load(ctx)
	switch {
	case err != nil:
		s.log.ErrorContext(ctx, "the keys of an issuer cannot be read", slog.String("issuer", s.name), slog.Any("error", err))
	case len(keys) == 0:
		s.log.WarnContext(ctx, "an issuer publishes no usable key; its tokens are refused", slog.String("issuer", s.name))
	}
}

func (s *keySet) load(ctx context.Context) (map[string]publicKey, error) {
	text, err := s.read(context.WithoutCancel(ctx)) // who asked first may go away; the others wait for the same read
	if err != nil {
		return nil, err
	}
	return parseSet(text)
}

// parseSet reads a JWK set (RFC 7517, section 5). Keys for other purposes, of other types and without a kid are left out, as the RFC wants; a private or
// symmetric key spoils the set: somebody published what was to stay secret. A set without usable keys is one: so an issuer takes its keys back. A document
// without the member keys is none.
func parseSet(text []byte) (map[string]publicKey, error) {
	var raw struct {
		Keys []map[string]any `json:"keys"`
	}
	if len(text) > mostKeySet {
		return nil, errors.New("access: the key set is too large")
	}
	if err := json.Unmarshal(text, &raw); err != nil || raw.Keys == nil {
		return nil, errors.New("access: the key set is no JWK set")
	}
	if len(raw.Keys) > mostSetKeys {
		return nil, errors.New("access: the key set has more than 64 keys")
	}
	keys := map[string]publicKey{}
	for _, members := range raw.Keys {
		if members["kty"] == "oct" || members["d"] != nil || members["k"] != nil {
			return nil, errors.New("access: the key set holds a private or symmetric key")
		}
		one, kid, ok := parsePublic(members)
		if !ok {
			continue
		}
		if _, twice := keys[kid]; twice {
			return nil, errors.New("access: the key set has two keys of one kid")
		}
		keys[kid] = one
	}
	return keys, nil
}

func parsePublic(members map[string]any) (publicKey, string, bool) {
	text, err := json.Marshal(members)
	if err != nil {
		return publicKey{}, "", false
	}
	var jwk jose.JSONWebKey
	if jwk.UnmarshalJSON(text) != nil || !jwk.Valid() || !jwk.IsPublic() {
		return publicKey{}, "", false
	}
	one := publicKey{key: jwk.Key}
	switch key := jwk.Key.(type) {
	case *rsa.PublicKey:
		one.alg = jose.RS256
		if key.N.BitLen() < 2048 || key.N.BitLen() > 8192 || key.E < 3 {
			return publicKey{}, "", false
		}
	case *ecdsa.PublicKey:
		one.alg = jose.ES256
		if key.Curve != elliptic.P256() {
			return publicKey{}, "", false
		}
	case ed25519.PublicKey:
		one.alg = jose.EdDSA
	default:
		return publicKey{}, "", false
	}
	fits := (jwk.Algorithm == "" || jwk.Algorithm == string(one.alg)) && (jwk.Use == "" || jwk.Use == "sig")
	return one, jwk.KeyID, fits && jwk.KeyID != "" && len(jwk.KeyID) <= mostKid
}

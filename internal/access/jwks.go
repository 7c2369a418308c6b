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
)

// Fetch reads what a URL holds, bounded in size and time; internal/outbound makes one.
type Fetch func(ctx context.Context, url string) ([]byte, error)

// keySet is the public keys of an issuer, from a file or a URL.
type keySet struct {
	read  func(context.Context) ([]byte, error)
	clock call.Clock
	log   *slog.Logger
	name  string // of the issuer, for the log

	reads sync.Mutex // held while the set is read
	mu    sync.Mutex
	keys  map[string]publicKey
	tried time.Time // the last read, whatever came of it
	took  time.Time // the last read that gave keys
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
// nothing, and whoever has a known one does not wait for it. A set that could not be read again stays good for a day.
func (s *keySet) find(ctx context.Context, kid string) (publicKey, bool) {
	if kid == "" || len(kid) > mostKid {
		return publicKey{}, false
	}
	now := s.clock.Now()
	key, known, old := s.look(kid, now)
	switch {
	case known && !old:
		return key, true
	case !known:
		s.reads.Lock()
	case !s.reads.TryLock(): // somebody reads it already
		return key, true
	}
	s.refresh(ctx, kid, now)
	s.reads.Unlock()
	key, known, _ = s.look(kid, now)
	return key, known
}

// look looks into what was read; old says that it should be read again.
func (s *keySet) look(kid string, now time.Time) (key publicKey, known, old bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, known = s.keys[kid]
	age := now.Sub(s.took)
	return key, known && age < setLastsLong, age >= setAge
}

// refresh reads the set, unless it was tried a moment ago or somebody else has found the key meanwhile. The caller holds reads.
func (s *keySet) refresh(ctx context.Context, kid string, now time.Time) {
	_, known, old := s.look(kid, now)
	s.mu.Lock()
	wait := !s.tried.IsZero() && now.Sub(s.tried) < setFloor && !now.Before(s.tried)
	if known && !old || wait {
		s.mu.Unlock()
		return
	}
	s.tried = now
	s.mu.Unlock()
	keys, err := s.load(ctx)
	if err != nil {
		s.log.ErrorContext(ctx, "the keys of an issuer cannot be read", slog.String("issuer", s.name), slog.Any("error", err))
		return
	}
	s.mu.Lock()
	s.keys, s.took = keys, now
	s.mu.Unlock()
}

func (s *keySet) load(ctx context.Context) (map[string]publicKey, error) {
	text, err := s.read(context.WithoutCancel(ctx)) // who asked first may go away; the others wait for the same read
	if err != nil {
		return nil, err
	}
	return parseSet(text)
}

// parseSet reads a JWK set (RFC 7517, section 5). Keys for other purposes, of other types and without a kid are left out, as the RFC wants; a private or
// symmetric key spoils the set: somebody published what was to stay secret.
func parseSet(text []byte) (map[string]publicKey, error) {
	var raw struct {
		Keys []map[string]any `json:"keys"`
	}
	if len(text) > mostKeySet {
		return nil, errors.New("access: the key set is too large")
	}
	if err := json.Unmarshal(text, &raw); err != nil {
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
	if len(keys) == 0 {
		return nil, errors.New("access: the key set holds no usable key")
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

package kmstest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// KeyARN is a key that the service has, and Alias another name of it.
const (
	KeyARN = "arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-4333-8444-555555555555"
	Alias  = "arn:aws:kms:eu-west-1:111122223333:alias/ringonce"
	// Other is a second key of the service.
	Other = "arn:aws:kms:eu-west-1:111122223333:key/99999999-2222-4333-8444-555555555555"
)

// sealedSize is how long KMS makes the encrypted form of a 32 byte key of a single-Region key.
const sealedSize = 184

// Refusal names what happens to a request: empty is nothing, Lost a broken connection, and every other value the error code with which the
// service answers.
type Refusal string

// The refusals that are no error codes of 400.
const (
	Lost     Refusal = "lost"                 // the connection breaks
	Internal Refusal = "KMSInternalException" // a 500
)

// Service is a KMS with two keys.
type Service struct {
	// Refuse decides the fate of a request; nil lets every request through. It is called with the operation's name.
	Refuse func(op string) Refusal

	mu      sync.Mutex
	secrets map[string]cipher.AEAD
	aliases map[string]string
	counts  map[string]int
}

// New returns a service with KeyARN, its Alias, and Other.
func New() *Service {
	s := &Service{secrets: map[string]cipher.AEAD{}, aliases: map[string]string{Alias: KeyARN}, counts: map[string]int{}}
	for i, arn := range []string{KeyARN, Other} {
		s.secrets[arn] = aead(bytes.Repeat([]byte{byte(i + 1)}, 32))
	}
	return s
}

// Point makes Alias another name of this key.
func (s *Service) Point(arn string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.aliases[Alias] = arn
}

// Break sets Refuse while requests may be on their way.
func (s *Service) Break(refuse func(op string) Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Refuse = refuse
}

// Taken returns how often each operation was asked for since the last time and begins anew.
func (s *Service) Taken() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.counts
	s.counts = map[string]int{}
	return counts
}

func aead(secret []byte) cipher.AEAD {
	block, err := aes.NewCipher(secret)
	if err != nil {
		panic(err)
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return sealer
}

// request is what is asked, in both operations.
type request struct {
	KeyId             string //nolint:revive,staticcheck // the name on the wire
	KeySpec           string
	CiphertextBlob    []byte
	EncryptionContext map[string]string
}

// Do implements the SDK's HTTP client.
func (s *Service) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer, refusal := s.handle(op, q)
	status := http.StatusOK
	switch refusal {
	case "":
	case Lost:
		return nil, errors.New("connection reset by peer")
	case Internal:
		status, answer = http.StatusInternalServerError, problem(refusal)
	default:
		status, answer = http.StatusBadRequest, problem(refusal)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, Body: io.NopCloser(bytes.NewReader(text))}, nil
}

func problem(code Refusal) map[string]any { return map[string]any{"__type": code, "message": code} }

func (s *Service) handle(op string, q request) (any, Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[op]++
	if s.Refuse != nil {
		if refusal := s.Refuse(op); refusal != "" {
			return nil, refusal
		}
	}
	arn := q.KeyId
	if named, ok := s.aliases[arn]; ok {
		arn = named
	}
	secret, ok := s.secrets[arn]
	if !ok {
		return nil, "NotFoundException"
	}
	context, err := json.Marshal(q.EncryptionContext) // its keys are in order
	if err != nil {
		return nil, "ValidationException"
	}
	switch op {
	case "GenerateDataKey":
		if q.KeySpec != "AES_256" {
			return nil, "ValidationException"
		}
		plain := make([]byte, 32)
		_, _ = rand.Read(plain)
		padded := append(bytes.Clone(plain), make([]byte, sealedSize-32-secret.Overhead())...)
		return map[string]any{"KeyId": arn, "Plaintext": plain, "CiphertextBlob": secret.Seal(nil, nil, padded, context)}, ""
	case "Decrypt":
		plain, err := secret.Open(nil, nil, q.CiphertextBlob, context)
		if err != nil {
			return nil, "InvalidCiphertextException"
		}
		return map[string]any{"KeyId": arn, "Plaintext": plain[:32]}, ""
	}
	return nil, "AccessDeniedException"
}

package connectemu

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// signingName is the service part of the credential scope.
const signingName = "connect"

const signingAlgorithm = "AWS4-HMAC-SHA256"

// authorization is the parsed Authorization header of Signature Version 4.
type authorization struct {
	accessKey string
	// scope is date/region/service/aws4_request.
	scope         string
	date          string
	region        string
	service       string
	signedHeaders []string
	signature     string
}

// authenticate checks a request as the front end of an AWS service does: form, scope, key, time, signature.
func (s *Server) authenticate(cfg *Config, r *http.Request, bodyHash string, now time.Time) *apiError {
	header := r.Header.Get("Authorization")
	if header == "" {
		return refuse(CodeMissingToken, "Missing Authentication Token")
	}
	auth, err := parseAuthorization(header)
	if err != nil {
		return err
	}
	if auth.region != cfg.Region {
		return refuse(CodeInvalidSignature, fmt.Sprintf("Credential should be scoped to a valid region: the emulator is in %s.", cfg.Region))
	}
	if auth.service != signingName {
		return refuse(CodeInvalidSignature, "Credential should be scoped to correct service: 'connect'.")
	}
	secret, known := cfg.Credentials[auth.accessKey]
	if !known {
		return refuse(CodeUnrecognizedClient, "The security token included in the request is invalid.")
	}
	stamp := r.Header.Get("X-Amz-Date")
	if err := checkDate(stamp, auth, cfg.SignatureWindow, now); err != nil {
		return err
	}
	if declared := r.Header.Get("X-Amz-Content-Sha256"); declared != "" && declared != bodyHash {
		return refuse(CodeInvalidSignature, "The value of X-Amz-Content-Sha256 is not the SHA-256 of the body.")
	}
	canonical := sha256.Sum256([]byte(canonicalRequest(r, auth.signedHeaders, bodyHash)))
	toSign := signingAlgorithm + "\n" + stamp + "\n" + auth.scope + "\n" + hex.EncodeToString(canonical[:])
	want := hex.EncodeToString(hmacSHA256(s.keys.get(auth.accessKey, secret, auth.date, auth.region), toSign))
	if subtle.ConstantTimeCompare([]byte(want), []byte(auth.signature)) != 1 {
		return refuse(CodeInvalidSignature, "The request signature we calculated does not match the signature you provided.")
	}
	return nil
}

// parseAuthorization reads the header; host and x-amz-date must be signed.
func parseAuthorization(header string) (authorization, *apiError) {
	rest, ok := strings.CutPrefix(header, signingAlgorithm+" ")
	if !ok {
		return authorization{}, refuse(CodeIncompleteSignature, "Authorization header requires the algorithm "+signingAlgorithm+".")
	}
	var auth authorization
	for part := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "Credential":
			auth.accessKey, auth.scope, _ = strings.Cut(value, "/")
		case "SignedHeaders":
			auth.signedHeaders = strings.Split(value, ";")
		case "Signature":
			auth.signature = value
		}
	}
	scope := strings.Split(auth.scope, "/")
	if auth.accessKey == "" || len(scope) != 4 || scope[3] != "aws4_request" || auth.signature == "" {
		return authorization{}, refuse(CodeIncompleteSignature, "Authorization header requires Credential, SignedHeaders and Signature.")
	}
	auth.date, auth.region, auth.service = scope[0], scope[1], scope[2]
	if !slices.Contains(auth.signedHeaders, "host") || !slices.Contains(auth.signedHeaders, "x-amz-date") {
		return authorization{}, refuse(CodeInvalidSignature, "The headers host and x-amz-date must be signed.")
	}
	return auth, nil
}

// checkDate compares the signed time with the clock, in both directions. A window below zero accepts every time.
func checkDate(stamp string, auth authorization, window time.Duration, now time.Time) *apiError {
	signed, err := time.Parse(amzDate, stamp)
	if err != nil {
		return refuse(CodeIncompleteSignature, "X-Amz-Date must be in the form "+amzDate+".")
	}
	if !strings.HasPrefix(stamp, auth.date) {
		return refuse(CodeInvalidSignature, "Date in Credential scope does not match YYYYMMDD from X-Amz-Date.")
	}
	if window < 0 {
		return nil
	}
	at := now.UTC().Format(amzDate)
	switch {
	case now.Sub(signed) > window:
		return refuse(CodeInvalidSignature, fmt.Sprintf("Signature expired: %s is now earlier than %s (%s - %s.)",
			stamp, now.UTC().Add(-window).Format(amzDate), at, minutes(window)))
	case signed.Sub(now) > window:
		return refuse(CodeInvalidSignature, fmt.Sprintf("Signature not yet current: %s is still later than %s (%s + %s.)",
			stamp, now.UTC().Add(window).Format(amzDate), at, minutes(window)))
	}
	return nil
}

func minutes(d time.Duration) string {
	if d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return d.String()
}

func hmacSHA256(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	_, _ = h.Write([]byte(text)) // a hash.Hash never fails
	return h.Sum(nil)
}

// keyCache remembers derived signing keys: deriving one costs four HMACs and clients keep theirs for a day too.
type keyCache struct {
	mu   sync.Mutex
	keys map[[4]string][]byte
}

// maxSigningKeys bounds the cache; it holds one key per access key and day.
const maxSigningKeys = 256

func (c *keyCache) get(accessKey, secret, date, region string) []byte {
	id := [4]string{accessKey, secret, date, region}
	c.mu.Lock()
	defer c.mu.Unlock()
	if key, ok := c.keys[id]; ok {
		return key
	}
	if c.keys == nil || len(c.keys) >= maxSigningKeys {
		c.keys = make(map[[4]string][]byte)
	}
	key := []byte("AWS4" + secret)
	for _, part := range []string{date, region, signingName, "aws4_request"} {
		key = hmacSHA256(key, part)
	}
	c.keys[id] = key
	return key
}

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The headers of a request (Standard Webhooks specification, "Webhook metadata").
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// Sign returns the signature of a body: version 1 of Standard Webhooks, HMAC-SHA-256 over id, Unix time and body. While a secret is replaced
// there are two, and a request carries a signature by each, separated by a space.
func Sign(secrets [][]byte, id string, at time.Time, body []byte) string {
	var all []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}

// Verify reports whether one of the signatures is of one of the secrets, for receivers written in Go. They also compare the time with their
// clock.
func Verify(secrets [][]byte, id string, at time.Time, body []byte, signature string) bool {
	for _, secret := range secrets {
		want := Sign([][]byte{secret}, id, at, body)
		for given := range strings.SplitSeq(signature, " ") {
			if hmac.Equal([]byte(want), []byte(given)) {
				return true
			}
		}
	}
	return false
}

package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/call"
)

// outcome is how far an attempt came.
type outcome int

const (
	outcomeLost     outcome = iota // no answer, and bytes may have been written
	outcomeUnsent                  // no answer, and nothing that a server could act on was written
	outcomeAnswered                // an HTTP status arrived
)

// result is everything that the verdict on an attempt may rest on.
type result struct {
	kind      call.Kind // which operation was called
	outcome   outcome
	reason    call.Code // lost and unsent: what happened
	text      string    // the service's message, or ours; masked by classify
	hide      string    // the number that was dialed
	status    int       // answered: HTTP status
	name      string    // answered: the service's error name, empty when it gave none
	contactID string    // answered: from the body of a success
	readable  bool      // answered: the body of a success could be read
	after     time.Duration
}

func unsent(reason call.Code, text string) result {
	return result{outcome: outcomeUnsent, reason: reason, text: text}
}

// observe turns what the SDK returned into a result. The SDK's errors do not say how far the request came; the flight does.
func (f *flight) observe(ctx context.Context, contactID *string, err error) result {
	r := result{kind: f.send.Kind, hide: dialedNumber(f.send.Body)}
	switch {
	case f.status != 0:
		r.outcome, r.status, r.after = outcomeAnswered, f.status, retryAfter(f.header)
		r.readable = err == nil
		if contactID != nil {
			r.contactID = *contactID
		}
		r.name, r.text = serviceError(f.header, err)
	case !f.handed:
		r.outcome, r.reason = outcomeUnsent, reasonUnsent(ctx, err)
	case f.connected.Load():
		r.reason = reasonLost(ctx)
		if isRefusedStream(err) {
			r.outcome, r.reason = outcomeUnsent, CodeRefusedStream
		}
	case f.connecting.Load() || isDialError(err):
		r.outcome, r.reason = outcomeUnsent, reasonUnconnected(ctx, err)
	default:
		r.reason = reasonLost(ctx)
	}
	return r
}

// serviceError returns the error name and message of an answer. The SDK calls an answer without a name UnknownError, and loses
// the name when the body cannot be read although it stands in a header.
func serviceError(header http.Header, err error) (name, message string) {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if api.ErrorCode() == "UnknownError" {
			return "", ""
		}
		return api.ErrorCode(), api.ErrorMessage()
	}
	name, _, _ = strings.Cut(header.Get("X-Amzn-ErrorType"), ":")
	return name, ""
}

func reasonUnsent(ctx context.Context, err error) call.Code {
	if errors.Is(err, errGuard) {
		return CodeSendGuard
	}
	if ctx.Err() != nil {
		return reasonEnded(ctx)
	}
	if _, ok := errors.AsType[*credentialsError](err); ok {
		return CodeCredentials
	}
	return CodeNotBuilt
}

func reasonUnconnected(ctx context.Context, err error) call.Code {
	if ctx.Err() != nil {
		return reasonEnded(ctx)
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return CodeDNSFailed
	}
	if isTLSError(err) {
		return CodeTLSFailed
	}
	return CodeConnectFailed
}

func reasonLost(ctx context.Context) call.Code {
	if ctx.Err() != nil {
		return reasonEnded(ctx)
	}
	return CodeConnectionLost
}

func reasonEnded(ctx context.Context) call.Code {
	if errors.Is(context.Cause(ctx), errTimeLimit) {
		return CodeTimeout
	}
	return CodeContextEnded
}

// isDialError reports whether the error itself proves that there was no connection, for clients whose transport has no hooks.
func isDialError(err error) bool {
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func isTLSError(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	// net/http has no types for a handshake that took too long or met a server without TLS.
	return err != nil && (strings.Contains(err.Error(), "TLS handshake") || strings.Contains(err.Error(), "to HTTPS client"))
}

// isRefusedStream recognizes the two forms in which net/http reports an HTTP/2 REFUSED_STREAM, whose type it does not export.
// Both texts are net/http's own from their first byte; a server cannot write them.
func isRefusedStream(err error) bool {
	transport, ok := errors.AsType[*url.Error](err)
	if !ok {
		return false
	}
	text := strings.TrimPrefix(transport.Err.Error(), "http2: Transport: cannot retry err [")
	id, ok := strings.CutPrefix(text, "stream error: stream ID ")
	if !ok {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(id, "0123456789"), "; REFUSED_STREAM")
}

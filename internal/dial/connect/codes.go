package connect

import "github.com/ringonce/ringonce/internal/call"

// The codes of answers that Amazon Connect did not give. Answers of the service carry its own error name in snake case, without
// the word Exception; an answer without a name carries http_ and its status.
const (
	// CodeSendGuard says that the instant of signing lay outside the bounds of the send rule. Nothing was sent.
	CodeSendGuard call.Code = "send_guard"
	// CodeTimeout says that the dialer's own time limit ended the wait.
	CodeTimeout call.Code = "timeout"
	// CodeContextEnded says that the caller's context ended the wait.
	CodeContextEnded call.Code = "context_ended"
	// CodeConnectFailed says that no connection could be made. Nothing was sent.
	CodeConnectFailed call.Code = "connect_failed"
	// CodeDNSFailed says that the host name could not be resolved. Nothing was sent.
	CodeDNSFailed call.Code = "dns_failed"
	// CodeTLSFailed says that the TLS handshake failed. Nothing was sent.
	CodeTLSFailed call.Code = "tls_failed"
	// CodeRefusedStream says that the server refused the HTTP/2 stream before it looked at the request (RFC 9113 section 8.7).
	CodeRefusedStream call.Code = "refused_stream"
	// CodeCredentials says that no credentials could be had. Nothing was sent.
	CodeCredentials = call.CodeNoCredentials
	// CodeNotBuilt says that the SDK could not make a request. Nothing was sent.
	CodeNotBuilt call.Code = "request_not_built"
	// CodeConnectionLost says that the connection broke after writing may have begun.
	CodeConnectionLost call.Code = "connection_lost"
	// CodeAnswerUnreadable says that a success was answered whose body is not what the API promises.
	CodeAnswerUnreadable call.Code = "answer_unreadable"
	// CodeAnswerWithoutContact says that a success was answered that names no contact.
	CodeAnswerWithoutContact call.Code = "answer_without_contact"
)

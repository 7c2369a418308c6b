package connect

import "github.com/ringonce/ringonce/internal/call"

// sentences say why nothing was sent, and what was lost, by reason. They never change.
var (
	unsentSentences = map[call.Code]string{
		CodeSendGuard:     "The dial was not sent: its time to be signed is over or has not come.",
		CodeTimeout:       "The dial was not sent: there was no connection before the time limit.",
		CodeContextEnded:  "The dial was not sent: its caller stopped waiting first.",
		CodeConnectFailed: "The dial was not sent: no connection to Amazon Connect could be made.",
		CodeDNSFailed:     "The dial was not sent: the host name of Amazon Connect could not be resolved.",
		CodeTLSFailed:     "The dial was not sent: the TLS handshake with Amazon Connect failed.",
		CodeRefusedStream: "The server refused the stream before it looked at the request.",
		CodeCredentials:   "The dial was not sent: no AWS credentials could be had. Give the process a role, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
		CodeNotBuilt:      "The dial was not sent: the AWS SDK could not make a request of it.",
	}
	lostSentences = map[call.Code]string{
		CodeTimeout:        "No answer arrived before the time limit.",
		CodeContextEnded:   "The caller stopped waiting before an answer arrived.",
		CodeConnectionLost: "The connection broke before an answer arrived.",
	}
)

// sentence says what happened to an attempt that was not answered.
func (r result) sentence() string {
	if r.outcome == outcomeUnsent {
		if text, ok := unsentSentences[r.reason]; ok {
			return text
		}
		return "The dial was not sent: " + r.text
	}
	if text, ok := lostSentences[r.reason]; ok {
		return text
	}
	return "No answer arrived."
}

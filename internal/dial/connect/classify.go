package connect

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// classify is the table of protocol.md section 4. It is a pure function: what it is not told cannot sway it.
//
// An error name that the table does not list is ambiguous, whatever its 4xx status. Only names that are known to be given
// before a contact is made prove that no phone rings; a name that nobody has read about proves nothing, and G5 allows "failed"
// only with proof.
func classify(r result) call.Answer {
	switch {
	case r.outcome == outcomeUnsent:
		return call.Answer{Class: call.ClassNotSent, Code: r.reason, Message: tidy(r.sentence(), r.hide)}
	case r.outcome == outcomeLost:
		return call.Answer{Class: call.ClassAmbiguous, Code: r.reason, Message: r.sentence()}
	case r.status >= 200 && r.status <= 299:
		return classifySuccess(r)
	case r.status >= 400 && r.status <= 499 && r.name != "":
		return classifyNamed(r)
	}
	return call.Answer{Class: call.ClassAmbiguous, Code: codeOf(r), Message: tidy(answerSentence(r), r.hide), RetryAfter: r.after}
}

// classifySuccess: a contact was made, but only its id makes that a fact to record.
func classifySuccess(r result) call.Answer {
	switch {
	case r.contactID != "":
		return call.Answer{Class: call.ClassOK, ContactID: r.contactID}
	case !r.readable:
		return call.Answer{
			Class: call.ClassAmbiguous, Code: CodeAnswerUnreadable,
			Message: "Amazon Connect answered with a success that could not be read.",
		}
	}
	return call.Answer{
		Class: call.ClassAmbiguous, Code: CodeAnswerWithoutContact,
		Message: "Amazon Connect answered with a success that names no contact.",
	}
}

func classifyNamed(r result) call.Answer {
	a := call.Answer{Class: classOf(r), Code: codeOf(r), Message: tidy(answerSentence(r), r.hide), RetryAfter: r.after}
	a.Capacity = a.Class == call.ClassThrottled && ofKind(r) == call.ClassThrottled
	return a
}

// ofKind sorts the names that only some operations give (facts/amazon-connect.md sections 3 and 4). From any other operation they are names
// that nobody has read about. The throttles among them are those of capacity: too many contacts at once.
func ofKind(r result) call.Class {
	switch name := family(r.name); r.kind {
	case call.KindChat:
		if name == "LimitExceeded" { // of concurrent active chats
			return call.ClassThrottled
		}
	case call.KindTask:
		if name == "ServiceQuotaExceeded" { // of active tasks; HTTP 402
			return call.ClassThrottled
		}
	case call.KindVoice, "":
		switch name {
		case "DestinationNotAllowed", "OutboundContactNotPermitted":
			return call.ClassRefusedRequest
		case "LimitExceeded":
			return call.ClassThrottled
		}
	}
	return call.ClassAmbiguous
}

// classOf sorts the names that are given before a contact is made (facts/amazon-connect.md section 3; the common errors of AWS
// APIs). Services spell them with and without the word Exception.
func classOf(r result) call.Class {
	switch family(r.name) {
	case "InvalidParameter", "InvalidRequest":
		return call.ClassRefusedRequest
	case "RequestExpired", "RequestTimeTooSkewed":
		return call.ClassNotSent
	case "InvalidSignature", "SignatureDoesNotMatch":
		if isStale(r.text) {
			return call.ClassNotSent
		}
		return call.ClassRefusedSetup
	case "AccessDenied", "ExpiredToken", "UnrecognizedClient", "InvalidClientTokenId", "InvalidAccessKeyId", "MissingAuthenticationToken",
		"IncompleteSignature", "NotAuthorized", "OptInRequired", "ResourceNotFound":
		return call.ClassRefusedSetup
	case "TooManyRequests", "Throttling", "Throttled", "RequestThrottled", "RequestLimitExceeded":
		return call.ClassThrottled
	}
	return ofKind(r)
}

// isStale reports whether a signature was refused for its date alone: the request was too long on its way, or a clock is wrong.
func isStale(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "signature expired") || strings.Contains(message, "not yet current")
}

func family(name string) string { return strings.TrimSuffix(name, "Exception") }

func codeOf(r result) call.Code {
	if code := snake(family(r.name)); code != "" {
		return code
	}
	return call.Code("http_" + strconv.Itoa(r.status))
}

// snake turns an error name into a code: InvalidClientTokenId becomes invalid_client_token_id. What is not a letter or a digit
// becomes an underscore, and long names are cut: names come from outside.
func snake(name string) call.Code {
	const longest = 64
	b := make([]byte, 0, len(name)+8)
	for i := range min(len(name), longest) {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z') {
				b = append(b, '_')
			}
			b = append(b, c+'a'-'A')
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b = append(b, c)
		default:
			b = append(b, '_')
		}
	}
	return call.Code(b)
}

// answerSentence says what was answered, in the service's words where it has some.
func answerSentence(r result) string {
	status := strconv.Itoa(r.status)
	if r.name == "" {
		return "The answer was HTTP " + status + " " + http.StatusText(r.status) + " without an error name, so it may not be from Amazon Connect."
	}
	text := "Amazon Connect answered " + r.name + " (HTTP " + status + ")"
	if r.text == "" {
		return text + "."
	}
	return text + ": " + r.text
}

package connectemu

import (
	"errors"
	"net/http"
)

// ErrConfig is wrapped by every error about a value of a [Config], an [Options] or a [Plan].
var ErrConfig = errors.New("connectemu: configuration refused")

// ErrPortInUse is wrapped by the error of [Serve] when one of its two addresses is taken.
var ErrPortInUse = errors.New("connectemu: port in use")

// Error names of the emulated API: the value of the X-Amzn-ErrorType header. The first group is modeled for the operations, the
// second is what AWS front ends answer.
const (
	CodeInvalidRequest       = "InvalidRequestException"
	CodeInvalidParameter     = "InvalidParameterException"
	CodeNotAllowed           = "DestinationNotAllowedException"
	CodeNotPermitted         = "OutboundContactNotPermittedException"
	CodeNotFound             = "ResourceNotFoundException"
	CodeContactNotFound      = "ContactNotFoundException"
	CodeFlowNotPublished     = "ContactFlowNotPublishedException"
	CodeLimitExceeded        = "LimitExceededException"
	CodeServiceQuotaExceeded = "ServiceQuotaExceededException"
	CodeInternal             = "InternalServiceException"
	CodeThrottling           = "ThrottlingException"
	CodeTooManyRequests      = "TooManyRequestsException"
	CodeAccessDenied         = "AccessDeniedException"
	CodeExpiredToken         = "ExpiredTokenException"
	CodeInvalidSignature     = "InvalidSignatureException"
	CodeIncompleteSignature  = "IncompleteSignatureException"
	CodeMissingToken         = "MissingAuthenticationTokenException"
	CodeUnrecognizedClient   = "UnrecognizedClientException"
	CodeSerialization        = "SerializationException"
	CodeUnknownOperation     = "UnknownOperationException"
	CodeRequestTooLarge      = "RequestEntityTooLargeException"
	CodeServiceUnavailable   = "ServiceUnavailableException"
	CodeSignatureDoesNotFit  = "SignatureDoesNotMatch"
	CodeInvalidClientTokenID = "InvalidClientTokenId"
)

// statusOf returns the HTTP status that goes with an error name: 400 for names it does not know.
func statusOf(code string) int {
	switch code {
	case CodeNotAllowed, CodeNotPermitted, CodeAccessDenied, CodeExpiredToken, CodeInvalidSignature, CodeIncompleteSignature,
		CodeMissingToken, CodeUnrecognizedClient, CodeSignatureDoesNotFit, CodeInvalidClientTokenID:
		return http.StatusForbidden
	case CodeNotFound, CodeFlowNotPublished, CodeUnknownOperation:
		return http.StatusNotFound
	case CodeContactNotFound:
		return http.StatusGone
	case CodeRequestTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeLimitExceeded, CodeThrottling, CodeTooManyRequests:
		return http.StatusTooManyRequests
	case CodeServiceQuotaExceeded:
		return http.StatusPaymentRequired
	case CodeInternal:
		return http.StatusInternalServerError
	case CodeServiceUnavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// answerClass sorts error names by what they do to a client token.
type answerClass int

const (
	// classOther never reached the token store: credentials, signatures.
	classOther answerClass = iota
	// classRefusal is an answer about the request itself; [Config.TokenOnRefusal] applies.
	classRefusal
	// classThrottle is an answer about the pace; [Config.TokenOnThrottle] applies.
	classThrottle
	// classFailure is a failure of the service itself; [Config.TokenOnFailure] applies.
	classFailure
)

func classOf(code string) answerClass {
	switch code {
	case CodeInvalidRequest, CodeInvalidParameter, CodeNotAllowed, CodeNotPermitted, CodeNotFound:
		return classRefusal
	case CodeLimitExceeded, CodeThrottling, CodeTooManyRequests, CodeServiceQuotaExceeded:
		return classThrottle
	case CodeInternal, CodeServiceUnavailable:
		return classFailure
	default:
		return classOther
	}
}

// apiError is an answer that is not a success.
type apiError struct {
	status  int
	code    string
	message string
}

func refuse(code, message string) *apiError {
	return &apiError{status: statusOf(code), code: code, message: message}
}

func badParameter(member, rule string) *apiError {
	return refuse(CodeInvalidParameter, member+" "+rule)
}

package connectemu

import "net/http"

// beforeServing returns the answer of a fault that keeps the request from being served at all.
func beforeServing(rule *Rule) (reply, bool) {
	if rule == nil {
		return reply{}, false
	}
	switch rule.Fault { //nolint:exhaustive // the other faults act later
	case Fail500:
		return dropped(failure(refuse(CodeInternal, "Request processing failed because of an error or failure with the service."))), true
	case Fail502:
		return page(http.StatusBadGateway), true
	case Fail503:
		return dropped(failure(refuse(CodeServiceUnavailable, "The service is unavailable."))), true
	case Fail504:
		return page(http.StatusGatewayTimeout), true
	case Proxy408:
		return page(http.StatusRequestTimeout), true
	case Proxy413:
		return page(http.StatusRequestEntityTooLarge), true
	case ResetBefore:
		return reply{outcome: OutcomeDropped, delivery: deliverReset}, true
	default:
		return reply{}, false
	}
}

func dropped(a reply) reply {
	a.outcome = OutcomeDropped
	return a
}

// injected returns the error of a fault that refuses a request whose signature is good.
func injected(rule *Rule) *apiError {
	if rule == nil {
		return nil
	}
	switch rule.Fault { //nolint:exhaustive // the other faults act elsewhere
	case Refuse:
		return refuse(orElse(rule.Code, CodeInvalidRequest), "The request is refused by the fault plan.")
	case Throttle:
		err := refuse(orElse(rule.Code, CodeTooManyRequests), "Rate exceeded")
		err.status = http.StatusTooManyRequests
		return err
	case ThrottleBare:
		// The name decides what the throttle does to the token; failed leaves it out of the answer.
		return refuse(CodeTooManyRequests, bareThrottle)
	default:
		return nil
	}
}

// bareThrottle marks the throttle that is answered without a name.
const bareThrottle = "Too many requests."

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// afterServing spoils the answer of a request that was served.
func afterServing(rule *Rule, a reply) reply {
	if rule == nil {
		return a
	}
	switch rule.Fault { //nolint:exhaustive // the other faults leave the answer alone
	case PlaceThen500:
		return failure(refuse(CodeInternal, "Request processing failed because of an error or failure with the service."))
	case PlaceThen502:
		return page(http.StatusBadGateway)
	case PlaceThen503:
		return failure(refuse(CodeServiceUnavailable, "The service is unavailable."))
	case PlaceThen504:
		return page(http.StatusGatewayTimeout)
	case PlaceThenReset:
		return reply{delivery: deliverReset}
	case PlaceThenTruncate:
		a.status, a.code, a.delivery = http.StatusOK, "", deliverHalf
	case PlaceThenBraces:
		return reply{status: http.StatusOK, body: []byte("{}")}
	case PlaceThenEmpty:
		return reply{status: http.StatusOK}
	default:
	}
	return a
}

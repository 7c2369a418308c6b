package lambda

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
)

// httpResponse is the answer to an HTTP request in the form of API Gateway, a function URL and a load balancer (Amazon API Gateway Developer
// Guide, "Lambda proxy integrations"; Elastic Load Balancing, "Lambda functions as targets"). A load balancer wants the description too,
// and reads its headers in the form that it sent them.
type httpResponse struct {
	StatusCode        int                 `json:"statusCode"`
	StatusDescription string              `json:"statusDescription,omitempty"`
	Headers           map[string]string   `json:"headers,omitempty"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`
}

// problem is a problem document (RFC 9457) with what an [Answer] says as extension members. Its type is about:blank: the code tells problems
// apart.
type problem struct {
	Type       string         `json:"type"`
	Title      string         `json:"title"`
	Status     int            `json:"status"`
	Detail     string         `json:"detail"`
	Code       call.Code      `json:"code"`
	Field      string         `json:"field,omitempty"`
	Fix        string         `json:"fix,omitempty"`
	Situation  call.Situation `json:"situation"`
	CallID     string         `json:"callId,omitempty"`
	RetryAfter int            `json:"retryAfterSeconds,omitempty"`
}

// The bounds of Retry-After, in seconds.
const (
	shortestRetry = 1
	usualRetry    = 5
	longestRetry  = 3600
)

// http answers an HTTP request. Its document is one record.
func (r Report) http() httpResponse {
	result := r.Results[0]
	status := statusOf(result)
	headers := map[string]string{"cache-control": "no-store", "content-type": "application/json"}
	var body any = result.Answer()
	switch {
	case r.CheckIn != nil:
		status, body = http.StatusOK, flow.AnswerOf(*r.CheckIn)
	case status >= http.StatusBadRequest:
		p := problemOf(result, status)
		switch status {
		case http.StatusMethodNotAllowed:
			headers["allow"] = http.MethodPost
		case http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
			if result.Outcome.Ack != call.AckRefuse {
				p.RetryAfter = r.retryAfter(result.Outcome)
				headers["retry-after"] = strconv.Itoa(p.RetryAfter)
			}
		}
		headers["content-type"] = "application/problem+json"
		body = p
	}
	content, _ := json.Marshal(body) //nolint:errchkjson // texts and numbers only
	response := httpResponse{StatusCode: status, Headers: headers, Body: string(content)}
	if r.Document.HTTP.Form == envelope.HTTPALB {
		response.StatusDescription = strconv.Itoa(status) + " " + http.StatusText(status)
	}
	if r.Document.HTTP.MultiValue {
		response.Headers, response.MultiValueHeaders = nil, make(map[string][]string, len(headers))
		for name, value := range headers {
			response.MultiValueHeaders[name] = []string{value}
		}
	}
	return response
}

// statusOf translates an outcome (protocol.md section 8): 202 new, 200 answered by an earlier call, 409 conflict or in progress, 422 refused,
// 429 throttled, 503 for everything that another try may change.
func statusOf(result Result) int {
	out := result.Outcome
	switch out.Ack {
	case call.AckDone:
		if out.Replayed {
			return http.StatusOK
		}
		return http.StatusAccepted
	case call.AckRefuse:
		switch {
		case out.Met == call.MetConflict:
			return http.StatusConflict
		case result.Record.Reason == envelope.ReasonHTTPMethod, result.Record.Reason == envelope.ReasonPreflight:
			return http.StatusMethodNotAllowed
		}
		return http.StatusUnprocessableEntity
	case call.AckRetry, call.AckNever:
	}
	switch {
	case out.Met == call.MetDialing && out.Replayed:
		return http.StatusConflict
	case throttled(out):
		return http.StatusTooManyRequests
	}
	return http.StatusServiceUnavailable
}

// The reasons of the core for waiting that are about the pace of dialing.
const (
	waitsForPace  = "pacing"
	waitsThrottle = "throttled"
)

// throttled reports whether the pace or a quota of Amazon Connect is why nothing rings yet.
func throttled(out call.Outcome) bool {
	return out.Code == waitsForPace || out.Call.DueReason == waitsForPace || out.Call.DueReason == waitsThrottle
}

func problemOf(result Result, status int) *problem {
	out := result.Outcome
	p := &problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: out.Message, Code: out.Code, Field: result.Record.Field,
		Fix: out.Fix, Situation: out.Met, CallID: out.Call.ID,
	}
	if p.Code == "" {
		p.Code = call.Code(out.Met)
	}
	if p.Detail == "" {
		p.Detail = "The request is " + string(out.Met) + "; send it again."
	}
	return p
}

// retryAfter returns in how many seconds another try is worth it.
func (r Report) retryAfter(out call.Outcome) int {
	if out.Call.Due.IsZero() || r.Answered.IsZero() {
		return usualRetry
	}
	wait := math.Ceil(float64(out.Call.Due.Sub(r.Answered)) / float64(time.Second))
	return int(min(max(wait, shortestRetry), longestRetry))
}

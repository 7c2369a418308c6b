package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// HTTPForm is the form in which a gateway hands an HTTP request over, and takes the answer.
type HTTPForm string

// The forms.
const (
	HTTPv1  HTTPForm = "http-v1" // API Gateway REST API, and HTTP API with payload format 1.0
	HTTPv2  HTTPForm = "http-v2" // API Gateway HTTP API with payload format 2.0, function URL
	HTTPALB HTTPForm = "alb"     // Application Load Balancer
)

// HTTPRequest is what the answer to an HTTP request depends on besides what became of it.
type HTTPRequest struct {
	Form HTTPForm
	// MultiValue says that the headers came as multiValueHeaders only. A load balancer that sends them so reads them only so
	// (Elastic Load Balancing, "Lambda functions as targets").
	MultiValue bool
}

// readHTTP reads an HTTP request as API Gateway, a function URL or a load balancer hands it over. It returns nil when the object is none.
func (c *chain) readHTTP(v *view) *HTTPRequest {
	context := v.get(keyRequestContext)
	var form HTTPForm
	var clock, method string
	switch {
	case v.get(keyVersion).is("2.0") && context.member("http").isObject():
		form, clock, method = HTTPv2, "timeEpoch", context.member("http").member("method").text()
	case context.member("elb").isObject():
		form, method = HTTPALB, v.get(keyHTTPMethod).text()
	case v.strings(keyHTTPMethod) && context.member("requestId").isString():
		form, clock, method = HTTPv1, "requestTimeEpoch", v.get(keyHTTPMethod).text()
	default:
		return nil
	}
	request := &HTTPRequest{Form: form, MultiValue: v.get(keyMultiValueHeaders).isObject() && !v.get(keyHeaders).isObject()}
	if v.payload {
		c.reject(ReasonAmbiguous, "")
		return request
	}
	c.source = call.SourceHTTP
	c.enter(string(form))
	c.unwraps = 1
	c.id("http.requestId", context.member("requestId").text())
	if clock != "" {
		at, ok := parseMillis(context.member(clock))
		c.stamp(at, ok, call.TierHop, "http.timeEpoch")
	}
	c.settleTransport()
	c.readHTTPBody(v, method)
	return request
}

const idempotencyKey = "Idempotency-Key"

func (c *chain) readHTTPBody(v *view, method string) {
	switch method {
	case "POST":
	case "OPTIONS":
		c.ignore(ReasonPreflight)
		return
	default: // a method that anybody may repeat or prefetch must not ring a phone
		c.reject(ReasonHTTPMethod, "")
		return
	}
	key, single := header(v, idempotencyKey)
	if !single {
		c.reject(ReasonDuplicateHeader, idempotencyKey)
		return
	}
	c.id("http.idempotencyKey", key)
	encoding, _ := header(v, "Content-Encoding")
	c.point("/body")
	body := v.get(keyBody)
	if !body.isString() {
		c.reject(ReasonEmpty, "")
		return
	}
	content, ok := body.bytes(), true
	if flag := v.get(keyIsBase64Encoded); len(flag) > 0 && flag[0] == 't' {
		content, ok = c.fromBase64(content)
	}
	switch {
	case !ok:
	case encoding == "" || strings.EqualFold(encoding, "identity"):
	case strings.EqualFold(encoding, "gzip"):
		content, ok = c.gunzip(content)
	default:
		ok = false
	}
	if !ok {
		c.reject(ReasonUndecodable, "")
		return
	}
	c.openText("", content)
}

// header returns a header without regard to case, and whether it has one value only: payload 2.0 joins two with a comma, and
// payload 1.0 keeps all of them in multiValueHeaders.
func header(v *view, name string) (value string, single bool) {
	single = true
	add := func(s string) {
		single = single && (value == "" || value == s) && (name != idempotencyKey || !strings.Contains(s, ","))
		value = s
	}
	for n, content := range v.get(keyHeaders).members() {
		if strings.EqualFold(string(n), name) && content.isString() {
			add(content.text())
		}
	}
	for n, contents := range v.get(keyMultiValueHeaders).members() {
		if !strings.EqualFold(string(n), name) {
			continue
		}
		for content := range contents.elements() {
			add(content.text())
		}
	}
	return value, single
}

package envelope

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// readHTTP reads an HTTP request as API Gateway, a function URL or a load balancer hands it over, and reports whether the
// object is one.
func (c *chain) readHTTP(v *view) bool {
	context := v.get(keyRequestContext)
	var name, clock, method string
	switch {
	case v.get(keyVersion).is("2.0") && context.member("http").isObject():
		name, clock, method = "http-v2", "timeEpoch", context.member("http").member("method").text()
	case context.member("elb").isObject():
		name, method = "alb", v.get(keyHTTPMethod).text()
	case v.strings(keyHTTPMethod) && context.member("requestId").isString():
		name, clock, method = "http-v1", "requestTimeEpoch", v.get(keyHTTPMethod).text()
	default:
		return false
	}
	if v.payload {
		c.reject(ReasonAmbiguous, "")
		return true
	}
	c.enter(name)
	c.unwraps = 1
	c.id("http.requestId", context.member("requestId").text())
	if clock != "" {
		at, ok := parseMillis(context.member(clock))
		c.stamp(at, ok, call.TierHop, "http.timeEpoch")
	}
	c.settleTransport()
	c.readHTTPBody(v, method)
	return true
}

const idempotencyKey = "Idempotency-Key"

func (c *chain) readHTTPBody(v *view, method string) {
	if method == "OPTIONS" {
		c.ignore(ReasonPreflight)
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

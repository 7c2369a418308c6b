package envelope

import "github.com/ringonce/ringonce/internal/call"

// DecodeHTTPBody reads the body of a POST that a server of our own received at opts.Now, as [Decode] reads one that a gateway hands over: the
// same texts are taken and refused, for the same reasons. Both ids may be empty.
func DecodeHTTPBody(body []byte, requestID, idempotencyKey string, opts Options) Record {
	c := newReading(opts).start("")
	c.source = call.SourceHTTP
	c.enter("http")
	c.unwraps = 1
	c.id("http.requestId", requestID)
	c.stamp(opts.Now, !opts.Now.IsZero(), call.TierHop, "http.received")
	c.settleTransport()
	c.id("http.idempotencyKey", idempotencyKey)
	c.openText("", body)
	return c.finish(call.SourceHTTP)
}

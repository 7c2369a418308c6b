package connectemu

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxBody is the greatest body that is read; the largest valid start is far below it.
const maxBody = 1 << 20

// exchange is one request on its way through the emulator.
type exchange struct {
	op   Operation
	body []byte
	hash string
	// instanceID, contactID and resourceID are path parameters of a describe; resourceID is a flow or a queue.
	instanceID, contactID, resourceID string
	query                             url.Values
	// start and malformed are the parsed body of a start.
	start     *startRequest
	malformed error
	// tooBig says that the body was not read to its end.
	tooBig bool
	record Request
}

// read reads the body and everything the fault plan and the wire log want to know; it judges nothing.
func (s *Server) read(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{}
	x.route(r)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	x.body = body
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		x.tooBig = true
	} else if err != nil {
		panic(http.ErrAbortHandler) // the client broke off
	}
	sum := sha256.Sum256(body)
	x.hash = hex.EncodeToString(sum[:])
	if parse := parserOf(x.op); parse != nil && !x.tooBig {
		x.start, x.malformed = parse(body)
	}
	x.record = Request{Seq: s.seq.Add(1), Operation: x.op, Method: r.Method, Path: r.URL.Path, BodyHash: x.hash}
	x.record.readHeaders(r.Header)
	x.record.Number, x.record.Token = maskNumber(x.number()), x.token()
	return x
}

// route finds the operation; an unknown one leaves x.op empty.
func (x *exchange) route(r *http.Request) {
	switch path := r.URL.Path; {
	case r.Method == http.MethodPut && path == "/contact/outbound-voice":
		x.op = OpStart
	case r.Method == http.MethodPut && path == "/contact/chat":
		x.op = OpStartChat
	case r.Method == http.MethodPut && path == "/contact/task":
		x.op = OpStartTask
	case r.Method == http.MethodPost && path == "/contact/stop":
		x.op = OpStop
	case r.Method == http.MethodPost && path == "/search-contacts":
		x.op = OpSearch
	case r.Method == http.MethodPost && path == "/phone-number/list":
		x.op = OpListNumbers
	case r.Method == http.MethodPost && path == "/contact/attributes":
		x.op = OpUpdateAttributes
	case r.Method == http.MethodPost && path == "/contact/tags":
		x.op = OpTag
	case r.Method == http.MethodGet || r.Method == http.MethodDelete:
		x.query = r.URL.Query()
		x.routeNamed(r.Method, path)
	}
}

// routeNamed finds the operations that name what they are about in their path.
func (x *exchange) routeNamed(method, path string) {
	for _, read := range []struct {
		method, prefix string
		op             Operation
		resource       *string // nil when the path names the instance alone
	}{
		{http.MethodGet, "/contacts/", OpDescribe, &x.contactID},
		{http.MethodGet, "/contact/attributes/", OpGetAttributes, &x.contactID},
		{http.MethodDelete, "/contact/tags/", OpUntag, &x.contactID},
		{http.MethodGet, "/contact-flows/", OpDescribeFlow, &x.resourceID},
		{http.MethodGet, "/contact-flows-summary/", OpListFlows, nil},
		{http.MethodGet, "/queues/", OpDescribeQueue, &x.resourceID},
		{http.MethodGet, "/instance/", OpDescribeInstance, nil},
	} {
		rest, ok := strings.CutPrefix(path, read.prefix)
		if !ok || method != read.method {
			continue
		}
		instance, resource, two := strings.Cut(rest, "/")
		if instance == "" || two != (read.resource != nil) || two && (resource == "" || strings.Contains(resource, "/")) {
			return
		}
		x.op, x.instanceID = read.op, instance
		if two {
			*read.resource = resource
		}
		return
	}
}

func (x *exchange) number() string {
	if x.start == nil {
		return ""
	}
	return x.start.DestinationPhoneNumber
}

func (x *exchange) token() string {
	if x.start == nil {
		return ""
	}
	return x.start.ClientToken
}

// Package otlptest is a collector of traces for tests: it takes OTLP over HTTP as a real one does, keeps what came, and misbehaves when it is told to.
package otlptest

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span as it came.
type Span struct {
	Name, Trace, ID, Parent, Kind string
	Links                         []string          // TRACE/SPAN
	Attrs                         map[string]string // values as text
	Failure                       string            // of its status; empty when it went well
	Sampled                       bool
}

// Collector keeps what was sent to it.
type Collector struct {
	*httptest.Server

	mu      sync.Mutex
	spans   []Span
	raw     []byte
	headers []http.Header
	status  int
	held    chan struct{} // what comes waits until it closes; nil: nothing waits
}

// New starts a collector that ends with the test.
func New(t *testing.T) *Collector {
	t.Helper()
	c := &Collector{status: http.StatusOK}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() { c.Release(); c.Close() })
	return c
}

// Answer makes it answer with a status from now on.
func (c *Collector) Answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// Hang makes everything that comes wait until Release.
func (c *Collector) Hang() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = make(chan struct{})
}

// Release answers what waits.
func (c *Collector) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		close(c.held)
		c.held = nil
	}
}

// ServeHTTP implements http.Handler.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	held, status := c.held, c.status
	c.headers = append(c.headers, r.Header.Clone())
	c.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unzipped
	}
	raw, err := io.ReadAll(body)
	var request collected.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(raw, &request)
	}
	switch {
	case err != nil || r.URL.Path != "/v1/traces" || r.Method != http.MethodPost:
		http.Error(w, "no spans", http.StatusBadRequest)
		return
	case status != http.StatusOK:
		http.Error(w, "as it was told", status)
		return
	}
	c.keep(raw, &request)
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(http.StatusOK)
}

func (c *Collector) keep(raw []byte, request *collected.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw...)
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				kept := Span{
					Name: s.GetName(), Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
					Kind: s.GetKind().String(), Attrs: map[string]string{}, Failure: s.GetStatus().GetMessage(), Sampled: s.GetFlags()&1 == 1,
				}
				for _, link := range s.GetLinks() {
					kept.Links = append(kept.Links, hex.EncodeToString(link.GetTraceId())+"/"+hex.EncodeToString(link.GetSpanId()))
				}
				for _, a := range s.GetAttributes() {
					kept.Attrs[a.GetKey()] = valueOf(a.GetValue())
				}
				c.spans = append(c.spans, kept)
			}
		}
	}
}

func valueOf(v *common.AnyValue) string {
	if text, is := v.GetValue().(*common.AnyValue_StringValue); is {
		return text.StringValue
	}
	return v.String()
}

// Spans returns what came, in the order in which it came.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Raw returns the bytes of everything that came, after their compression.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// Headers returns those of each request.
func (c *Collector) Headers() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.headers)
}

// Find waits until a span of this name is there that fits, and returns it.
func (c *Collector) Find(t *testing.T, name string, fits func(Span) bool) Span {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, s := range c.Spans() {
			if s.Name == name && (fits == nil || fits(s)) {
				return s
			}
		}
	}
	t.Fatalf("no span %q came that fits; there are %+v", name, c.Spans())
	return Span{}
}

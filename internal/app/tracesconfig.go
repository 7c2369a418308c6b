package app

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/ringonce/ringonce/internal/secret"
)

// ServeTraces says which collector is sent the spans of the service (docs/serve.md).
type ServeTraces struct {
	Endpoint    string   `yaml:"endpoint"`     // the whole URL of OTLP/HTTP; empty: no spans
	Sample      *float64 `yaml:"sample"`       // share of the traces that begin here; default 1
	HeadersFile string   `yaml:"headers_file"` // NAME: VALUE, one a line; a credential of the collector
}

// tracesPath is where a collector takes spans unless its URL says otherwise (OpenTelemetry Protocol specification 1, "OTLP/HTTP Request").
const tracesPath = "/v1/traces"

// URL returns the whole address.
func (t ServeTraces) URL() string {
	if u, err := url.Parse(t.Endpoint); err == nil && u.Path == "" {
		return t.Endpoint + tracesPath
	}
	return t.Endpoint
}

// Share returns traces.sample with its default.
func (t ServeTraces) Share() float64 {
	if t.Sample == nil {
		return 1
	}
	return *t.Sample
}

func (c *Config) checkServeTraces() error {
	t := c.Serve.Traces
	u, err := url.Parse(t.Endpoint)
	switch {
	case t.Endpoint == "" && (t.Sample != nil || t.HeadersFile != ""):
		return c.refuse("serve.traces.endpoint", "Set it, or remove serve.traces.", "is missing.")
	case t.Endpoint == "":
		return nil
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return c.refuse("serve.traces.endpoint", "Write it as https://collector.example.com/v1/traces; a credential belongs into serve.traces.headers_file.", "is no plain URL.")
	case u.Scheme != "https" && (u.Scheme != "http" || u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback()):
		return c.refuse("serve.traces.endpoint", "Use https, or a collector on 127.0.0.1.", "is neither https nor on loopback.")
	case t.Share() < 0 || t.Share() > 1 || t.Share() != t.Share():
		return c.refuse("serve.traces.sample", "Use 0 to 1.", "is outside its range.")
	}
	return nil
}

// mostHeaders bounds the headers of a request to the collector.
const mostHeaders = 16

// TraceHeaders reads serve.traces.headers_file; nil without one. Its errors name no value.
func (c *Config) TraceHeaders() (map[string]secret.Secret, error) {
	const field, fix = "serve.traces.headers_file", "Write NAME: VALUE, one a line."
	path := c.Serve.Traces.HeadersFile
	if path == "" {
		return nil, nil //nolint:nilnil // none is an answer
	}
	text, err := secret.ReadFile(path)
	if e, ok := errors.AsType[*secret.Error](err); ok {
		return nil, c.refuse(field, e.Fix, "%s", e.Message)
	}
	if err != nil {
		return nil, err
	}
	headers := map[string]secret.Secret{}
	for line := range strings.Lines(string(text.Reveal())) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || !madeOf(name, "-", 64) || value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			return nil, c.refuse(field, fix, "holds a line that is no header.")
		}
		headers[name] = secret.New([]byte(value))
	}
	if len(headers) > mostHeaders {
		return nil, c.refuse(field, fix, "holds more than %d headers.", mostHeaders)
	}
	return headers, nil
}

package app

import (
	"net"
	"slices"
	"strconv"
	"time"
)

// DefaultListen is where `ringonce serve` listens unless serve.listen says otherwise.
const DefaultListen = "127.0.0.1:7464"

// Serve holds the settings of `ringonce serve` (docs/serve.md).
type Serve struct {
	Listen string       `yaml:"listen"` // HOST:PORT; default 127.0.0.1:7464
	TLS    ServeTLS     `yaml:"tls"`
	Queues []ServeQueue `yaml:"queues"`
	Drain  string       `yaml:"drain"` // how long what runs may take after the end was asked for; default 20s
	Limits ServeLimits  `yaml:"limits"`
	Traces ServeTraces  `yaml:"traces"` // off by default

	MetricsAuth      bool   `yaml:"metrics_auth"`       // /metrics and the checks of /readyz are for operators
	MetricsTokenFile string `yaml:"metrics_token_file"` // and for whoever shows one of these tokens

	RequireIdempotencyKey bool `yaml:"require_idempotency_key"` // refuse requests for calls without the header
}

// ServeTLS holds the certificates of the listener.
type ServeTLS struct {
	CertFile     string `yaml:"cert_file"`      // PEM, with its chain
	KeyFile      string `yaml:"key_file"`       // PEM, not readable by every user
	ClientCAFile string `yaml:"client_ca_file"` // PEM: clients show a certificate of one of these authorities
	Clients      string `yaml:"clients"`        // optional (the default where access has credentials) or require
}

// ServeQueue is a queue of SQS that is polled.
type ServeQueue struct {
	URL        string `yaml:"url"`
	Lanes      int    `yaml:"lanes"`        // messages held at a time; default 10
	Visibility string `yaml:"visibility"`   // default 60s; extended while a message is worked on
	MaxBackOff string `yaml:"max_back_off"` // longest wait of a message that was not acknowledged; default 15m
}

// ServeLimits bound what clients can hold up.
type ServeLimits struct {
	Concurrent  int    `yaml:"concurrent"`  // requests answered at once; default 256
	Connections int    `yaml:"connections"` // open at once; default 4096
	BodyBytes   int64  `yaml:"body_bytes"`  // of one request; default 8388608
	HeaderTime  string `yaml:"header_time"` // default 5s
	ReadTime    string `yaml:"read_time"`   // default 30s
	WriteTime   string `yaml:"write_time"`  // default 90s
	IdleTime    string `yaml:"idle_time"`   // default 2m
}

// ListenAddress returns serve.listen with its default.
func (s Serve) ListenAddress() string {
	if s.Listen == "" {
		return DefaultListen
	}
	return s.Listen
}

// Duration reads one of the durations of the section, which Validate has accepted; zero is the default of whoever uses it.
func (s Serve) Duration(value string) time.Duration { return orDefault(value, 0) }

// ClientsOptional reports whether a client may show no certificate. Where there are credentials they decide who is answered, and operators have no certificates;
// where there are none the handshake is all that asks, so it goes on to ask everybody.
func (c *Config) ClientsOptional() bool {
	if clients := c.Serve.TLS.Clients; clients != "" {
		return clients == "optional"
	}
	return c.Access.Credentials()
}

// HasTLS reports whether the listener has a certificate.
func (s Serve) HasTLS() bool { return s.TLS.CertFile != "" }

func (c *Config) checkServe() error {
	s := c.Serve
	if _, port, err := net.SplitHostPort(s.ListenAddress()); err != nil || !portNumber(port) {
		return c.refuse("serve.listen", "Write it as 127.0.0.1:7464.", "is no HOST:PORT.")
	}
	if s.MetricsAuth && !c.Access.Credentials() && s.MetricsTokenFile == "" {
		return c.refuse("serve.metrics_auth", "Configure the access section, or serve.metrics_token_file.", "is true, and nobody has a credential.")
	}
	if err := c.checkServeTLS(); err != nil {
		return err
	}
	if s.Limits.Concurrent < 0 || s.Limits.Connections < 0 || s.Limits.BodyBytes < 0 {
		return c.refuse("serve.limits.concurrent", "Use positive numbers in serve.limits.", "or another limit is negative.")
	}
	for _, t := range []struct {
		field, value string
		low, high    time.Duration
	}{
		{"serve.drain", s.Drain, time.Second, 15 * time.Minute},
		{"serve.limits.header_time", s.Limits.HeaderTime, time.Second, time.Minute},
		{"serve.limits.read_time", s.Limits.ReadTime, time.Second, 10 * time.Minute},
		{"serve.limits.write_time", s.Limits.WriteTime, time.Second, 10 * time.Minute},
		{"serve.limits.idle_time", s.Limits.IdleTime, time.Second, time.Hour},
	} {
		if _, err := c.duration(t.field, t.value, t.low, t.high); err != nil {
			return err
		}
	}
	if err := c.checkServeTraces(); err != nil {
		return err
	}
	return c.checkServeQueues()
}

func (c *Config) checkServeTLS() error {
	t := c.Serve.TLS
	switch {
	case (t.CertFile == "") != (t.KeyFile == ""):
		return c.refuse("serve.tls", "Set cert_file and key_file, or neither.", "has a certificate without its key, or a key alone.")
	case t.ClientCAFile != "" && t.CertFile == "":
		return c.refuse("serve.tls.client_ca_file", "Set cert_file and key_file as well.", "is set without a certificate of the listener.")
	case t.Clients != "" && t.ClientCAFile == "":
		return c.refuse("serve.tls.clients", "Set client_ca_file, or remove it.", "is set without client_ca_file.")
	}
	return c.oneOf("serve.tls.clients", t.Clients, "require", "optional")
}

func (c *Config) checkServeQueues() error {
	var seen []string
	for i, q := range c.Serve.Queues {
		field := "serve.queues[" + strconv.Itoa(i) + "]"
		switch {
		case q.URL == "":
			return c.refuse(field+".url", "Copy the URL of the queue from the SQS console.", "is missing.")
		case slices.Contains(seen, q.URL):
			return c.refuse(field+".url", "Keep one entry for each.", "is named twice.")
		case q.Lanes < 0 || q.Lanes > 1000:
			return c.refuse(field+".lanes", "Use 1 to 1000.", "is outside its range.")
		}
		seen = append(seen, q.URL)
		if _, err := c.duration(field+".visibility", q.Visibility, 10*time.Second, 12*time.Hour); err != nil {
			return err
		}
		if _, err := c.duration(field+".max_back_off", q.MaxBackOff, time.Second, 12*time.Hour); err != nil {
			return err
		}
	}
	return nil
}

func portNumber(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n <= 65535
}

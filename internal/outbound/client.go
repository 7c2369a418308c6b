package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// The errors of a request that was not sent, or whose answer was not taken.
var (
	ErrForbidden = errors.New("outbound: the address is private, local or reserved")
	ErrAddress   = errors.New("outbound: the URL is not one of https with a plain host")
	ErrTooLarge  = errors.New("outbound: the answer is larger than it may be")
)

// Resolver turns a name into addresses; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options is what a [Client] works with. The zero value is the strictest client.
type Options struct {
	Allow     []netip.Prefix // ranges that may be dialed though they are private; metadata addresses stay refused
	Plain     bool           // also http, for servers inside Allow
	Timeout   time.Duration  // of a whole exchange; default 5s
	MostBytes int64          // of an answer's body; default 1 MiB
	RootCAs   *x509.CertPool // nil: those of the machine
	Resolver  Resolver       // nil: that of the machine
	Dial      func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to addresses that were looked at. It is safe for concurrent use.
type Client struct {
	o    Options
	http *http.Client
}

// Response is an answer that was read to its end.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // at most Options.MostBytes
}

const (
	defaultTimeout = 5 * time.Second
	defaultMost    = 1 << 20
	mostHeader     = 16 << 10
	mostAddresses  = 16
)

// New returns a client.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MostBytes <= 0 {
		o.MostBytes = defaultMost
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: o.Timeout}).DialContext
	}
	c := &Client{o: o}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:       nil, // a proxy would resolve the name again, out of our sight
			DialContext: c.dial, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
			TLSHandshakeTimeout: o.Timeout, ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: mostHeader, MaxIdleConns: 32,
			IdleConnTimeout: time.Minute, DisableCompression: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       o.Timeout,
	}
	return c
}

// Check reports whether a URL has a form this client would send to, without resolving its name; a configuration is checked with it.
func (c *Client) Check(target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return ErrAddress
	}
	return c.check(u)
}

func (c *Client) check(u *url.URL) error {
	addr, is, odd := literal(u.Hostname())
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !c.o.Plain), u.User != nil, u.Hostname() == "", odd:
		return ErrAddress
	case is && !permitted(addr, c.o.Allow):
		return ErrForbidden
	}
	return nil
}

// Do sends a request and reads its answer. A redirect is an answer like any other. The error never holds the request's headers or body.
func (c *Client) Do(r *http.Request) (Response, error) {
	answer, err := c.send(r)
	if err != nil {
		return Response{}, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.o.MostBytes+1))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return Response{}, fmt.Errorf("outbound: read the answer: %w", err)
	}
	if int64(len(body)) > c.o.MostBytes {
		return Response{}, ErrTooLarge
	}
	return Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// send returns when the headers of the answer are there.
func (c *Client) send(r *http.Request) (*http.Response, error) {
	if err := c.check(r.URL); err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r) //nolint:gosec // G704: dial looks at each address
	if err != nil {
		return nil, fmt.Errorf("outbound: %w", errors.Unwrap(err)) // without the URL, whose path may be a secret
	}
	return answer, nil
}

// Status sends a request and returns the status of its answer, which counts once the answer's headers are there: of the body at most Options.MostBytes are read
// and thrown away, and it may be longer, late or broken off. Else it is as [Client.Do].
func (c *Client) Status(r *http.Request) (int, error) {
	answer, err := c.send(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, c.o.MostBytes) // so that the connection can be used again
	_ = answer.Body.Close()
	return answer.StatusCode, nil
}

// Get sends a GET.
func (c *Client) Get(ctx context.Context, target string) (Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return Response{}, ErrAddress
	}
	return c.Do(r)
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// dial resolves and dials what it has looked at. One address that may not be dialed spoils the whole answer: who gives both kinds hopes for luck.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, ErrAddress
	}
	addrs, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		if !permitted(addr, c.o.Allow) {
			return nil, ErrForbidden
		}
	}
	var failed error
	for _, addr := range addrs {
		conn, err := c.o.Dial(ctx, network, net.JoinHostPort(addr.Unmap().String(), port))
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

func (c *Client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addr, is, odd := literal(host)
	switch {
	case odd:
		return nil, ErrAddress
	case is:
		return []netip.Addr{addr}, nil
	}
	addrs, err := c.o.Resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	if len(addrs) == 0 || len(addrs) > mostAddresses {
		return nil, ErrAddress
	}
	return addrs, nil
}

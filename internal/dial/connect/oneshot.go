package connect

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
)

// oneShot is the HTTP client under the SDK.
type oneShot struct {
	dial awsconnect.HTTPClient // for dials
	read awsconnect.HTTPClient // for everything that cannot ring

	// admit says whether a dial may be sent; a test that plants retries lets everything pass.
	admit func(*flight) error
}

// admitOnce lets one request of an attempt through, and only if the guard let its signature pass: a client without
// credentials never calls its signer.
func admitOnce(f *flight) error {
	switch {
	case f.signed.IsZero():
		return errGuard
	case f.handed:
		return errSecond
	}
	return nil
}

// newOneShot wraps the given client, or makes the two of its own.
func newOneShot(client awsconnect.HTTPClient) oneShot {
	if client == nil {
		return oneShot{
			dial:  stayHere(&http.Client{Transport: newTransport(true)}),
			read:  stayHere(&http.Client{Transport: newTransport(false)}),
			admit: admitOnce,
		}
	}
	if plain, ok := client.(*http.Client); ok {
		client = stayHere(plain)
	}
	return oneShot{dial: client, read: client, admit: admitOnce}
}

// stayHere returns a copy of the client that hands redirects to its caller: an answer from elsewhere says nothing about a call,
// and a request that is sent on is a second one.
func stayHere(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// newTransport returns an HTTP/1.1 transport. HTTP/2 would share connections between dials, and with them their failures. A
// proxy of the environment only carries TLS; it can neither read nor sign again what goes through it.
func newTransport(oneUse bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		Protocols:           protocols,
		DisableKeepAlives:   oneUse,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     15 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(8)},
	}
}

// Do sends a read as it is, and a dial if it is admitted. The body of a dial cannot be rewound, so that the transport has
// nothing to send a second time.
func (c oneShot) Do(r *http.Request) (*http.Response, error) {
	f := flightOf(r.Context())
	if f == nil {
		return c.read.Do(r)
	}
	if err := c.admit(f); err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err // a transport would say the same, but not that it did nothing
	}
	f.handed = true
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), f.trace()))
	r.GetBody = nil
	response, err := c.dial.Do(r)
	if response != nil {
		f.status, f.header = response.StatusCode, response.Header
	}
	return response, err
}

package measure_test

import (
	"net/http"

	"github.com/ringonce/ringonce/connectemu"
)

// httpClient reaches the emulator without a socket.
type httpClient struct{ emulator *connectemu.Server }

// Do implements connect.HTTPClient.
func (c httpClient) Do(r *http.Request) (*http.Response, error) {
	client := http.Client{Transport: c.emulator.RoundTripper()}
	return client.Do(r)
}

package deliver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/ringonce/ringonce/connectemu"
)

// maxFunctionAnswer bounds what is read of an answer; a flow takes 32 KB.
const maxFunctionAnswer = 64 << 10

// Function returns the function behind a URL, for the flows of an emulator: the document is the body of a POST, and the body of an answer with
// status 200 is the function's answer. It fits the Lambda Runtime Interface Emulator
// (http://host:port/2015-03-31/functions/function/invocations). Errors wrap [connectemu.ErrConfig].
func Function(address string, options Options) (connectemu.FlowFunction, error) {
	options = options.withDefaults()
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, fmt.Errorf("%w: function %q is no URL: write http:// and host:port", connectemu.ErrConfig, address)
	case !options.AllowNonLoopback && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("%w: function %q is not on the loopback interface: use 127.0.0.1, or set AllowNonLoopback", connectemu.ErrConfig, address)
	}
	return func(ctx context.Context, document []byte) ([]byte, error) {
		return invoke(ctx, options.Client, address, document)
	}, nil
}

func invoke(ctx context.Context, client *http.Client, address string, document []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("deliver: a request to the function: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("deliver: invoke the function: %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxFunctionAnswer))
	_ = response.Body.Close() // everything that counts was read
	switch {
	case err != nil:
		return nil, fmt.Errorf("deliver: read the function's answer: %w", err)
	case response.StatusCode != http.StatusOK || response.Header.Get("X-Amz-Function-Error") != "":
		return nil, fmt.Errorf("deliver: the function failed with status %d", response.StatusCode)
	}
	return answer, nil
}

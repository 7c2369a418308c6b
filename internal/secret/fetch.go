package secret

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/ringonce/ringonce/internal/call"
)

// Options is what a secret is read with. Credentials and Clock are required.
type Options struct {
	Credentials aws.CredentialsProvider
	Clock       call.Clock
	Endpoint    string // an emulator's address; empty means the service itself
}

// The bounds of a read: a start that cannot have its key must fail while somebody is watching.
const (
	tries       = 3
	tryTime     = 3 * time.Second
	mostAnswer  = 1 << 20
	firstPause  = 200 * time.Millisecond
	contentType = "application/x-amz-json-1.1"
)

// Fetch reads the value that an ARN names: text or bytes of a secret, or a parameter of the type SecureString. A final line feed is not part of it.
// It is a read, so what the service or the way to it spoils is asked for again, three times in all. Its errors are *[Error].
func Fetch(ctx context.Context, o Options, arn string) (Secret, error) {
	at, ok := parse(arn)
	if !ok {
		return Secret{}, failed("Copy the whole ARN of the secret or of the parameter.", "is no ARN of a secret or parameter.")
	}
	client := newClient()
	defer client.CloseIdleConnections()
	for try := 1; ; try++ {
		answer, err := ask(ctx, o, client, at)
		if err == nil && !answer.passing() {
			return answer.secret(at)
		}
		if try < tries && o.Clock.Sleep(ctx, firstPause<<(try-1)) == nil {
			continue
		}
		if err == nil {
			return answer.secret(at)
		}
		return Secret{}, failed("Check the credentials of this process and its way to "+at.host+".", "cannot be read from %s: %v.", at.arn, err)
	}
}

// newClient returns a client for a start. It follows no redirect: the answer of somebody else is no secret of ours.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: time.Second}
	return &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 2 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is what a service said. It is never printed.
type answer struct {
	status int
	code   string // of an error
	body   []byte
}

// passing reports an answer that a moment later may be another one.
func (a answer) passing() bool {
	return a.status >= 500 || a.status == http.StatusTooManyRequests || strings.HasPrefix(a.code, "Throttl")
}

// ask sends one signed request in the protocol of both services, AWS JSON 1.1.
func ask(ctx context.Context, o Options, client *http.Client, at place) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	input := map[string]any{"SecretId": at.arn}
	if at.service.name == parameterStore.name {
		input = map[string]any{"Name": at.arn, "WithDecryption": true}
	}
	body, err := json.Marshal(input)
	if err != nil {
		return answer{}, err
	}
	endpoint := o.Endpoint
	if endpoint == "" {
		endpoint = "https://" + at.host
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(endpoint, "/")+"/", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("X-Amz-Target", at.service.target)
	credentials, err := o.Credentials.Retrieve(ctx)
	if err != nil {
		return answer{}, err
	}
	digest := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(ctx, credentials, request, hex.EncodeToString(digest[:]), at.service.name, at.region, o.Clock.Now().UTC()); err != nil {
		return answer{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode}
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, mostAnswer)); err != nil {
		return answer{}, err
	}
	if a.status != http.StatusOK {
		a.code = codeOf(response.Header, a.body)
	}
	return a, nil
}

// codeOf reads the name of an error: of the header or of the body, without the namespace before it and the address behind it.
func codeOf(header http.Header, body []byte) string {
	var named struct {
		Type string `json:"__type"`
		Code string `json:"code"`
	}
	_ = json.Unmarshal(body, &named) // an answer that is no JSON has no name
	code := header.Get("X-Amzn-Errortype")
	for _, other := range []string{named.Type, named.Code} {
		if code == "" {
			code = other
		}
	}
	code, _, _ = strings.Cut(code, ":")
	code = code[strings.LastIndexByte(code, '#')+1:]
	for _, c := range []byte(code) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return ""
		}
	}
	return code
}

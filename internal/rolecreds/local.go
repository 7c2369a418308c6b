package rolecreds

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// The addresses that AWS names: of the agents of ECS and EKS, and of the metadata service of an instance.
var (
	agents   = []string{"169.254.170.2", "169.254.170.23", "fd00:ec2::23"}
	metadata = []string{"169.254.169.254", "fd00:ec2::254"}
)

// local refuses an address of a variable that leads further than this machine or the addresses that AWS names: whoever set it would be handed
// tokens, and choose the role that dials.
func local(variable, address string, named []string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%s is no address", variable)
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && (ip.IsLoopback() || slices.Contains(named, ip.String())) {
		return nil
	}
	return fmt.Errorf("%s leads neither to this machine nor to %s", variable, strings.Join(named, ", "))
}

// How long a connection on this machine or its link may take, and an answer.
const (
	connectTime = time.Second
	answerTime  = 2 * time.Second
)

// line asks somebody on this machine or its link. It follows neither a proxy nor a redirection, waits for nobody long, since a dial may wait for
// it, and remembers what came of its last request: the errors of the SDK's clients do not always hold it.
type line struct {
	client *http.Client

	mu   sync.Mutex
	last string // empty after an answer that was good
}

func newLine() *line {
	return &line{client: &http.Client{
		Timeout:       connectTime + answerTime,
		Transport:     &http.Transport{DialContext: (&net.Dialer{Timeout: connectTime}).DialContext, ResponseHeaderTimeout: answerTime, MaxIdleConns: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do implements the HTTPClient of the SDK's clients.
func (l *line) Do(r *http.Request) (*http.Response, error) {
	response, err := l.client.Do(r) //nolint:gosec // G704: the addresses are those that AWS names and this machine, checked where the source is made
	l.mu.Lock()
	defer l.mu.Unlock()
	switch failed, ok := errors.AsType[*url.Error](err); {
	case ok && failed.Timeout():
		l.last = "there was no answer in time"
	case ok: // without the address
		l.last = failed.Err.Error()
	case response != nil && response.StatusCode != http.StatusOK:
		l.last = fmt.Sprintf("it was answered %d", response.StatusCode)
	default:
		l.last = ""
	}
	return response, err
}

func (l *line) failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// told is a source whose errors say in a few words which one failed and why. The SDK's hold the address, which in ECS is a secret.
type told struct {
	aws.CredentialsProvider

	what string
	over *line // nil for STS
}

// Retrieve implements aws.CredentialsProvider.
func (t told) Retrieve(ctx context.Context) (aws.Credentials, error) {
	c, err := t.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("%s could not be fetched: %s", t.what, t.reason(err))
	}
	if !c.HasKeys() {
		return aws.Credentials{}, fmt.Errorf("%s could not be fetched: the answer holds none", t.what)
	}
	return c, nil
}

// reason is a cause that says nothing of the address or of an answer's text.
func (t told) reason(err error) string {
	if refused, ok := errors.AsType[smithy.APIError](err); ok && refused.ErrorCode() != "" {
		return "it was refused as " + refused.ErrorCode()
	}
	if file, ok := errors.AsType[*os.PathError](err); ok {
		return file.Error()
	}
	if t.over != nil && t.over.failure() != "" {
		return t.over.failure()
	}
	if answered, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return fmt.Sprintf("it was answered %d", answered.HTTPStatusCode())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no answer in time"
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err.Error()
	}
	return "the answer cannot be read"
}

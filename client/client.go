package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// Client asks one service. It is safe for concurrent use.
type Client struct {
	api  *oas.Client
	http *http.Client
	key  string
}

// Option changes a client.
type Option func(*Client)

// WithHTTPClient sends by this client: for timeouts, client certificates, proxies. Without it one with a timeout of a minute is used.
func WithHTTPClient(c *http.Client) Option { return func(o *Client) { o.http = c } }

// WithToken sends an API key or a bearer token with each request.
func WithToken(token string) Option { return func(o *Client) { o.key = token } }

// usualTimeout is longer than the service waits for a dial.
const usualTimeout = time.Minute

// New returns a client of the service at a base URL such as https://calls.example.org. It refuses one that is no URL.
func New(baseURL string, options ...Option) (*Client, error) {
	c := &Client{http: &http.Client{Timeout: usualTimeout}}
	for _, option := range options {
		option(c)
	}
	var err error
	c.api, err = oas.NewClient(baseURL, oas.WithClient(sender{c}))
	if err != nil {
		return nil, fmt.Errorf("the base URL of the service: %w", err)
	}
	return c, nil
}

// sender adds the credentials.
type sender struct{ *Client }

// Do implements the generated client's transport.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	return s.http.Do(r) //nolint:gosec // the URL is that of the service which the program names
}

// Error is a problem that the service told (RFC 9457).
type Error struct {
	Status int    `json:"status"`
	Code   string `json:"code"`   // stable: a program may look at it
	Detail string `json:"detail"` // one sentence
	Fix    string `json:"fix"`    // the next step
	CallID string `json:"callId"` // the call that justified a conflict
}

// Error returns the code, the sentence and the next step.
func (e *Error) Error() string { return e.Code + ": " + e.Detail + " " + e.Fix }

// Retry reports whether the same request may be answered otherwise later.
func (e *Error) Retry() bool {
	return e.Status >= http.StatusInternalServerError || e.Status == http.StatusTooManyRequests || e.Code == "idempotency_in_progress"
}

// CodeOf returns the code of a problem, empty for every other error.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// into turns an answer of the generated client into its public form: both are the same JSON text.
func into[T any](answer json.Marshaler, err error) (T, error) {
	var t T
	if problem, ok := errors.AsType[*oas.ProblemStatusCode](err); ok {
		var e Error
		text, failed := problem.Response.MarshalJSON()
		if failed == nil {
			failed = json.Unmarshal(text, &e)
		}
		if failed != nil {
			return t, fmt.Errorf("read the problem that the service told: %w", failed)
		}
		return t, &e
	}
	if err != nil {
		return t, fmt.Errorf("ask the service: %w", err)
	}
	text, err := answer.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return t, fmt.Errorf("read the answer of the service: %w", err)
	}
	return t, nil
}

// Ask changes how a request for calls is sent.
type Ask func(*asking)

type asking struct {
	wait time.Duration
	key  string
}

// Wait lets the service dial before it answers, for so long at most; it is cut to whole seconds. A batch never waits.
func Wait(d time.Duration) Ask { return func(a *asking) { a.wait = d } }

// Key is the Idempotency-Key of the delivery: the same key with the same request gets the same answer for 24 hours.
func Key(key string) Ask { return func(a *asking) { a.key = key } }

func askingOf(how []Ask) (a asking) {
	for _, f := range how {
		f(&a)
	}
	return a
}

// Place asks for one call.
func (c *Client) Place(ctx context.Context, r Request, how ...Ask) (Placed, error) {
	text, err := r.text()
	if err != nil {
		return Placed{}, err
	}
	a := askingOf(how)
	params := oas.PlaceCallParams{IdempotencyKey: optional(a.key)}
	if seconds := int64(a.wait / time.Second); seconds > 0 {
		params.Prefer = oas.NewOptString("wait=" + strconv.FormatInt(seconds, 10))
	}
	answer, err := c.api.PlaceCall(ctx, oas.CallRequest(text), params)
	switch answer := answer.(type) {
	case *oas.PlaceCallOK:
		p, err := into[Placed](&answer.Response, err)
		p.Replayed = answer.IdempotencyReplayed.Value
		return p, err
	case *oas.PlaceCallAccepted:
		p, err := into[Placed](&answer.Response, err)
		p.Replayed = answer.IdempotencyReplayed.Value
		return p, err
	}
	return into[Placed](nil, err)
}

// Batch asks for up to 500 calls. Each is answered for itself, in order.
func (c *Client) Batch(ctx context.Context, requests []Request, how ...Ask) ([]Result, error) {
	var batch oas.BatchRequest
	for _, r := range requests {
		text, err := r.text()
		if err != nil {
			return nil, err
		}
		batch.Calls = append(batch.Calls, oas.CallRequest(text))
	}
	answer, err := c.api.PlaceBatch(ctx, &batch, oas.PlaceBatchParams{IdempotencyKey: optional(askingOf(how).key)})
	if err != nil {
		return into[[]Result](nil, err)
	}
	results, err := into[struct{ Results []Result }](&answer.Response, nil)
	return results.Results, err
}

func optional(s string) oas.OptString {
	if s == "" {
		return oas.OptString{}
	}
	return oas.NewOptString(s)
}

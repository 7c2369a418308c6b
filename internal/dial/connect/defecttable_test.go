package connect

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/smithy-go/middleware"

	"github.com/ringonce/ringonce/internal/call"
)

// defect is a dialer with one thing wrong.
type defect struct {
	name  string
	plant func(testing.TB, *Dialer, string) call.Dialer
	fails []string // checks that must fail
	about []string // prefixes of all checks that may fail
}

// misjudge plants a wrong verdict.
func misjudge(wrong func(result, call.Answer) call.Answer) func(testing.TB, *Dialer, string) call.Dialer {
	return func(_ testing.TB, d *Dialer, _ string) call.Dialer {
		d.verdict = func(r result) call.Answer { return wrong(r, classify(r)) }
		return d
	}
}

func misclient(change func(*Dialer, *awsconnect.Options)) func(testing.TB, *Dialer, string) call.Dialer {
	return func(tb testing.TB, d *Dialer, region string) call.Dialer {
		tb.Helper()
		reclient(tb, d, region, func(o *awsconnect.Options) { change(d, o) })
		return d
	}
}

func byteDefects() []defect {
	return []defect{
		{
			name: "SDK retries are on",
			plant: func(tb testing.TB, d *Dialer, region string) call.Dialer {
				tb.Helper()
				d.http.admit = func(*flight) error { return nil }
				reclient(tb, d, region, func(o *awsconnect.Options) {
					o.Retryer = retry.NewStandard(func(s *retry.StandardOptions) { s.Backoff = noDelay{} })
				})
				return d
			},
			fails: []string{"answer/placed, then 500", "answer/throttled", "loss/connection closed after a call"},
			about: []string{"answer/", "loss/"},
		},
		{
			name: "the SDK fills the token",
			plant: func(tb testing.TB, d *Dialer, region string) call.Dialer {
				tb.Helper()
				d.token = func(call.Send) error { return nil }
				reclient(tb, d, region, func(o *awsconnect.Options) {
					o.APIOptions = []func(*middleware.Stack) error{otherBytes(func(m map[string]any) { m["ClientToken"] = rand.Text() })}
				})
				return d
			},
			fails: []string{"token/empty", "wire/same token twice", "wire/stored bytes"},
			about: []string{"token/", "wire/", "read/"},
		},
		{
			name: "bodies are serialized again",
			plant: misclient(func(_ *Dialer, o *awsconnect.Options) {
				o.APIOptions = []func(*middleware.Stack) error{otherBytes(func(map[string]any) {})}
			}),
			fails: []string{"wire/stored bytes", "wire/bytes of another serializer"},
			about: []string{"wire/"},
		},
	}
}

func dateDefects() []defect {
	return []defect{
		{
			name: "no guard",
			plant: misclient(func(d *Dialer, o *awsconnect.Options) {
				o.HTTPSignerV4 = plainSigner{inner: v4.NewSigner(), clock: d.options.Clock}
			}),
			fails: []string{"guard/one second early", "guard/one second late", "guard/no upper bound", "guard/clock stepped back after the intent"},
			about: []string{"guard/"},
		},
		{
			name: "a guard to the second",
			plant: misclient(func(d *Dialer, o *awsconnect.Options) {
				o.HTTPSignerV4 = plainSigner{inner: v4.NewSigner(), clock: d.options.Clock, round: true}
			}),
			fails: []string{"guard/one nanosecond early", "guard/one nanosecond late"},
			about: []string{"guard/"},
		},
		{
			name: "the SDK dates signatures",
			plant: misclient(func(_ *Dialer, o *awsconnect.Options) {
				o.HTTPSignerV4 = plainSigner{inner: v4.NewSigner()}
			}),
			fails: []string{"wire/date of the injected clock", "wire/date against a wrong server clock", "read/date of the injected clock"},
			about: []string{"answer/", "guard/", "wire/", "read/", "loss/"},
		},
	}
}

func httpDefects() []defect {
	return []defect{
		{
			name: "redirects are followed",
			plant: func(_ testing.TB, d *Dialer, _ string) call.Dialer {
				d.http.dial = &http.Client{Transport: newTransport(true)}
				return d
			},
			fails: []string{"answer/redirect to a read"},
			about: []string{"answer/redirect"},
		},
		{
			name: "net/http replays on kept connections",
			plant: func(tb testing.TB, d *Dialer, _ string) call.Dialer {
				tb.Helper()
				transport := newTransport(false)
				tb.Cleanup(transport.CloseIdleConnections)
				client := replaying{stayHere(&http.Client{Transport: transport})}
				d.http.dial, d.http.read = client, client
				return d
			},
			fails: []string{"loss/connection closed on a request", "loss/connection closed after a call"},
			about: []string{"loss/connection closed"},
		},
	}
}

func rashVerdicts() []defect {
	return []defect{
		{
			name: "4xx without a name is called refused",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.status/100 == 4 && r.name == "" {
					a.Class = call.ClassRefusedRequest
				}
				return a
			}),
			fails: []string{"answer/408 of a proxy", "answer/429 without a name", "answer/413 without a name after a call"},
			about: []string{"answer/"},
		},
		{
			name: "names nobody knows are called refused",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.status/100 == 4 && r.name != "" && a.Class == call.ClassAmbiguous {
					a.Class = call.ClassRefusedRequest
				}
				return a
			}),
			fails: []string{"answer/unknown name with 400", "answer/conflict with 409"},
			about: []string{"answer/"},
		},
		{
			name: "timeouts are called not sent",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.reason == CodeTimeout || r.reason == CodeContextEnded {
					a.Class = call.ClassNotSent
				}
				return a
			}),
			fails: []string{"answer/placed, answer later than the time limit", "loss/context ended while waiting after a call"},
			about: []string{"answer/", "loss/context ended while"},
		},
		{
			name: "lost connections are called not sent",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.reason == CodeConnectionLost {
					a.Class = call.ClassNotSent
				}
				return a
			}),
			fails: []string{"answer/placed, then reset", "loss/connection closed after a call"},
			about: []string{"answer/", "loss/connection closed"},
		},
	}
}

func looseVerdicts() []defect {
	return []defect{
		{
			name: "a missing connection is called ambiguous",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.outcome == outcomeUnsent && r.reason != CodeSendGuard && r.reason != call.CodeTokenInvalid {
					a.Class = call.ClassAmbiguous
				}
				return a
			}),
			fails: []string{"loss/nobody listens", "loss/certificate of a stranger", "loss/context ended before"},
			about: []string{"loss/"},
		},
		{
			name: "a success without a contact is called ok",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.status == http.StatusOK {
					a.Class = call.ClassOK
				}
				return a
			}),
			fails: []string{"answer/placed, answer {}", "answer/placed, answer cut off", "answer/200 of a proxy"},
			about: []string{"answer/"},
		},
		{
			name: "5xx is called by its name",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				if r.status >= 500 && r.name != "" {
					a.Class = classOf(r)
				}
				return a
			}),
			fails: []string{"answer/refusal with 500", "answer/throttle with 503"},
			about: []string{"answer/"},
		},
		{
			name:  "messages are passed on as they are",
			plant: misjudge(func(r result, a call.Answer) call.Answer { a.Message = r.text; return a }),
			fails: []string{"answer/numbers are masked"},
			about: []string{"answer/"},
		},
		{
			name:  "concurrency is taken for rate",
			plant: misjudge(func(_ result, a call.Answer) call.Answer { a.Capacity = false; return a }),
			fails: []string{"answer/concurrency of the instance", "answer/limit exceeded"},
			about: []string{"answer/"},
		},
	}
}

// oneKind dials everything as calls.
type oneKind struct{ *Dialer }

func (d oneKind) Dial(ctx context.Context, s call.Send) call.Answer {
	s.Kind = call.KindVoice
	return d.Dialer.Dial(ctx, s)
}

// escaping writes what people read as it writes attributes, and takes a missing attribute for an empty one.
type escaping struct{ *Dialer }

func (d escaping) Prepare(o call.Order) ([]byte, error) {
	attributes := map[string]string{}
	for name, value := range o.Attributes {
		attributes[name] = escapeMarkup(value)
	}
	attributes["other"] = "-"
	o.Attributes = attributes
	return d.Dialer.Prepare(o)
}

func kindDefects() []defect {
	return []defect{
		{
			name:  "every kind is dialed as a call",
			plant: func(_ testing.TB, d *Dialer, _ string) call.Dialer { return oneKind{d} },
			fails: []string{"answer/placed (chat)", "answer/placed (task)", "wire/stored bytes (chat)", "wire/stored bytes (task)"},
			about: []string{"answer/", "wire/", "guard/", "loss/", "read/"},
		},
		{
			name: "every kind has the error table of calls",
			plant: misjudge(func(r result, a call.Answer) call.Answer {
				r.kind = call.KindVoice
				return classify(r)
			}),
			fails: []string{
				"answer/limit exceeded (task)", "answer/service quota exceeded (task)", "answer/destination not allowed (chat)",
				"answer/contact not permitted (task)", "answer/concurrency of the instance (task)",
			},
			about: []string{"answer/"},
		},
		{
			name:  "what people read is escaped, and a missing attribute is nothing",
			plant: func(_ testing.TB, d *Dialer, _ string) call.Dialer { return escaping{d} },
			fails: []string{"prepare/members (chat)", "prepare/members (task)", "prepare/refuses display_name with an attribute that is missing (chat)"},
			about: []string{"prepare/"},
		},
	}
}

// unmarked prepares bodies without marks, and reads contacts without their call.
type unmarked struct{ *Dialer }

func (d unmarked) Prepare(o call.Order) ([]byte, error) {
	o.Profile.Unmarked, o.Profile.RawMarkup = o.Profile.Kind.NeedsNumber(), true
	body, err := d.Dialer.Prepare(o)
	return bytes.ReplaceAll(body, []byte(`"ringonceCallId"`), []byte(`"callId"`)), err
}

func (d unmarked) Describe(ctx context.Context, t call.Target, id string) (call.Contact, error) {
	c, err := d.Dialer.Describe(ctx, t, id)
	if err != nil {
		return call.Contact{}, io.EOF
	}
	return c, nil
}

func bodyDefects() []defect {
	return []defect{{
		name:  "bodies carry no marks, and a missing contact is any error",
		plant: func(_ testing.TB, d *Dialer, _ string) call.Dialer { return unmarked{d} },
		fails: []string{"prepare/members", "prepare/markup", "read/describe", "read/describe nothing", "read/search", "prepare/refuses no call id", "prepare/members (chat)", "read/describe (task)"},
		about: []string{"prepare/", "read/"},
	}, {
		name:  "a description tells the end and not what became of the contact",
		plant: func(_ testing.TB, d *Dialer, _ string) call.Dialer { return lifeless{d} },
		fails: []string{"read/what became of a contact"},
		about: []string{"read/"},
	}}
}

// lifeless reads contacts without the connection and the reason of their end.
type lifeless struct{ *Dialer }

func (d lifeless) Describe(ctx context.Context, t call.Target, id string) (call.Contact, error) {
	c, err := d.Dialer.Describe(ctx, t, id)
	c.Sight = call.Sight{Initiated: c.Initiated, Disconnected: c.Disconnected}
	return c, err
}

package connect

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// Dialer is the [call.Dialer] of Amazon Connect. It is safe for concurrent use; make one with [New].
type Dialer struct {
	options Options
	http    oneShot

	mu      sync.Mutex
	clients map[string]*awsconnect.Client // by Region

	// Tests plant a defect here to see the exam catch it; New sets the only right ones.
	token   func(call.Send) error
	verdict func(result) call.Answer
}

var _ call.Dialer = (*Dialer)(nil)

// New returns a dialer, or an *[call.Error] that names the setting at fault. It opens no connection and reads no file: clients
// are made when their Region is first used.
func New(o Options) (*Dialer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	o.Credentials = aws.NewCredentialsCache(credentials{o.Credentials})
	return &Dialer{
		options: o,
		http:    newOneShot(o.HTTPClient),
		clients: make(map[string]*awsconnect.Client, 1),
		token:   checkSendToken,
		verdict: classify,
	}, nil
}

// Dial sends the stored bytes in at most one wire request and classifies what came of it. Messages hold no phone number.
func (d *Dialer) Dial(ctx context.Context, s call.Send) call.Answer {
	start := d.options.Clock.Now()
	answer := d.verdict(d.dial(ctx, s))
	answer.Took = d.options.Clock.Now().Sub(start)
	return answer
}

func (d *Dialer) dial(ctx context.Context, s call.Send) result {
	if err := d.token(s); err != nil {
		return unsent(call.CodeTokenInvalid, err.Error())
	}
	client, err := d.client(s.Target.Region)
	if err != nil {
		return unsent(call.CodeConfiguration, err.Error())
	}
	ctx, end := d.bound(ctx)
	defer end()
	f := &flight{send: s, clock: d.options.Clock}
	contactID, err := startContact(withFlight(ctx, f), client, s)
	return f.observe(ctx, contactID, err)
}

package demo

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/internal/call"
)

// Break takes one part of the protocol out.
type Break string

// The breaks. Each must make the demo see a second ring or a lost request.
const (
	BreakNone        Break = ""
	BreakNoIntent    Break = "no-intent"    // call, then record: the intent is not durable before the dial
	BreakRandomToken Break = "random-token" // each attempt invents its token
	BreakSDKToken    Break = "sdk-token"    // the application leaves ClientToken to the SDK
	BreakAckEarly    Break = "ack-early"    // the message is deleted before the row is durable
)

// volatileLedger answers the writes that must precede a dial without making them: it keeps them in memory until the answer of the
// dial is written, as a program does that records after it has called.
type volatileLedger struct {
	call.Ledger
	mu   sync.Mutex
	held map[string][]call.Write
}

func (l *volatileLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State != call.Dialing {
		return l.Ledger.Create(ctx, w)
	}
	if row, err := l.Ledger.Get(ctx, w.Row.ID); err == nil {
		return call.Written{Row: row}, nil
	}
	return l.hold(w), nil
}

func (l *volatileLedger) hold(w call.Write) call.Written {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[w.Row.ID] = append(l.held[w.Row.ID], w)
	return call.Written{Applied: true, Row: w.Row}
}

func (l *volatileLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == call.EventIntent {
		return l.hold(w), nil
	}
	l.mu.Lock()
	held := l.held[w.Row.ID]
	delete(l.held, w.Row.ID)
	l.mu.Unlock()
	for _, earlier := range held {
		write := l.Ledger.Update
		if earlier.Entry.Seq == 1 {
			write = l.Ledger.Create
		}
		if _, err := write(ctx, earlier); err != nil {
			return call.Written{}, err
		}
	}
	return l.Ledger.Update(ctx, w)
}

// inventedToken replaces the stored token by a new one at each attempt.
type inventedToken struct {
	call.Dialer
	random io.Reader
}

func (d inventedToken) Dial(ctx context.Context, s call.Send) call.Answer {
	var b [16]byte
	if _, err := io.ReadFull(d.random, b[:]); err != nil {
		return call.Answer{Class: call.ClassNotSent, Message: err.Error()}
	}
	token := hex.EncodeToString(b[:])
	s.Body = bytes.Replace(s.Body, []byte(s.Token), []byte(token), 1)
	s.Token = token
	return d.Dialer.Dial(ctx, s)
}

// sdkToken calls Amazon Connect as the SDK's examples do: no ClientToken, so that the SDK invents one for each call.
type sdkToken struct {
	call.Dialer
	client *awsconnect.Client
}

func newSDKToken(inner call.Dialer, endpoint string, clock call.Clock) call.Dialer {
	client := awsconnect.New(awsconnect.Options{
		Region: region, BaseEndpoint: aws.String(endpoint), Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		HTTPSignerV4: clockSigner{clock: clock, inner: newSigner()},
	})
	return sdkToken{Dialer: inner, client: client}
}

func (d sdkToken) Dial(ctx context.Context, s call.Send) call.Answer {
	var body struct {
		DestinationPhoneNumber string
		ContactFlowID          string `json:"ContactFlowId"`
		InstanceID             string `json:"InstanceId"`
		QueueID                string `json:"QueueId"`
		SourcePhoneNumber      string
		Name                   string
		Attributes             map[string]string
	}
	if err := json.Unmarshal(s.Body, &body); err != nil {
		return call.Answer{Class: call.ClassNotSent, Message: "the stored bytes cannot be read"}
	}
	out, err := d.client.StartOutboundVoiceContact(ctx, &awsconnect.StartOutboundVoiceContactInput{
		DestinationPhoneNumber: &body.DestinationPhoneNumber, ContactFlowId: &body.ContactFlowID, InstanceId: &body.InstanceID,
		QueueId: optional(body.QueueID), SourcePhoneNumber: optional(body.SourcePhoneNumber), Name: &body.Name, Attributes: body.Attributes,
	})
	if err != nil || out.ContactId == nil {
		return call.Answer{Class: call.ClassAmbiguous, Code: "answer_lost", Message: fmt.Sprintf("The answer was lost (%T).", err)}
	}
	return call.Answer{Class: call.ClassOK, ContactID: *out.ContactId}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

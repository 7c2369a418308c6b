package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconnect "github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

var testStart = time.Date(2031, time.March, 3, 9, 30, 0, 0, time.UTC)

// roundTrip is a transport without connections, and so without hooks.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answerWith(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}
}

// testDialer returns a dialer on a transport, with a clock that stands at testStart.
func testDialer(tb testing.TB, transport http.RoundTripper, tune func(*Options)) *Dialer {
	tb.Helper()
	o := Options{
		Credentials: keys("test", "test"), Clock: connectemu.NewManualClock(testStart), Endpoint: "http://connect.invalid", NonProduction: true,
		HTTPClient: &http.Client{Transport: transport},
	}
	if tune != nil {
		tune(&o)
	}
	d, err := New(o)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return d
}

func testSend(tb testing.TB, d *Dialer) call.Send {
	tb.Helper()
	o := testOrder(tb)
	body, err := d.Prepare(o)
	if err != nil {
		tb.Fatalf("Prepare: %v", err)
	}
	return call.Send{
		CallID: o.CallID, AttemptID: "1", Target: call.Target{Region: testRegion, InstanceID: testInstance}, Token: o.Token, Body: body,
		NotBefore: testStart.Add(-time.Hour), NotAfter: testStart.Add(time.Hour),
	}
}

func expectAnswer(t *testing.T, got call.Answer, class call.Class, code call.Code) {
	t.Helper()
	if got.Class != class || got.Code != code {
		t.Errorf("got %+v, want %s %s", got, class, code)
	}
}

func TestTheRequestIsTheOneTheSDKWouldSend(t *testing.T) {
	t.Parallel()
	var seen []*http.Request
	record := roundTrip(func(r *http.Request) (*http.Response, error) {
		seen = append(seen, r)
		return answerWith(http.StatusOK, `{"ContactId":"c"}`), nil
	})
	d := testDialer(t, record, func(o *Options) { o.Endpoint = "" })
	expectAnswer(t, d.Dial(t.Context(), testSend(t, d)), call.ClassOK, "")
	bare := awsconnect.New(awsconnect.Options{Region: testRegion, Credentials: keys("test", "test"), HTTPClient: &http.Client{Transport: record}})
	if _, err := bare.StartOutboundVoiceContact(t.Context(), &awsconnect.StartOutboundVoiceContactInput{
		InstanceId: aws.String(testInstance), ContactFlowId: aws.String(testFlow), DestinationPhoneNumber: aws.String("+12025550101"),
	}); err != nil {
		t.Fatalf("the bare SDK: %v", err)
	}
	ours, theirs := seen[0], seen[1]
	if ours.Method != theirs.Method || ours.URL.String() != theirs.URL.String() || ours.URL.Host != "connect.us-east-1.amazonaws.com" {
		t.Errorf("%s %s, the bare SDK sends %s %s", ours.Method, ours.URL, theirs.Method, theirs.URL)
	}
	names := func(r *http.Request) []string {
		var all []string
		for name := range r.Header {
			all = append(all, name)
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(names(ours), names(theirs)) {
		t.Errorf("headers %v, the bare SDK sends %v", names(ours), names(theirs))
	}
}

func TestNothingIsSentUnsigned(t *testing.T) {
	t.Parallel()
	sent := false
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) {
		sent = true
		return answerWith(http.StatusOK, `{"ContactId":"c"}`), nil
	}), nil)
	s := testSend(t, d)
	reclient(t, d, testRegion, func(o *awsconnect.Options) { o.Credentials = aws.AnonymousCredentials{} })
	if got := d.Dial(t.Context(), s); got.Class != call.ClassNotSent || sent {
		t.Errorf("without credentials: %+v, sent %v, want nothing sent", got, sent)
	}
}

func TestLostCredentialsSendNothing(t *testing.T) {
	t.Parallel()
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") }), func(o *Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("no role") })
	})
	expectAnswer(t, d.Dial(t.Context(), testSend(t, d)), call.ClassNotSent, CodeCredentials)
}

func TestARegionThatIsNoneSendsNothing(t *testing.T) {
	t.Parallel()
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") }), nil)
	for _, region := range []string{"", "us-east-1.evil.example/", "US", "a@b"} {
		s := testSend(t, d)
		s.Target.Region = region
		expectAnswer(t, d.Dial(t.Context(), s), call.ClassNotSent, call.CodeConfiguration)
	}
}

func TestASecondWireRequestIsStopped(t *testing.T) {
	t.Parallel()
	requests := 0
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) {
		requests++
		return answerWith(http.StatusInternalServerError, "{}"), nil
	}), nil)
	reclient(t, d, testRegion, func(o *awsconnect.Options) { o.Retryer = nil; o.RetryMaxAttempts = 3 })
	got := d.Dial(t.Context(), testSend(t, d))
	if got.Class != call.ClassAmbiguous || requests != 1 {
		t.Errorf("with retries on: %+v after %d requests, want ambiguous after 1", got, requests)
	}
}

func TestErrorsOfTransportsWithoutHooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		class call.Class
		code  call.Code
	}{
		"refused":    {&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}, call.ClassNotSent, CodeConnectFailed},
		"no host":    {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "connect.invalid"}}, call.ClassNotSent, CodeDNSFailed},
		"reset":      {&net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, call.ClassAmbiguous, CodeConnectionLost},
		"write":      {&net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}, call.ClassAmbiguous, CodeConnectionLost},
		"unknown":    {errors.New("something"), call.ClassAmbiguous, CodeConnectionLost},
		"looks like": {errors.New("stream error: stream ID x; REFUSED_STREAM"), call.ClassAmbiguous, CodeConnectionLost},
	} {
		d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) { return nil, c.err }), nil)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectAnswer(t, d.Dial(t.Context(), testSend(t, d)), c.class, c.code)
		})
	}
}

func TestAContextThatEndsWhileConnectingSendsNothing(t *testing.T) {
	t.Parallel()
	dialing := make(chan struct{})
	d := testDialer(t, &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		close(dialing)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-dialing; cancel() }()
	expectAnswer(t, d.Dial(ctx, testSend(t, d)), call.ClassNotSent, CodeContextEnded)
}

func TestAHostThatCannotBeResolvedIsNotSent(t *testing.T) {
	t.Parallel()
	d := testDialer(t, &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "connect.invalid", IsNotFound: true}}
	}}, nil)
	expectAnswer(t, d.Dial(t.Context(), testSend(t, d)), call.ClassNotSent, CodeDNSFailed)
}

// refusingStreams speaks just enough HTTP/2 to reset every stream with the code, and counts the header frames it saw.
func refusingStreams(t *testing.T, code byte, frames *atomic.Int32) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12}
	server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": func(_ *http.Server, c *tls.Conn, _ http.Handler) {
		preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
		if _, err := io.ReadFull(c, preface); err != nil {
			return
		}
		_, _ = c.Write([]byte{0, 0, 0, 4, 0, 0, 0, 0, 0}) // SETTINGS
		for {
			head := make([]byte, 9)
			if _, err := io.ReadFull(c, head); err != nil {
				return
			}
			if _, err := io.CopyN(io.Discard, c, int64(head[0])<<16|int64(head[1])<<8|int64(head[2])); err != nil {
				return
			}
			if head[3] == 1 { // HEADERS
				frames.Add(1)
				_, _ = c.Write(slices.Concat([]byte{0, 0, 4, 3, 0}, head[5:9], []byte{0, 0, 0, code})) // RST_STREAM
			}
		}
	}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func TestARefusedStreamIsNotSentAndNotRetried(t *testing.T) {
	t.Parallel()
	for code, want := range map[byte]struct {
		class call.Class
		code  call.Code
	}{
		7: {call.ClassNotSent, CodeRefusedStream},    // REFUSED_STREAM
		2: {call.ClassAmbiguous, CodeConnectionLost}, // INTERNAL_ERROR
	} {
		var frames atomic.Int32
		server := refusingStreams(t, code, &frames)
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
		d := testDialer(t, transport, func(o *Options) { o.Endpoint = server.URL })
		expectAnswer(t, d.Dial(t.Context(), testSend(t, d)), want.class, want.code)
		transport.CloseIdleConnections()
		if n := frames.Load(); n != 1 {
			t.Errorf("%d requests were written for one dial", n)
		}
	}
}

// bubbleClock is the virtual clock of a synctest bubble.
type bubbleClock struct{ connectemu.WallClock }

func TestTheTimeLimitRunsOnTheInjectedClockAndLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		emulator, err := connectemu.New(connectemu.Config{Clock: bubbleClock{}})
		if err != nil {
			t.Fatalf("connectemu.New: %v", err)
		}
		plan, err := connectemu.ParsePlan("place-then-delay(1h)")
		if err == nil {
			err = emulator.SetPlan(plan)
		}
		if err != nil {
			t.Fatalf("plan: %v", err)
		}
		d := testDialer(t, emulator.RoundTripper(), func(o *Options) { o.Clock = bubbleClock{} })
		s := testSend(t, d)
		s.NotBefore, s.NotAfter = time.Now(), time.Now().Add(time.Minute)
		got := d.Dial(t.Context(), s)
		expectAnswer(t, got, call.ClassAmbiguous, CodeTimeout)
		if got.Took != DefaultTimeout || emulator.RingCount() != 1 {
			t.Errorf("took %v with %d rings, want %v and 1", got.Took, emulator.RingCount(), DefaultTimeout)
		}
		emulator.Close()
		synctest.Wait() // the bubble fails if anything of the dial is still running
	})
}

func TestReadsFailWithAMaskedErrorOrTheContexts(t *testing.T) {
	t.Parallel()
	said := fmt.Sprintf(`{"message":%q}`, "number +12025550101")
	d := testDialer(t, roundTrip(func(*http.Request) (*http.Response, error) {
		r := answerWith(http.StatusBadRequest, said)
		r.Header.Set("X-Amzn-ErrorType", "InvalidParameterException")
		return r, nil
	}), nil)
	target := call.Target{Region: testRegion, InstanceID: testInstance}
	_, err := d.Describe(t.Context(), target, "c")
	if call.CodeOf(err) != "invalid_parameter" || strings.Contains(err.Error(), "12025550101") {
		t.Errorf("Describe: code %q, masked %v", call.CodeOf(err), !strings.Contains(err.Error(), "12025550101"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Search(ctx, target, "row", testStart, testStart); !errors.Is(err, context.Canceled) {
		t.Errorf("Search with an ended context: %v", err)
	}
	if err := d.Stop(t.Context(), target, ""); call.CodeOf(err) != call.CodeFieldValue {
		t.Errorf("Stop without an id: %v", err)
	}
}

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/otlp"
	"github.com/ringonce/ringonce/internal/otlp/otlptest"
)

const (
	callersTrace = "5759e988bd862e3fe1be46a994272793"
	callersSpan  = "53995c3f42cd8ad8"
)

// toldWhileRunning is what a service prints, also while it runs.
type toldWhileRunning struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *toldWhileRunning) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *toldWhileRunning) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// add appends to the configuration of the desk.
func (d *desk) add(text string) {
	d.t.Helper()
	before, err := os.ReadFile(d.config)
	if err != nil {
		d.t.Fatal(err)
	}
	d.write("ringonce.yaml", string(before)+text)
}

// served is a service that runs within this process on the ledger of a desk.
type served struct {
	t    *testing.T
	url  string
	out  *toldWhileRunning
	stop func()
}

func (d *desk) serve() *served {
	d.t.Helper()
	s := &served{t: d.t, out: &toldWhileRunning{}}
	ctx, cancel := context.WithCancel(d.t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- Process{
			Args: []string{"--config", d.config, "serve", "--listen", "127.0.0.1:0"}, Stdout: s.out, Stderr: s.out, Clock: d.clock, Random: rand.Reader,
			Stores: stores.All(), LookupEnv: app.LookupNothing,
		}.Run(ctx)
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if code := <-ended; code != ExitOK {
			d.t.Errorf("the service ended with %d\n%s", code, s.out)
		}
	})
	d.t.Cleanup(s.stop)
	address := regexp.MustCompile(`(?m)^\s+api\s+(https?://\S+)$`)
	for end := time.Now().Add(20 * time.Second); s.url == ""; time.Sleep(10 * time.Millisecond) {
		if at := address.FindStringSubmatch(s.out.String()); at != nil {
			s.url = at[1]
		} else if time.Now().After(end) {
			d.t.Fatalf("it does not serve: %s", s.out)
		}
	}
	return s
}

// place asks for a call.
func (s *served) place(n int, headers ...string) (status int, body string) {
	s.t.Helper()
	text := fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"secret-recipient","destinationPhoneNumber":%q,"requestedAt":%q,"attributes":{"greeting":"secret-greeting"}}`,
		n, "+"+strconv.Itoa(819000000000+n), time.Now().UTC().Format(time.RFC3339Nano))
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/v1/calls?", strings.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

func below(parent otlptest.Span) func(otlptest.Span) bool {
	return func(s otlptest.Span) bool { return s.Trace == parent.Trace && s.Parent == parent.ID }
}

// numbers are the full numbers and texts of the requests of these tests, in any spelling.
var personal = regexp.MustCompile(`8190000000\d\d|secret-recipient|secret-greeting|n-\d`)

func TestATraceGoesThroughTheServiceAndALaterDialIsLinkedToItsRequest(t *testing.T) {
	t.Parallel()
	d, collector := newDesk(t, ""), otlptest.New(t)
	d.add(fmt.Sprintf("serve: {traces: {endpoint: %q}}\nsweep: {every: 30s}\n", collector.URL))
	s := d.serve()
	if status, body := s.place(1, "Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01", "Prefer", "wait=10"); status != http.StatusOK || !strings.Contains(body, `"placed"`) {
		t.Fatalf("%d: %s", status, body)
	}
	request := collector.Find(t, "POST /v1/calls", nil)
	if request.Trace != callersTrace || request.Parent != callersSpan || request.Kind != "SPAN_KIND_SERVER" || !strings.Contains(request.Attrs["http.response.status_code"], "200") {
		t.Errorf("%+v", request)
	}
	accept := collector.Find(t, "accept", below(request))
	collector.Find(t, "ledger create", below(accept))
	dial := collector.Find(t, "dial", below(request)) // somebody waited for it
	if dial.Attrs["ringonce.class"] != "ok" || dial.Kind != "SPAN_KIND_CLIENT" || dial.Attrs["ringonce.call"] == "" || dial.Attrs["ringonce.call"] != accept.Attrs["ringonce.call"] || len(dial.Links) != 0 {
		t.Errorf("%+v", dial)
	}
	if status, body := s.place(2); status != http.StatusAccepted {
		t.Fatalf("%d: %s", status, body)
	}
	isRoot := func(s otlptest.Span) bool { return s.Parent == "" && s.Trace != callersTrace }
	own := collector.Find(t, "POST /v1/calls", isRoot)
	accept = collector.Find(t, "accept", below(own))
	collector.Find(t, "dial", func(s otlptest.Span) bool {
		return len(s.Links) == 1 && s.Links[0] == own.Trace+"/"+accept.ID && s.Trace != own.Trace && s.Attrs["ringonce.call"] == accept.Attrs["ringonce.call"]
	})
	collector.Find(t, "ledger due", func(s otlptest.Span) bool { return s.Parent != "" })
	collector.Find(t, "sweep", isRoot)
	if _, shown := d.run(ExitOK, "calls", "list"); shown != "" {
		t.Log(shown)
	}
	s.stop()
	if found := personal.FindString(collector.Raw()); found != "" {
		t.Errorf("a span holds %q", found)
	}
	if d.telephone.RingCount() != 2 || !personal.MatchString("+819000000001") {
		t.Errorf("%d rings", d.telephone.RingCount())
	}
	if !strings.Contains(s.out.String(), callersTrace) {
		t.Errorf("the log does not tell of the trace: %s", s.out)
	}
}

func TestARequestIsAnsweredWhileTheCollectorHangsOrIsAway(t *testing.T) {
	t.Parallel()
	for _, away := range []bool{false, true} {
		d, collector := newDesk(t, ""), otlptest.New(t)
		collector.Hang()
		if away {
			collector.Release()
			collector.Close()
		}
		d.add(fmt.Sprintf("serve: {traces: {endpoint: %q}}\n", collector.URL))
		s := d.serve()
		for n := 1; n <= 4; n++ {
			if status, body := s.place(n, "Prefer", "wait=10"); status != http.StatusOK {
				t.Fatalf("%d: %s", status, body)
			}
		}
		collector.Release()
		s.stop()
		if n := d.telephone.RingCount(); n != 4 {
			t.Errorf("away %t: %d rings", away, n)
		}
	}
}

// What a queue brings is traced below its producer, and what a sweep dials is linked to what was accepted.
func TestAMessageOfAQueueIsTracedBelowItsProducerAndTheSweepLinksToIt(t *testing.T) {
	t.Parallel()
	d, collector := newDesk(t, ""), otlptest.New(t)
	tracer, err := otlp.Open(t.Context(), otlp.Options{Endpoint: collector.URL + "/v1/traces", Sample: 1, Clock: d.clock})
	if err != nil {
		t.Fatal(err)
	}
	e := d.environment(d.clock)
	c, err := e.config()
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.openWith(t.Context(), c, opening{service: true, spans: tracer})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if _, err := a.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.faults("throttle times=1")
	body := fmt.Sprintf(`{"notificationId":"n-1","recipientId":"secret-recipient","destinationPhoneNumber":"+819000000001","requestedAt":%q}`, d.clock.Now().UTC().Format(time.RFC3339Nano))
	document := fmt.Sprintf(`{"Records":[{"messageId":"059f36b4-87a3-44ab-83d2-661975830a7d","receiptHandle":"x","body":%q,"attributes":{"ApproximateReceiveCount":"1","SentTimestamp":"%d"},
		"messageAttributes":{"traceparent":{"stringValue":"00-%s-%s-01","stringListValues":[],"binaryListValues":[],"dataType":"String"}},
		"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:123456789012:calls","awsRegion":"us-east-1"}]}`, body, d.clock.Now().UnixMilli(), callersTrace, callersSpan)
	if acknowledged, _ := a.Take(t.Context(), []byte(document)); !acknowledged {
		t.Fatal("the message was not acknowledged")
	}
	d.clock.advance(time.Hour)
	if _, err := a.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	tracer.Close(t.Context())
	message := collector.Find(t, app.SpanMessage, nil)
	if message.Trace != callersTrace || message.Parent != callersSpan || message.Kind != "SPAN_KIND_CONSUMER" {
		t.Errorf("%+v", message)
	}
	accept := collector.Find(t, app.SpanAccept, below(message))
	throttled := collector.Find(t, app.SpanDial, below(accept))
	if throttled.Failure != "throttled" {
		t.Errorf("%+v", throttled)
	}
	linked := collector.Find(t, app.SpanDial, func(s otlptest.Span) bool { return len(s.Links) == 1 && s.Links[0] == callersTrace+"/"+accept.ID })
	collector.Find(t, app.SpanSweep, func(s otlptest.Span) bool { return s.ID == linked.Parent })
	if found := personal.FindString(collector.Raw()); found != "" || d.telephone.RingCount() != 1 {
		t.Errorf("a span holds %q; %d rings", found, d.telephone.RingCount())
	}
}

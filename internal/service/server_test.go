package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/service"
)

// clock is the machine's.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lines is a log that tests read.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newServer(t *testing.T, change func(*service.Options)) (*service.Server, *service.Metrics, *lines) {
	t.Helper()
	log := &lines{}
	o := service.Options{Clock: clock{}, Log: slog.New(slog.NewTextHandler(log, nil)), Metrics: service.NewMetrics("v1")}
	if change != nil {
		change(&o)
	}
	s, err := service.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s, o.Metrics, log
}

func ask(s *service.Server, method, url string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(method, url, http.NoBody))
	return w
}

func metrics(s *service.Server) string { return ask(s, http.MethodGet, "/metrics").Body.String() }

func says(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in:\n%s", w, text)
		}
	}
}

func TestARequestIsLoggedAndCountedByItsRouteAndNothingOfItsPathOrQueryIsKept(t *testing.T) {
	t.Parallel()
	s, _, log := newServer(t, func(o *service.Options) {
		o.Routes = []string{"GET /v1/calls/{id}", "/v1/calls/{id}/cancel"}
		o.API = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	})
	ask(s, http.MethodGet, "/v1/calls/secretid?recipient=%2B819000000001")
	ask(s, http.MethodPost, "/v1/calls/secretid/cancel")
	ask(s, "BREW", "/somewhere/819000000001")
	text := metrics(s)
	says(t, text,
		`ringonce_http_requests_total{method="GET",route="/v1/calls/{id}",status="418"} 1`,
		`ringonce_http_requests_total{method="POST",route="/v1/calls/{id}/cancel",status="418"} 1`,
		`ringonce_http_requests_total{method="other",route="other",status="418"} 1`)
	says(t, log.String(), "route=/v1/calls/{id}", "status=418", "took=")
	for _, secret := range []string{"secretid", "819000000001", "recipient"} {
		if strings.Contains(text+log.String(), secret) {
			t.Errorf("%q was kept: %s", secret, log.String())
		}
	}
}

func TestMoreRequestsThanTheLimitAreToldAtOnceToComeAgain(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s, _, _ := newServer(t, func(o *service.Options) {
		o.Limits.Concurrent = 2
		o.API = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun <- struct{}{}; <-release })
	})
	var two sync.WaitGroup
	for range 2 {
		two.Go(func() { ask(s, http.MethodPost, "/v1/calls") })
		<-begun
	}
	w := ask(s, http.MethodPost, "/v1/calls") // which would hang if it waited for a slot
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"code":"overloaded"`) {
		t.Errorf("%d, %v: %s", w.Code, w.Header(), w.Body)
	}
	says(t, metrics(s), "ringonce_http_overload_rejected_total 1", "ringonce_http_requests_in_flight 2")
	if ready := ask(s, http.MethodGet, "/readyz"); ready.Code != http.StatusOK {
		t.Errorf("an overloaded process is not ready: %s", ready.Body)
	}
	close(release)
	two.Wait()
	go func() { <-begun }()
	if w := ask(s, http.MethodPost, "/v1/calls"); w.Code != http.StatusOK {
		t.Errorf("after the load: %d", w.Code)
	}
}

func TestReadinessNamesTheCheckThatFails(t *testing.T) {
	t.Parallel()
	var broken error
	s, _, log := newServer(t, func(o *service.Options) {
		o.Checks = []service.Check{
			{Name: "ledger", Look: func(context.Context) error { return broken }},
			{Name: "sweeper", Look: func(context.Context) error { return nil }},
		}
	})
	look := func(code int, want string) {
		t.Helper()
		w := ask(s, http.MethodGet, "/readyz")
		if w.Code != code || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	}
	look(http.StatusOK, `{"ready":true,"checks":[{"name":"draining","ok":true},{"name":"ledger","ok":true},{"name":"sweeper","ok":true}]}`)
	broken = &call.Error{Code: call.CodeLedgerUnavailable, Message: "The disk at a secret path is full."}
	look(http.StatusServiceUnavailable, `{"ready":false,"checks":[{"name":"draining","ok":true},{"name":"ledger","ok":false,"code":"ledger_unavailable"},{"name":"sweeper","ok":true}]}`)
	says(t, log.String(), "check=ledger", "secret path")
	says(t, metrics(s), `ringonce_ready{check="ledger"} 0`, `ringonce_ready{check="sweeper"} 1`)
	broken = nil
	s.Drain()
	look(http.StatusServiceUnavailable, `{"ready":false,"checks":[{"name":"draining","ok":false,"code":"draining"},{"name":"ledger","ok":true},{"name":"sweeper","ok":true}]}`)
	if w := ask(s, http.MethodGet, "/healthz"); w.Code != http.StatusOK {
		t.Errorf("a draining process is not alive: %d", w.Code)
	}
}

func TestManyWhoAskForReadinessAtOnceShareOneLook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		looks, goOn := 0, make(chan struct{})
		s, _, _ := newServer(t, func(o *service.Options) {
			o.Checks = []service.Check{{Name: "ledger", Look: func(context.Context) error {
				looks++
				<-goOn
				return nil
			}}}
		})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if w := ask(s, http.MethodGet, "/readyz"); w.Code != http.StatusOK {
					t.Error(w.Code)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		all.Wait()
		if looks != 1 {
			t.Errorf("%d looks for 50 who asked while one lasted", looks)
		}
	})
}

func TestWhereNobodyIsAskedOnlyProgramsOfThisMachineAreAnswered(t *testing.T) {
	t.Parallel()
	s, _, _ := newServer(t, func(o *service.Options) {
		o.Anonymous = true
		o.API = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	})
	send := func(host string, headers ...string) int {
		r := httptest.NewRequest(http.MethodPost, "/v1/calls", http.NoBody)
		r.Host, r.RemoteAddr = host, "127.0.0.1:50000"
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w.Code
	}
	for _, host := range []string{"127.0.0.1:7464", "localhost:7464", "[::1]:7464", "[::1]", "127.0.0.1"} {
		if code := send(host); code != http.StatusOK {
			t.Errorf("%s: %d", host, code)
		}
	}
	for _, host := range []string{"rebound.example:7464", "10.0.0.1", "127.0.0.1.attacker.example", ""} {
		if code := send(host); code != http.StatusForbidden {
			t.Errorf("%s: %d", host, code)
		}
	}
	if code := send("127.0.0.1:7464", "Origin", "https://attacker.example"); code != http.StatusForbidden {
		t.Errorf("another site: %d", code)
	}
	if code := send("127.0.0.1:7464", "Sec-Fetch-Site", "cross-site"); code != http.StatusForbidden {
		t.Errorf("another site, by its fetch metadata: %d", code)
	}
}

func TestAPanicIsAnsweredWithAProblemAndItsTextStaysUnsaid(t *testing.T) {
	t.Parallel()
	s, _, log := newServer(t, func(o *service.Options) {
		o.API = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("+819000000001") })
	})
	w := ask(s, http.MethodGet, "/v1/calls")
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"code":"internal"`) || strings.Contains(w.Body.String()+log.String(), "819000000001") {
		t.Errorf("%d: %s\n%s", w.Code, w.Body, log)
	}
	says(t, log.String(), "msg=panic", "type=string")
}

func TestABodyBeyondTheLimitIsNotRead(t *testing.T) {
	t.Parallel()
	var failure error
	s, _, _ := newServer(t, func(o *service.Options) {
		o.Limits.Body = 10
		o.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, failure = io.ReadAll(r.Body) })
	})
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/calls", strings.NewReader("more than ten bytes")))
	if _, ok := errors.AsType[*http.MaxBytesError](failure); !ok {
		t.Errorf("%v", failure)
	}
}

func TestAListenerThatOthersReachNeedsTLSAndAuthentication(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"127.0.0.1:7464", "localhost:0", "[::1]:7464", "127.9.9.9:1"} {
		for _, x := range []service.Exposure{{}, {Anonymous: true}, {Rings: true, Anonymous: true}, {Rings: true, Authentication: true}, {Rings: true, TLS: true, Authentication: true}} {
			x.Listen = listen
			if err := service.CheckExposure(x); err != nil {
				t.Errorf("%+v: %v", x, err)
			}
		}
		for _, tls := range []bool{false, true} {
			err := service.CheckExposure(service.Exposure{Listen: listen, Rings: true, TLS: tls})
			if call.CodeOf(err) != call.CodeConfiguration || !strings.Contains(err.Error(), "access.anonymous") {
				t.Errorf("%s: real telephones for whoever is on this machine: %v", listen, err)
			}
		}
	}
	for _, listen := range []string{":7464", "0.0.0.0:7464", "[::]:7464", "10.1.2.3:7464", "service.example:7464"} {
		for _, c := range []struct{ tls, authentication, ok bool }{{}, {tls: true}, {authentication: true}, {true, true, true}} {
			err := service.CheckExposure(service.Exposure{Listen: listen, TLS: c.tls, Authentication: c.authentication, Anonymous: true})
			if (err == nil) != c.ok || !c.ok && call.CodeOf(err) != call.CodeConfiguration {
				t.Errorf("%s %+v: %v", listen, c, err)
			}
		}
	}
	if err := service.CheckExposure(service.Exposure{Listen: "7464", TLS: true, Authentication: true}); err == nil {
		t.Error("no HOST:PORT was accepted")
	}
}

// listening serves on a free port until the test stops it.
func listening(t *testing.T, s *service.Server) (address string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	return l.Addr().String(), stop, done
}

func TestTheEndWaitsForWhatIsAnsweredAndAcceptsNothingNew(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s, _, _ := newServer(t, func(o *service.Options) {
		o.API = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(begun)
			<-release
			w.WriteHeader(http.StatusAccepted)
		})
	})
	address, stop, ended := listening(t, s)
	answered := make(chan int, 1)
	go func() {
		response, err := http.Post("http://"+address+"/v1/calls", "application/json", strings.NewReader("{}"))
		if err != nil {
			answered <- 0
			return
		}
		answered <- response.StatusCode
		_ = response.Body.Close()
	}()
	<-begun
	stop()
	for { // until the listener is closed
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("it ended under a request: %v", err)
	default:
	}
	close(release)
	if code := <-answered; code != http.StatusAccepted {
		t.Errorf("the request that ran was answered %d", code)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWhatOutlastsTheDrainTimeIsCanceledBeforeTheEnd(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	canceled := false
	s, _, log := newServer(t, func(o *service.Options) {
		o.Drain = 20 * time.Millisecond
		o.API = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			canceled = true
		})
	})
	address, stop, ended := listening(t, s)
	go func() {
		if response, err := http.Post("http://"+address+"/v1/calls", "application/json", http.NoBody); err == nil {
			_ = response.Body.Close()
		}
	}()
	<-begun
	stop()
	if err := <-ended; err != nil || !canceled {
		t.Errorf("%v, canceled %v", err, canceled)
	}
	says(t, log.String(), "cut off", "ended=true")
}

func TestHeadersBeyondTheLimitAreRefused(t *testing.T) {
	t.Parallel()
	s, _, _ := newServer(t, nil)
	address, _, _ := listening(t, s)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/healthz", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Long", strings.Repeat("a", 64<<10))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d", response.StatusCode)
	}
}

func TestTheFactsOfCallsAreExportedAndUnknownOnesAreNot(t *testing.T) {
	t.Parallel()
	s, m, _ := newServer(t, nil)
	m.Count("Calls", "placed", 2)
	m.Count("InDoubt", "", 1)
	m.Count("Calls", "", 1) // its label is missing
	m.Count("Nonsense", "", 1)
	m.Measure("DialLatency", 1500)
	m.Measure("Nonsense", 1)
	m.Queue("calls", "deleted", 3)
	says(t, metrics(s), `ringonce_calls_total{state="placed"} 2`, "ringonce_in_doubt_total 1", "ringonce_sweeps_total 0", "ringonce_dial_duration_seconds_sum 1.5",
		`ringonce_queue_messages_total{queue="calls",what="deleted"} 3`, `ringonce_build_info{version="v1"} 1`)
	if strings.Contains(strings.ToLower(metrics(s)), "nonsense") || m.Knows("Nonsense") || !m.Knows("Calls") {
		t.Error("what nobody declared is exported")
	}
}

func TestAServiceWithoutItsPartsOrWithARouteThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := service.New(service.Options{}); err == nil {
		t.Error("a service of nothing")
	}
	o := service.Options{Clock: clock{}, Log: slog.New(slog.DiscardHandler), Metrics: service.NewMetrics(""), Routes: []string{"GET /{"}}
	if _, err := service.New(o); err == nil {
		t.Error("a route that cannot be")
	}
	s, _, _ := newServer(t, nil)
	w := ask(s, http.MethodGet, "/v1/calls")
	var problem struct{ Status int }
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Status != http.StatusNotFound || w.Code != http.StatusNotFound {
		t.Errorf("without an API: %d, %s", w.Code, w.Body)
	}
}

package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/emf/emftest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// meter is an App with metrics beside an emulated telephone network. It must be made inside a bubble.
type meter struct {
	t   *testing.T
	app *app.App
	emu *connectemu.Server
	out bytes.Buffer
}

// lambdaEnv is the environment of a function.
func lambdaEnv(name string) (string, bool) {
	value, ok := map[string]string{"AWS_LAMBDA_FUNCTION_NAME": "ringonce-calls"}[name]
	return value, ok
}

func newMeter(t *testing.T, change func(*app.Config, *app.Options)) *meter {
	t.Helper()
	m := &meter{t: t}
	emu, err := connectemu.New(connectemu.Config{
		Flows: []string{goodFlow}, RingTime: time.Millisecond, TalkTime: time.Millisecond, StartRate: connectemu.Unlimited, SearchRate: connectemu.Unlimited,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.emu = emu
	t.Cleanup(emu.Close)
	production, ledger, rate := false, memory.New(memory.Options{}), 100.0
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Ledger: app.Ledger{Driver: "memory"},
		Profiles: map[string]app.Profile{
			"alert": {Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: "33333333-3333-4333-8333-333333333333"},
			"never": {Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: "33333333-3333-4333-8333-333333333333", Resend: "never"},
			"lost":  {Region: testRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: lostFlow, QueueID: "33333333-3333-4333-8333-333333333333"},
		},
		DefaultProfile: "alert", Pacing: app.Pacing{PerSecond: &rate, Burst: 100}, Lambda: app.Lambda{Concurrency: 1},
	}
	o := app.Options{
		Stores: map[string]app.OpenStore{"memory": func(context.Context, app.StoreRequest) (*app.Store, error) {
			l := ledger.Reopen()
			return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close}, nil
		}},
		Clock: app.SystemClock{}, Random: newSource(1), HTTPClient: &http.Client{Transport: emu.RoundTripper()}, LookupEnv: lambdaEnv, Metrics: &m.out,
	}
	if change != nil {
		change(c, &o)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if m.app, err = app.New(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	return m
}

// invoke hands the function a document and returns what CloudWatch keeps of what it printed.
func (m *meter) invoke(document string) map[emftest.Series][]float64 {
	m.t.Helper()
	if _, err := m.app.Invoke(m.t.Context(), []byte(document)); err != nil {
		m.t.Fatal(err)
	}
	return m.read()
}

func (m *meter) read() map[emftest.Series][]float64 {
	m.t.Helper()
	var lines [][]byte
	for line := range bytes.Lines(m.out.Bytes()) {
		if breaches := emftest.Check(line, time.Now()); len(breaches) > 0 {
			m.t.Fatalf("%s\nbreaks the format: %q", line, breaches)
		}
		lines = append(lines, bytes.Clone(line))
	}
	m.out.Reset()
	kept, err := emftest.Read(lines...)
	if err != nil {
		m.t.Fatal(err)
	}
	return kept
}

// sums returns the sum of every count, by its name or by name and state.
func sums(kept map[emftest.Series][]float64) map[string]float64 {
	all := map[string]float64{}
	for s, values := range kept {
		if strings.HasSuffix(s.Name, "Latency") || s.Name == "RequestAge" || s.Function != "ringonce-calls" {
			continue
		}
		name := s.Name
		if by := s.State + s.Outcome + s.Reason; by != "" {
			name += " " + by
		}
		for _, v := range values {
			all[name] += v
		}
	}
	return all
}

func (m *meter) want(document string, want map[string]float64) map[emftest.Series][]float64 {
	m.t.Helper()
	kept := m.invoke(document)
	if got := sums(kept); !maps.Equal(got, want) {
		m.t.Errorf("%.300s\ncounted %v\nwant    %v", document, got, want)
	}
	return kept
}

// batch is a document of SQS messages with these bodies.
func batch(bodies ...string) string {
	var records []object
	for i, body := range bodies {
		records = append(records, object{
			"messageId": fmt.Sprintf("00000000-0000-4000-8000-%012d", i), "body": body, "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:111122223333:calls",
			"attributes": object{"SentTimestamp": fmt.Sprint(time.Now().Add(-3 * time.Second).UnixMilli()), "ApproximateReceiveCount": "1"},
		})
	}
	return object{"Records": records}.text()
}

// request is the body of a request for one of the keys.
func request(key int, more object) string {
	o := object{"notificationId": fmt.Sprintf("notification-%d", key), "recipientId": "user-67890", "destinationPhoneNumber": number(key)}
	maps.Copy(o, more)
	return o.text()
}

const sweepDocument = `{"ringonce":"sweep"}`

func TestTheCountsAreWhatTheTelephoneNetworkHeard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, nil)
		rings := map[string]float64{}
		note := func(kept map[emftest.Series][]float64) {
			for s, values := range kept {
				if s.Name == "Calls" && s.State != "" {
					for _, v := range values {
						rings[s.State] += v
					}
				}
			}
		}
		m.want(sweepDocument, map[string]float64{"Sweeps": 1})
		kept := m.want(batch(request(1, nil), request(2, nil), request(3, nil), request(1, nil), request(1, nil), request(2, object{"destinationPhoneNumber": number(99)}), "no request"),
			map[string]float64{"Sweeps": 0, "Deliveries": 6, "Calls": 3, "Calls placed": 3, "Suppressed": 2, "Conflict": 1, "Unreadable": 1, "NewCountry": 1, "Alarms": 1})
		note(kept)
		for name, want := range map[string]int{"DialLatency": 3, "RequestAge": 3} {
			values := kept[emftest.Series{Name: name, Function: "ringonce-calls"}]
			if len(values) != want {
				t.Errorf("%s has the values %v", name, values)
			}
			if name == "RequestAge" && values[0] != 3 {
				t.Errorf("a request that was sent 3 s ago has the age %v", values)
			}
		}
		if ops := kept[emftest.Series{Name: "LedgerLatency", Function: "ringonce-calls"}]; len(ops) < 3*2+2 {
			t.Errorf("the ledger was asked %d times", len(ops))
		}
		note(m.want(batch(request(4, object{"action": "cancel"}), request(4, nil), request(5, object{"notAfter": "1999-12-31T00:00:00Z"}), request(6, object{"profile": "nobody"})),
			map[string]float64{"Sweeps": 0, "Deliveries": 4, "Calls": 2, "Calls canceled": 1, "Calls expired": 1, "Suppressed": 1, "Refused": 1}))

		m.plan(connectemu.Rule{Fault: connectemu.Throttle, Times: 1})
		note(m.want(batch(request(7, nil)), map[string]float64{"Sweeps": 0, "Deliveries": 1, "Throttled": 1}))
		time.Sleep(2 * time.Minute)
		note(m.want(sweepDocument, map[string]float64{"Sweeps": 1, "SweptRows": 1, "Calls": 1, "Calls placed": 1}))

		m.plan(connectemu.Rule{Fault: connectemu.Refuse, Code: "DestinationNotAllowedException", Times: 1})
		note(m.want(batch(request(8, nil)), map[string]float64{"Sweeps": 0, "Deliveries": 1, "Calls": 1, "Calls failed": 1}))

		// A setup error pauses the profile once, however many calls wait for the repair.
		note(m.want(batch(request(9, object{"profile": "lost"}), request(10, object{"profile": "lost"})),
			map[string]float64{"Sweeps": 0, "Deliveries": 2, "SetupRefused": 1, "Held": 1, "Held setup_pause": 1, "Alarms": 2}))

		// An answer that is lost and that nothing finds again is in doubt after the last look, and the phone rang once.
		m.plan(connectemu.Rule{Fault: connectemu.PlaceThenReset}, connectemu.Rule{Operation: connectemu.OpSearch, Fault: connectemu.Fail500}, connectemu.Rule{Operation: connectemu.OpSearch, Fault: connectemu.Fail500}, connectemu.Rule{Operation: connectemu.OpSearch, Fault: connectemu.Fail500})
		note(m.want(batch(request(11, object{"profile": "never"})), map[string]float64{"Sweeps": 0, "Deliveries": 1}))
		doubts, answered := 0.0, 0.0
		for range 3 * 24 * 2 {
			time.Sleep(30 * time.Minute)
			kept := m.invoke(sweepDocument)
			note(kept)
			doubts += sums(kept)["InDoubt"]
			answered += sums(kept)["Outcomes answered"]
		}
		if doubts != 1 || rings["in_doubt"] != 1 {
			t.Errorf("%v calls became in doubt, and %v by state", doubts, rings["in_doubt"])
		}
		if answered != rings["placed"] {
			t.Errorf("%v outcomes of %v placed calls, although no event was delivered", answered, rings["placed"])
		}
		if heard := float64(m.emu.RingCount()); heard != rings["placed"]+rings["in_doubt"] || heard != 5 {
			t.Errorf("%v phones rang; counted %v", heard, rings)
		}
	})
}

func (m *meter) plan(rules ...connectemu.Rule) {
	m.t.Helper()
	if err := m.emu.SetPlan(connectemu.Plan{Rules: rules}); err != nil {
		m.t.Fatal(err)
	}
}

func TestWithoutALedgerTheCallsAreCountedToo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(c *app.Config, _ *app.Options) {
			c.Ledger = app.Ledger{}
			delete(c.Profiles, "never")
		})
		m.want(batch(request(1, nil), request(1, nil), request(2, nil), request(2, object{"destinationPhoneNumber": number(99)})),
			map[string]float64{"Sweeps": 0, "Deliveries": 4, "Calls": 2, "Calls placed": 2, "Suppressed": 1, "Conflict": 1, "Undated": 2})
		if m.emu.RingCount() != 2 {
			t.Errorf("%d phones rang", m.emu.RingCount())
		}
	})
}

func TestALargeBatchTellsEveryDial(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, nil)
		if err := m.emu.Update(func(c *connectemu.Config) { c.MaxConcurrentCalls = connectemu.Off }); err != nil {
			t.Fatal(err)
		}
		var bodies []string
		for i := range 130 {
			bodies = append(bodies, request(i, nil))
		}
		kept := m.invoke(batch(bodies...))
		if n := len(kept[emftest.Series{Name: "DialLatency", Function: "ringonce-calls"}]); n != 130 || sums(kept)["Calls"] != 130 {
			t.Errorf("%d dials were told, and %v", n, sums(kept))
		}
	})
}

func TestTheMetricsAreWrittenWhenAnInvocationFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, nil)
		if _, err := m.app.Invoke(t.Context(), []byte(`{"Records":[{"eventSource":"aws:sqs","body":"{}"}]}`)); err == nil {
			t.Fatal("a record that no response can name was answered")
		}
		if got := sums(m.read()); got["Refused"] != 1 || got["Alarms"] != 1 {
			t.Errorf("counted %v", got)
		}
		m.app.Handler.Clock = brokenClock{}
		func() {
			defer func() { _ = recover() }()
			_, err := m.app.Invoke(t.Context(), []byte(sweepDocument))
			t.Errorf("the planted panic did not come: %v", err)
		}()
		if got := sums(m.read()); len(got) == 0 {
			t.Error("nothing was written when the handler panicked")
		}
	})
}

// brokenClock is a clock that breaks the handler outside of any record.
type brokenClock struct{ app.SystemClock }

func (brokenClock) Now() time.Time { panic("planted") }

func TestMetricsAreWrittenOnlyWhereTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	nowhere := func(string) (string, bool) { return "", false }
	for name, c := range map[string]struct {
		format string
		env    func(string) (string, bool)
		want   bool
	}{
		"a function":            {"", lambdaEnv, true},
		"a function without":    {"none", lambdaEnv, false},
		"elsewhere":             {"", nowhere, false},
		"elsewhere, asked for":  {"emf", nowhere, true},
		"a function, asked for": {"emf", lambdaEnv, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newMeter(t, func(config *app.Config, o *app.Options) { config.Metrics.Format, o.LookupEnv = c.format, c.env })
			if kept := m.invoke(sweepDocument); (len(kept) > 0) != c.want {
				t.Errorf("%s: %v", name, kept)
			}
		})
	}
}

// brokenPipe is a standard output that is gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestALogThatCannotBeWrittenFailsNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(_ *app.Config, o *app.Options) { o.Metrics = brokenPipe{} })
		if _, err := m.app.Invoke(t.Context(), []byte(batch(request(1, nil)))); err != nil || m.emu.RingCount() != 1 {
			t.Errorf("%d phones rang: %v", m.emu.RingCount(), err)
		}
	})
}

func TestANamespaceIsOneThatCloudWatchTakes(t *testing.T) {
	t.Parallel()
	for value, taken := range map[string]bool{"ringonce": true, "Acme/Calls": true, "AWS/Lambda": false, "a b": false, "": true} {
		_, err := app.Parse("ringonce.yaml", []byte(strings.Replace(good, "profiles:\n", "metrics: {namespace: \""+value+"\"}\nprofiles:\n", 1)))
		if (err == nil) != taken {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// liar is a dialer that says of every call that it was placed and rings nobody.
type liar struct{ call.Dialer }

func (liar) Dial(context.Context, call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: "0f8fad5b-d9cb-469f-a165-70867728950e"}
}

// The comparison of counts with rings sees calls that are counted and rang nobody.
func TestACountWithoutARingIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(_ *app.Config, o *app.Options) { o.WrapDialer = func(d call.Dialer) call.Dialer { return liar{d} } })
		if counted := sums(m.invoke(batch(request(1, nil))))["Calls placed"]; counted == float64(m.emu.RingCount()) {
			t.Errorf("%v calls were counted and %d phones rang: the lie is not seen", counted, m.emu.RingCount())
		}
	})
}

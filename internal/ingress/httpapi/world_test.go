package httpapi_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// Who asks in the tests.
var (
	shop     = access.Principal{Kind: access.Producer, Name: "shop", KeySpace: "shop"}
	clinic   = access.Principal{Kind: access.Producer, Name: "clinic", KeySpace: "clinic", Reads: []string{"shop"}}
	limited  = access.Principal{Kind: access.Producer, Name: "limited", KeySpace: "limited", Profiles: []string{"other"}}
	reader   = access.Principal{Kind: access.Operator, Name: "rae", Role: access.RoleRead}
	keeper   = access.Principal{Kind: access.Operator, Name: "olga", Role: access.RoleOperate}
	reporter = access.Principal{Kind: access.Reporter, Name: "flow"}
	admin    = access.Principal{Kind: access.Operator, Name: "ada", Role: access.RoleAdmin}
)

// world is the API on a SQLite ledger and an emulated telephone.
type world struct {
	t       *testing.T
	phone   *connectemu.Server
	app     *app.App
	handler http.Handler
	options httpapi.Options // of the handler

	mu   sync.Mutex
	acts []httpapi.Act
}

func newWorld(t *testing.T, change ...func(*httpapi.Options)) *world {
	t.Helper()
	return worldOf(t, setting{}, change...)
}

// setting is what is unusual about a world.
type setting struct {
	clock   call.Clock        // of the API and of the telephone; nil means the machine's
	blind   bool              // a search for contacts finds nothing
	profile string            // more lines of the profile alert
	wire    http.RoundTripper // to the telephone; nil means the usual one
}

func worldOf(t *testing.T, s setting, change ...func(*httpapi.Options)) *world {
	t.Helper()
	emulated := connectemu.Config{
		Clock: s.clock, StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, SearchRate: connectemu.Unlimited, RingTime: time.Millisecond, TalkTime: time.Millisecond,
	}
	if s.blind {
		emulated.SearchDelay = 365 * 24 * time.Hour
	}
	phone, err := connectemu.New(emulated)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(phone)
	t.Cleanup(func() {
		phone.Close()
		server.Close()
	})
	ledger, witness := t.TempDir(), t.TempDir()
	config, err := app.Parse("ringonce.yaml", []byte(strings.Join([]string{
		"production: false", "connect:", "  endpoint: " + server.URL, "pacing: {per_second: 5000, burst: 5000}", "log: {level: error, format: text}",
		"ledger:", "  driver: sqlite", "  path: " + filepath.Join(ledger, "calls.db"), "  witness: " + filepath.Join(witness, "calls.witness"), "default_profile: alert",
		"profiles:", profile("alert") + s.profile, profile("other"),
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	wire := server.Client()
	if s.wire != nil {
		wire = &http.Client{Transport: s.wire}
	}
	a, err := app.New(t.Context(), config, app.Options{
		Clock: s.clock, Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing, HTTPClient: wire,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	w := &world{t: t, phone: phone, app: a}
	o := httpapi.Options{
		Engine: a.Engine, Ledger: a.Store.Ledger, Index: a.Store.Index, Journal: a.Store.Journal, Clock: a.Clock, Observer: a.Observer, Random: rand.Reader,
		Cells: a.Store.Cells, CellNames: a.Cells, Numberless: config.Numberless(), DialsFrom: config.DialsFrom,
		Audit: func(_ context.Context, act httpapi.Act) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.acts = append(w.acts, act)
			return nil
		},
	}
	for _, f := range change {
		f(&o)
	}
	w.options = o
	if w.handler, err = httpapi.New(o); err != nil {
		t.Fatal(err)
	}
	w.sweep() // a sweeper runs
	return w
}

func profile(name string) string {
	return strings.Join([]string{
		"  " + name + ":", "    region: " + connectemu.DefaultRegion, "    instance_id: " + connectemu.DefaultInstance,
		"    contact_flow_id: 22222222-3333-4444-8555-666666666666", "    queue_id: 33333333-4444-4555-8666-777777777777",
	}, "\n")
}

func (w *world) sweep() {
	w.t.Helper()
	if _, err := w.app.Engine.Sweep(w.t.Context(), 1000); err != nil {
		w.t.Fatal(err)
	}
}

// answer is what a request came to.
type answer struct {
	Status int
	Header http.Header
	Text   string
	Body   map[string]any
}

func (a answer) at(path ...any) any {
	var v any = a.Body
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func (a answer) text(path ...any) string {
	s, _ := a.at(path...).(string)
	return s
}

// do sends one request as somebody; headers are pairs.
func (w *world) do(who *access.Principal, method, path, body string, headers ...string) answer {
	w.t.Helper()
	ctx := w.t.Context()
	if who != nil {
		ctx = access.With(ctx, *who)
	}
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Content-Type" {
			r.Header.Del("Content-Type")
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	a := answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String()}
	_ = json.Unmarshal(recorder.Body.Bytes(), &a.Body) // pages are none
	if strings.HasPrefix(path, "/v1") && strings.Contains(a.Text, "81900000") {
		w.t.Errorf("%s %s tells a full number: %s", method, path, a.Text)
	}
	if a.Status >= 400 && strings.HasPrefix(path, "/v1") {
		w.problem(a)
	}
	w.documented(method, path, a)
	return a
}

// problem checks the shape of a problem document.
func (w *world) problem(a answer) {
	w.t.Helper()
	status, _ := a.at("status").(float64)
	if a.Header.Get("Content-Type") != "application/problem+json" || a.text("code") == "" || a.text("detail") == "" || a.text("fix") == "" || int(status) != a.Status ||
		a.text("type") != "urn:ringonce:problem:"+a.text("code") {
		w.t.Errorf("no problem document: %d %v %s", a.Status, a.Header, a.Text)
	}
}

// count is how many elements a list has; -1 when there is none.
func (a answer) count(path ...any) int {
	list, ok := a.at(path...).([]any)
	if !ok {
		return -1
	}
	return len(list)
}

func (w *world) want(a answer, status int, code string) answer {
	w.t.Helper()
	got := a.text("code")
	if status < 400 {
		got = a.text("answer")
	}
	if a.Status != status || got != code {
		w.t.Errorf("answered %d %q, want %d %q: %s", a.Status, got, status, code, a.Text)
	}
	return a
}

func (w *world) rings(want int) {
	w.t.Helper()
	if got := w.phone.RingCount(); got != want {
		w.t.Errorf("the phone rang %d times, not %d", got, want)
	}
}

// request is the text of a request for a call.
func request(notification string, n int) string {
	return fmt.Sprintf(`{"notificationId":%q,"recipientId":"user-1","destinationPhoneNumber":"+81900000%04d"}`, notification, n)
}

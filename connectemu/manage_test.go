package connectemu_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
)

// manage sends one request to the management handler; the answer is decoded into out when it is not nil.
func (w *world) manage(method, path, body string, out any) int {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), method, "http://127.0.0.1:7466"+path, strings.NewReader(body))
	recorder := httptest.NewRecorder()
	w.server.Management().ServeHTTP(recorder, r)
	content, err := io.ReadAll(recorder.Result().Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if out != nil {
		if err := json.Unmarshal(content, out); err != nil {
			w.t.Fatalf("%s %s: %v in %s", method, path, err, content)
		}
	}
	return recorder.Code
}

func TestManagementCountsRings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := input(busy)
	in.ClientToken, in.Attributes = aws.String("b"), map[string]string{"callId": "7"}
	if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	w.mustStart(answers, "a")
	w.mustStart(answers, "a")
	w.mustStart(answers, "")
	var report struct {
		Total             int
		ByNumber, ByToken map[string]int
		Rings             []connectemu.Ring
	}
	for path, total := range map[string]int{
		"/rings": 3, "/rings?number=%2B819000000001": 2, "/rings?token=a": 1, "/rings?token=": 1, "/rings?token=none": 0,
		"/rings?attribute=callId": 1, "/rings?attribute=callId&value=7": 1, "/rings?attribute=callId&value=8": 0,
	} {
		report.Rings = nil
		if status := w.manage(http.MethodGet, path, "", &report); status != http.StatusOK || report.Total != total || len(report.Rings) != total {
			t.Errorf("%s: got %d, total %d, %d rings, want %d", path, status, report.Total, len(report.Rings), total)
		}
	}
	report.ByNumber, report.ByToken = nil, nil
	w.manage(http.MethodGet, "/rings", "", &report)
	if report.ByNumber[answers] != 2 || report.ByNumber[busy] != 1 || report.ByToken["a"] != 1 || len(report.ByToken) != 2 {
		t.Errorf("counts: got %v %v", report.ByNumber, report.ByToken)
	}
	if r := report.Rings[0]; r.Number != busy || r.Seq != 1 || !r.At.Equal(epoch) || r.Attributes["callId"] != "7" {
		t.Errorf("first ring: got %+v", r)
	}
	var contacts struct{ Contacts []connectemu.Contact }
	w.manage(http.MethodGet, "/contacts", "", &contacts)
	if len(contacts.Contacts) != 3 || contacts.Contacts[0].Fate != connectemu.FateBusy {
		t.Errorf("contacts: got %+v", contacts)
	}
	var requests struct{ Requests []connectemu.Request }
	w.manage(http.MethodGet, "/requests", "", &requests)
	if len(requests.Requests) != 4 || requests.Requests[2].Outcome != connectemu.OutcomeReplayed {
		t.Errorf("requests: got %+v", requests)
	}
}

func TestManagementSetsFaultsPhonesAndSwitches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if status := w.manage(http.MethodPut, "/faults", `{"plan":"fail-500 nth=1"}`, nil); status != http.StatusOK {
		t.Fatalf("faults: %d", status)
	}
	_, err := w.start(answers, "a")
	wantCode(t, err, connectemu.CodeInternal, 500)
	var faults struct {
		Plan string
		Met  []int
	}
	w.manage(http.MethodGet, "/faults", "", &faults)
	if faults.Plan != "fail-500 nth=1" || len(faults.Met) != 1 || faults.Met[0] != 1 {
		t.Errorf("faults: got %+v", faults)
	}
	if status := w.manage(http.MethodPut, "/phones/"+answers, `{"fate":"not-allowed"}`, nil); status != http.StatusOK {
		t.Fatalf("phones: %d", status)
	}
	_, err = w.start(answers, "a")
	wantCode(t, err, connectemu.CodeNotAllowed, 403)
	var phones struct{ Phones map[string]string }
	if w.manage(http.MethodGet, "/phones", "", &phones); phones.Phones[answers] != "not-allowed" {
		t.Errorf("phones: got %v", phones)
	}
	change := `{"reading":"A1'","signatureWindow":"off","startRate":{"perSecond":-1},"tokenOnRefusal":"spent","searchDelay":"1m30s"}`
	if status := w.manage(http.MethodPut, "/config", change, nil); status != http.StatusOK {
		t.Fatalf("config: %d", status)
	}
	config := w.server.Config()
	if config.Reading != connectemu.A1Prime || config.SignatureWindow >= 0 || config.StartRate.PerSecond >= 0 ||
		config.TokenOnRefusal != connectemu.TokenSpent || config.SearchDelay != 90*time.Second || config.TalkTime != connectemu.DefaultTalkTime {
		t.Errorf("config: got %+v", config)
	}
	var shown map[string]any
	w.manage(http.MethodGet, "/config", "", &shown)
	if shown["reading"] != "A1'" || shown["signatureWindow"] != "off" || shown["talkTime"] != "30s" {
		t.Errorf("shown: got %v", shown)
	}
}

func TestManagementMovesTheClockAndResets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.mustStart(answers, "a")
	var clock struct {
		Now     time.Time
		Movable bool
	}
	w.manage(http.MethodPost, "/clock", `{"advance":"72h"}`, &clock)
	if !clock.Now.Equal(epoch.Add(72*time.Hour)) || !clock.Movable || !w.clock.Now().Equal(clock.Now) {
		t.Errorf("clock: got %+v", clock)
	}
	if status := w.manage(http.MethodPost, "/reset", "", nil); status != http.StatusOK {
		t.Errorf("reset: %d", status)
	}
	w.wantRings(0)
	if len(w.server.Requests()) != 0 || len(w.server.Contacts()) != 0 {
		t.Error("the reset left something behind")
	}
	if id := w.mustStart(answers, "a"); id == first {
		t.Error("a contact id was used twice")
	}
	w.wantRings(1)
}

func TestManagementRefusesBadOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for order, want := range map[string]int{
		"PUT /faults {":                               400,
		"PUT /faults ":                                400,
		"PUT /faults {}":                              400,
		`PUT /faults {"plan":"explode"}`:              400,
		`PUT /faults {"plans":""}`:                    400,
		`PUT /faults {"plan":""} {}`:                  400,
		`POST /clock {}`:                              400,
		`POST /clock {"advance":"-1h"}`:               400,
		`POST /clock {"advance":"off"}`:               400,
		`POST /clock {"advance":7}`:                   400,
		`PUT /config {"reading":"A2"}`:                400,
		`PUT /config {"talkTime":"soon"}`:             400,
		`PUT /config {"talkTime":"-5s"}`:              400,
		`PUT /config {"searchRate":{"burst":-1}}`:     400,
		`PUT /config {"unknown":true}`:                400,
		`PUT /phones/+819000000001 {}`:                400,
		`PUT /phones/+819000000001 {"fate":"lucky"}`:  400,
		`PUT /phones/819000000001 {"fate":"answers"}`: 400,
		"DELETE /rings ":                              405,
		"GET /nowhere ":                               404,
	} {
		method, rest, _ := strings.Cut(order, " ")
		path, body, _ := strings.Cut(rest, " ")
		var problem struct{ Error string }
		out := any(&problem)
		if want != 400 {
			out = nil
		}
		if status := w.manage(method, path, body, out); status != want || want == 400 && problem.Error == "" {
			t.Errorf("%s: got %d %q, want %d", order, status, problem.Error, want)
		}
	}
	if got := w.server.Config(); got.Reading != connectemu.A1 || got.TalkTime != connectemu.DefaultTalkTime {
		t.Errorf("a refused change had an effect: %+v", got)
	}
}

func TestManagementRefusesOtherSites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:7466/reset", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	recorder := httptest.NewRecorder()
	w.server.Management().ServeHTTP(recorder, r)
	if recorder.Code != http.StatusForbidden {
		t.Errorf("status: got %d, want 403", recorder.Code)
	}
}

func TestWallClockCannotBeMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.Clock = connectemu.WallClock{} })
	if status := w.manage(http.MethodPost, "/clock", `{"advance":"1h"}`, nil); status != http.StatusConflict {
		t.Errorf("status: got %d, want 409", status)
	}
}

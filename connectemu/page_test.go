package connectemu_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
)

// visit sends one request to the page; form is what a form sends, nil for a GET.
func (w *world) visit(path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	r := httptest.NewRequestWithContext(w.t.Context(), method, "http://127.0.0.1:7466"+path, strings.NewReader(body))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.server.Management().ServeHTTP(recorder, r)
	return recorder
}

// pageNumbers are what the page says by numbers: counts, and the rings of each phone and token.
var pageNumbers = []*regexp.Regexp{
	regexp.MustCompile(`<dd id="(rings|ringing|answered|twice)">(\d+)</dd>`),
	regexp.MustCompile(`data-number="(\+\d+)" data-state="\w+" data-rings="(\d+)"`),
	regexp.MustCompile(`data-rings="\d+"><td><code>([^<]*)</code></td><td>(?:<svg.*?</svg> )?(\d+)</td>`),
}

// pageLies compares the page with the emulator.
func pageLies(page string, s *connectemu.Server) []string {
	shown := map[string]int{}
	for _, numbers := range pageNumbers {
		for _, match := range numbers.FindAllStringSubmatch(strings.ReplaceAll(page, "&#43;", "+"), -1) {
			n, _ := strconv.Atoi(match[2]) // the pattern matches digits alone
			shown[match[1]] = n
		}
	}
	want := map[string]int{"rings": s.RingCount(), "ringing": 0, "answered": 0, "twice": 0}
	for _, ring := range s.Rings() {
		want[ring.Number]++
		if want[ring.Token]++; want[ring.Token] == 2 {
			want["twice"]++
		}
		switch c, _ := s.Contact(ring.ContactID); c.State {
		case connectemu.StateInitiated:
			want["ringing"]++
		case connectemu.StateConnected:
			want["answered"]++
		case connectemu.StateDisconnected:
		}
	}
	for number := range s.Phones() {
		want[number] += 0
	}
	var lies []string
	for what, n := range want {
		if got, ok := shown[what]; !ok || got != n {
			lies = append(lies, fmt.Sprintf("%s: shown %d (%t), is %d", what, got, ok, n))
		}
	}
	if len(shown) != len(want) {
		lies = append(lies, fmt.Sprintf("shown %v, is %v", shown, want))
	}
	return lies
}

// busyPage is an emulator in which much happens, and its page.
func busyPage(t *testing.T) (*world, string) {
	t.Helper()
	w := newWorld(t, unpaced, func(c *connectemu.Config) {
		c.Reading, c.Phones = connectemu.A1Prime, map[string]connectemu.Fate{"+447700900001": connectemu.FateBusy}
	})
	for range 2 {
		w.mustStart(busy, "token-2")
		w.clock.Advance(time.Minute)
	}
	w.mustStart(answers, "token-1")
	w.clock.Advance(10 * time.Second)
	w.mustStart("+819000000091", "token-3")
	return w, w.visit("/", nil).Body.String()
}

func TestThePageShowsTheTruth(t *testing.T) {
	t.Parallel()
	w, page := busyPage(t)
	for _, lie := range pageLies(page, w.server) {
		t.Error(lie)
	}
	if !containsAll(page, "ringing", "answered", "quiet", "rang 2 times", "TELECOM_BUSY", "tokens that rang twice") {
		t.Error(page)
	}
}

func TestAPageThatLiesIsSeen(t *testing.T) {
	t.Parallel()
	w, page := busyPage(t)
	for name, plant := range map[string][2]string{
		"a ring too few":          {`<dd id="rings">4`, `<dd id="rings">3`},
		"nobody rings":            {`<dd id="ringing">1`, `<dd id="ringing">0`},
		"nobody was rung twice":   {`<dd id="twice">1`, `<dd id="twice">0`},
		"a phone that rang once":  {`data-rings="2">` + "\n" + `<p class="number">`, `data-rings="1">` + "\n" + `<p class="number">`},
		"a phone is missing":      {`data-number="&#43;447700900001"`, `data-number=""`},
		"a token is missing":      {`<code>token-1</code></td><td>1</td>`, `<code>token-1</code></td><td></td>`},
		"a token rang more often": {`<code>token-1</code></td><td>1</td>`, `<code>token-1</code></td><td>2</td>`},
	} {
		lie := strings.ReplaceAll(page, plant[0], plant[1])
		if lie == page {
			t.Errorf("%s: %q is not in the page", name, plant[0])
		}
		if len(pageLies(lie, w.server)) == 0 {
			t.Errorf("%s was not seen", name)
		}
	}
}

func TestThePageTakesNothingFromOutside(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	in := input(answers)
	in.Name, in.ClientToken = aws.String(`<script>alert(1)</script>`), aws.String(`"><img src=x onerror=alert(1)>`)
	if _, err := w.client.StartOutboundVoiceContact(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/page/page.css": "text/css; charset=utf-8", "/page/page.js": "text/javascript; charset=utf-8", "/page/icon.svg": "image/svg+xml",
	} {
		got := w.visit(path, nil)
		body := got.Body.String()
		if got.Code != http.StatusOK || got.Header().Get("Content-Type") != kind || got.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, got.Code, got.Header())
		}
		policy := got.Header().Get("Content-Security-Policy")
		if !containsAll(policy, "default-src 'none'", "frame-ancestors 'none'", "form-action 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
		outside := regexp.MustCompile(`(https?:)?//[a-z0-9]`).FindString(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""))
		if outside != "" && path != "/page/page.js" || strings.Contains(body, "<script>alert") || strings.Contains(body, "<img") || strings.Contains(body, "style=") {
			t.Errorf("%s has something from outside (%q): %s", path, outside, body)
		}
	}
}

func TestFormsOfThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, unpaced)
	id := w.mustStart("+819000000091", "a")
	for _, c := range []struct {
		act    string
		form   url.Values
		status int
		says   string // in the page of a refusal, or where it goes
	}{
		{"answer", url.Values{"id": {id}}, http.StatusSeeOther, "/"},
		{"answer", url.Values{"id": {id}}, http.StatusConflict, "it has been answered already"},
		{"hang-up", url.Values{"id": {id}, "pause": {"1"}}, http.StatusSeeOther, "/?pause=1"},
		{"hang-up", url.Values{"id": {"nobody"}}, http.StatusConflict, "there is no call with this id"},
		{"plan", url.Values{"plan": {"throttle nth=7\nlose-event"}}, http.StatusSeeOther, "/"},
		{"plan", url.Values{"plan": {"throttle nth=x <b>"}}, http.StatusConflict, "throttle nth=x &lt;b&gt;</textarea>"},
		{"phone", url.Values{"number": {answers}, "fate": {"busy"}}, http.StatusSeeOther, "/"},
		{"phone", url.Values{"number": {"12"}, "fate": {"busy"}}, http.StatusConflict, "is not E.164"},
		{"phone", url.Values{"number": {answers}, "fate": {"sleepy"}}, http.StatusConflict, "is unknown"},
		{"clock", url.Values{"advance": {" 2h "}}, http.StatusSeeOther, "/"},
		{"clock", url.Values{"advance": {"-2h"}}, http.StatusConflict, "write a duration"},
		{"reset", url.Values{}, http.StatusConflict, "tick the box"},
	} {
		got := w.visit("/page/"+c.act, c.form)
		said := got.Header().Get("Location")
		if c.status == http.StatusConflict {
			said = got.Body.String()
		}
		if got.Code != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s %v: %d %s", c.act, c.form, got.Code, said)
		}
	}
	contact, _ := w.server.Contact(id)
	if contact.DisconnectReason != "CUSTOMER_DISCONNECT" || w.server.Plan().String() != "throttle nth=7; lose-event" ||
		w.server.Phones()[answers] != connectemu.FateBusy || !w.clock.Now().Equal(epoch.Add(2*time.Hour)) {
		t.Errorf("%+v, %q, %v, %v", contact, w.server.Plan(), w.server.Phones(), w.clock.Now())
	}
	w.wantRings(1)
	if got := w.visit("/page/reset", url.Values{"sure": {"yes"}}, "Accept", "text/plain"); got.Code != http.StatusNoContent {
		t.Errorf("reset: %d", got.Code)
	}
	w.wantRings(0)
	got := w.visit("/page/answer", url.Values{"id": {id}}, "Accept", "text/plain")
	if got.Code != http.StatusConflict || strings.TrimSpace(got.Body.String()) != "the contact cannot do that: there is no call with this id" {
		t.Errorf("for the script: %d %q", got.Code, got.Body)
	}
	if got := w.visit("/page/reset", url.Values{"sure": {"yes"}}, "Sec-Fetch-Site", "cross-site"); got.Code != http.StatusForbidden {
		t.Errorf("from another site: %d", got.Code)
	}
}

func TestThePageIsLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := httptest.NewUnstartedServer(w.server.Management())
	server.Config.ReadTimeout = 200 * time.Millisecond // less than the page's beat: a stream outlives it
	server.Start()
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/page/live", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	await := func(text string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("the stream ended before %q: %v", text, lines.Err())
	}
	await("event: live")
	await(`<dd id="rings">0</dd>`)
	w.mustStart(answers, "")
	await(`<dd id="rings">1</dd>`)
	w.clock.Advance(connectemu.DefaultRingTime)
	await(`data-state="answered"`)
	w.server.Close()
	for lines.Scan() { // it ends with the emulator
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
}

func TestThePausedPageStandsStill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	running, paused := w.visit("/", nil).Body.String(), w.visit("/?pause=1", nil).Body.String()
	if !containsAll(running, `http-equiv="refresh"`, "page.js") || strings.Contains(paused, `http-equiv="refresh"`) || strings.Contains(paused, "page.js") {
		t.Error(paused)
	}
}

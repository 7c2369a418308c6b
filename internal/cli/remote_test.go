package cli

import (
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// keyOfOlga is what an operator shows to the service of a test.
const keyOfOlga = "olgas-key"

// counter is a desk whose ledger a service holds: the commands ask the service.
type counter struct {
	*desk

	service *running
	url     string
	key     string                                            // file of who asks
	before  func(w http.ResponseWriter, r *http.Request) bool // true when it answered by itself
}

// newCounter serves the API on the ledger of a desk, to whoever shows the key.
func newCounter(t *testing.T, more string, change ...func(*httpapi.Options)) *counter {
	t.Helper()
	return counterOf(t, newDesk(t, more), change...)
}

// askers are who the service of a test knows, by their keys.
var askers = map[string]access.Principal{
	keyOfOlga:   {Kind: access.Operator, Name: "olga", Role: access.RoleOperate},
	"adas-key":  {Kind: access.Operator, Name: "ada", Role: access.RoleAdmin},
	"beas-key":  {Kind: access.Operator, Name: "bea", Role: access.RoleAdmin},
	"raes-key":  {Kind: access.Operator, Name: "rae", Role: access.RoleRead},
	"shops-key": {Kind: access.Producer, Name: "shop", KeySpace: "shop"},
}

// as makes somebody else ask from now on.
func (c *counter) as(name string) *counter {
	c.t.Helper()
	c.key = c.write(name+".key", name+"s-key\n")
	return c
}

// counterOf serves the API on the ledger of a desk, to whoever shows a key.
func counterOf(t *testing.T, d *desk, change ...func(*httpapi.Options)) *counter {
	t.Helper()
	c := &counter{desk: d, service: d.start()}
	a := c.service.App
	later := httpapi.NewLater(a.Engine, a.Observer, 100)
	o := httpapi.Options{
		Engine: a.Engine, Ledger: a.Store.Ledger, Index: a.Store.Index, Journal: a.Store.Journal, Clock: a.Clock, Observer: a.Observer, Random: rand.Reader,
		Cells: a.Store.Cells, CellNames: a.Cells, Accepted: later.Offer,
	}
	for _, f := range change {
		f(&o)
	}
	api, err := httpapi.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.before != nil && c.before(w, r) {
			return
		}
		who, known := askers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
		if !known {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, `{"type":"urn:ringonce:problem:unauthorized","title":"Unauthorized","status":401,"code":"unauthorized","detail":"The request has no usable credential.","fix":"Send one."}`)
			return
		}
		api.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	c.service.sweep()
	return c.as("olga")
}

// losing does what it is asked for, and every answer is lost.
func (c *counter) losing() map[string]string {
	lost := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RequestURI = ""
		to, err := http.NewRequestWithContext(r.Context(), r.Method, c.url+r.URL.RequestURI(), r.Body)
		if err == nil {
			to.Header = r.Header
			if answer, err := http.DefaultClient.Do(to); err == nil {
				_ = answer.Body.Close()
			}
		}
		panic(http.ErrAbortHandler)
	}))
	c.t.Cleanup(lost.Close)
	return map[string]string{ServerVariable: lost.URL, KeyVariable: c.key}
}

// asks runs a command line against the service.
func (c *counter) asks(want int, args ...string) (stdout, stderr string) {
	c.t.Helper()
	return c.runs(want, map[string]string{ServerVariable: c.url, KeyVariable: c.key}, args...)
}

// runs is run without a configuration, in an environment of its own.
func (d *desk) runs(want int, env map[string]string, args ...string) (stdout, stderr string) {
	d.t.Helper()
	var out, told strings.Builder
	p := Process{
		Args: args, Stdin: strings.NewReader(d.stdin), Stdout: &out, Stderr: &told, Clock: d.clock, Random: rand.Reader, Stores: stores.All(),
		LookupEnv: func(name string) (string, bool) {
			value, set := env[name]
			return value, set
		},
	}
	if code := p.Run(d.t.Context()); code != want {
		d.t.Fatalf("%q ended with %d, want %d\n%s%s", args, code, want, &out, &told)
	}
	if strings.Contains(out.String()+told.String(), "81900000") || strings.Contains(out.String()+told.String(), keyOfOlga) {
		d.t.Errorf("%q printed a number or the key\n%s%s", args, &out, &told)
	}
	return out.String(), told.String()
}

// wishes writes the file of a request.
func (c *counter) wishes(notification, number string) string {
	c.t.Helper()
	return c.write(notification+".json", fmt.Sprintf(`{"notificationId":%q,"recipientId":"user-1","destinationPhoneNumber":%q}`, notification, number))
}

func TestThroughAServiceARequestThatIsPlacedTwiceRingsOnce(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	file := c.wishes("n-1", "+819000000001")
	stdout, _ := c.asks(ExitOK, "calls", "place", file, "--wait", "10s")
	says(t, stdout, "placed:", "show it with: ringonce calls show")
	stdout, _ = c.asks(ExitOK, "calls", "place", file, "--json")
	if again := each[placed](t, stdout)[0]; again.Answer != "duplicate" || again.DuplicateOf == "" || again.DuplicateOf != again.CallID {
		t.Errorf("%+v", again)
	}
	c.stdin = `{"destinationPhoneNumber":"+819000000001"}`
	stdout, _ = c.asks(ExitOK, "calls", "place", "-", "--notification-id", "n-1", "--recipient-id", "user-1")
	says(t, stdout, "duplicate:")
	c.service.rang(1)
	_, stderr := c.asks(ExitConflict, "calls", "place", c.wishes("n-1", "+819000000002"))
	says(t, stderr, "ringonce:")
	c.service.rang(1)
	c.asks(ExitOK, "calls", "place", c.wishes("n-2", "+819000000002"), "--wait", "10s")
	c.service.rang(2) // the oracle sees a second ring when there is one
}

func TestThroughAServiceCallsAreListedAndShownInTheSameWords(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	for range 2 {
		c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"), "--wait", "10s")
	}
	there, _ := c.asks(ExitOK, "calls", "list", "--json", "--state", "placed")
	here, _ := c.run(ExitOK, "calls", "list", "--json", "--state", "placed") // beside the process, read-only
	a, b := each[listed](t, there)[0], each[listed](t, here)[0]
	for _, at := range []*time.Time{&b.AcceptedAt, &b.PlacedAt, &b.FinalAt, &b.Due} { // the API writes milliseconds
		*at = at.Truncate(time.Millisecond)
	}
	if a != b || a.ClientToken == "" {
		t.Errorf("there %+v\nhere  %+v", a, b)
	}
	there, _ = c.asks(ExitOK, "calls", "list")
	here, _ = c.run(ExitOK, "calls", "list")
	for i, line := range strings.Split(there, "\n") {
		times := regexp.MustCompile(`in \S+`)
		if other := strings.Split(here, "\n")[i]; times.ReplaceAllString(line, "") != times.ReplaceAllString(other, "") {
			t.Errorf("there %s\nhere  %s", line, other)
		}
	}
	there, _ = c.asks(ExitOK, "calls", "show", short(a.ID))
	says(t, there, "call "+a.ID, "state placed", "1 attempt", "timeline", "1 delivery answered by this call without dialing")
	there, _ = c.asks(ExitOK, "calls", "show", a.ID, "--json")
	says(t, there, `"attempts":[{`, `"suppressed":{"count":1`)
	sameShown(t, there, first(c.run(ExitOK, "calls", "show", a.ID, "--json")))
	_, stderr := c.asks(ExitRefused, "calls", "show", "abcdefgh")
	says(t, stderr, "No call has this id.")
	c.asks(ExitUsage, "calls", "show", "abc")
	c.asks(ExitOK, "calls", "list", "--state", "failed")
	for n := 2; n <= 4; n++ {
		c.asks(ExitOK, "calls", "place", c.wishes(fmt.Sprintf("n-%d", n), fmt.Sprintf("+819000000%03d", n)))
	}
	there, _ = c.asks(ExitOK, "calls", "list", "--limit", "3")
	says(t, there, "there are more; --limit shows more than 3")
	there, _ = c.asks(ExitOK, "calls", "list", "--limit", "4")
	if strings.Contains(there, "there are more") || strings.Count(there, "\n") != 5 {
		t.Error(there)
	}
}

func TestThroughAServiceActsNeedNoStopOfTheProcess(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	c.run(ExitOK, "calls", "list") // reading is no act
	c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"))
	c.asks(ExitOK, "calls", "place", c.wishes("n-2", "+819000000002"))
	ids := c.ids()
	c.run(ExitEnvironment, "calls", "cancel", ids["n-1"]) // the ledger is the process's
	stdout, _ := c.asks(ExitOK, "calls", "cancel", short(ids["n-1"]))
	says(t, stdout, "withdrawn: nothing that was requested until now rings any more", "is canceled:")
	stdout, _ = c.asks(ExitOK, "calls", "acknowledge", ids["n-2"], "--json")
	says(t, stdout, `"state":"canceled"`)
	c.service.sweep()
	c.service.rang(0)

	c.asks(ExitOK, "calls", "place", c.wishes("n-3", "+819000000003"), "--wait", "10s")
	c.clock.advance(10 * time.Minute)
	c.service.sweep()
	id := c.ids()["n-3"]
	stdout, _ = c.asks(ExitOK, "calls", "recall", id, "--reason", "nobody heard it", "--json")
	again := each[recalled](t, stdout)[0]
	if again.Ring != 1 || again.Of != id {
		t.Errorf("%+v", again)
	}
	_, stderr := c.asks(ExitConflict, "calls", "recall", id, "--reason", "nobody heard it")
	says(t, stderr, "ringonce:")
	c.service.sweep()
	c.service.rang(2)
	stdout, _ = c.asks(ExitOK, "calls", "cancel", again.ID, "--json")
	says(t, stdout, rangBefore)
	shown, _ := c.asks(ExitOK, "calls", "show", id)
	says(t, shown, "rings of this key")
	_, stderr = c.asks(ExitUsage, "calls", "cancel", id, "--actor", "ann")
	says(t, stderr, "--actor is given, and a service knows by itself who asks.")
}

// ids returns the id of each notification's first ring.
func (c *counter) ids() map[string]string {
	c.t.Helper()
	stdout, _ := c.asks(ExitOK, "calls", "list", "--json")
	ids := map[string]string{}
	for _, l := range each[listed](c.t, stdout) {
		if l.Ring == 0 {
			ids[l.NotificationID] = l.ID
		}
	}
	return ids
}

func TestACallThatIsCanceledBesideALedgerDoesNotRing(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	first := d.held()[0].ID
	stdout, _ := d.run(ExitOK, "calls", "cancel", short(first), "--actor", "ann")
	says(t, stdout, "withdrawn: nothing that was requested until now rings any more", "is canceled:")
	d.clock.advance(time.Hour)
	d.request(ExitOK, "n-3", "+819000000003") // and a sweep
	if n := d.telephone.RingCount(); n != 2 { // this one, and the other that waited
		t.Errorf("%d rings, want those of the two others", n)
	}
}

func TestAWatchPrintsEachLineOnceUntilTheCallHasEnded(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"))
	id := c.ids()["n-1"]
	looks := 0
	c.before = func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/v1/calls/") {
			return false
		}
		switch looks++; looks {
		case 1: // the answer is lost
			panic(http.ErrAbortHandler)
		case 3:
			c.service.sweep()
		}
		return false
	}
	stdout, _ := c.asks(ExitOK, "calls", "watch", id)
	says(t, stdout, "is placed:")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	whole, _ := c.asks(ExitOK, "calls", "show", id, "--json")
	told := each[shown](t, whole)[0].Timeline
	if len(lines) != len(told)+1 {
		t.Fatalf("%d lines of %d:\n%s", len(lines)-1, len(told), stdout)
	}
	for i, line := range told {
		if !strings.Contains(lines[i], line.What) {
			t.Errorf("line %d is %q, not %q", i, lines[i], line.What)
		}
	}
	stdout, _ = c.asks(ExitOK, "calls", "watch", id, "--json")
	all := each[watchedLine](t, stdout)
	if last := all[len(all)-1]; len(all) != len(told)+1 || last.Call == nil || last.Call.State != "placed" {
		t.Errorf("%d lines, the last %+v", len(all), last)
	}
	c.before = nil
	c.asks(ExitOK, "calls", "place", c.wishes("n-2", "+819000000002"))
	c.asks(ExitOK, "calls", "cancel", c.ids()["n-2"])
	c.asks(ExitOK, "calls", "watch", c.ids()["n-2"])
}

func TestAnExportHoldsAllPagesAndNoFormula(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	api, err := client.New(c.url, client.WithToken(keyOfOlga))
	if err != nil {
		t.Fatal(err)
	}
	var (
		want   []string
		wishes []client.Request
	)
	for n := range 205 { // more than a page of the API
		want = append(want, fmt.Sprintf("=n-%d", n))
		wishes = append(wishes, client.Request{NotificationID: want[n], RecipientID: "user-1", DestinationPhoneNumber: fmt.Sprintf("+819000000%03d", n)})
	}
	if _, err := api.Batch(t.Context(), wishes); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	for name, run := range map[string]func(int, ...string) (string, string){"service": c.asks, "ledger": c.run} {
		stdout, _ := run(ExitOK, "calls", "export")
		var got []string
		for _, one := range each[exported](t, stdout) {
			got = append(got, one.NotificationID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %d calls, want %d", name, len(got), len(want))
		}
		stdout, _ = run(ExitOK, "calls", "export", "--csv")
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		if err != nil || len(rows) != len(want)+1 || !slices.Equal(rows[0], exportColumns) {
			t.Fatalf("%s: %v, %d rows", name, err, len(rows))
		}
		for _, row := range rows[1:] {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
					t.Fatalf("%s: the cell %q is a formula", name, cell)
				}
			}
		}
		stdout, _ = run(ExitOK, "calls", "export", "--csv", "--before", "2001-01-01T00:00:00Z")
		if strings.Count(stdout, "\n") != 1 {
			t.Errorf("%s: %s", name, stdout)
		}
	}
	for cell, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta", "a=1": "a=1", "": ""} {
		if got := noFormula(cell); got != want {
			t.Errorf("%q becomes %q", cell, got)
		}
	}
}

func TestAServiceThatHasNoTimeIsAskedAgain(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"))
	asked := 0
	c.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if asked++; asked > 1 {
			return false
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = fmt.Fprint(w, `{"type":"urn:ringonce:problem:rate_limited","title":"Too Many Requests","status":429,"code":"rate_limited","detail":"Too many.","fix":"Wait."}`)
		return true
	}
	stdout, _ := c.asks(ExitOK, "calls", "list")
	says(t, stdout, "n-1")
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	asked = 0
	_, stderr := c.asks(ExitEnvironment, "calls", "place", c.wishes("n-1", "+819000000001"))
	says(t, stderr, "Too many. Wait.")
}

func TestAnAnswerThatIsLostIsToldAsSuchAndTheSameRequestRingsOnce(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	file := c.wishes("n-1", "+819000000001")
	_, stderr := c.runs(ExitEnvironment, c.losing(), "calls", "place", file, "--wait", "5s")
	says(t, stderr, "Whether the request arrived is not known. Send it again as it is")
	c.service.rang(1)
	stdout, _ := c.asks(ExitOK, "calls", "place", file, "--wait", "5s")
	says(t, stdout, "duplicate:")
	c.service.rang(1)
}

func TestWhoAsksAServiceIsToldWhatIsWrongWithTheArguments(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	gone := filepath.Join(c.dir, "gone")
	two := c.write("two", "a b")
	wrong := c.write("wrong", "other")
	list := []string{"calls", "list"}
	for _, x := range []struct {
		code int
		env  map[string]string
		args []string
		says string
	}{
		{ExitUsage, nil, list, "This command needs a configuration."},
		{ExitUsage, nil, []string{"calls", "place"}, "The command calls place asks a service, and none is named."},
		{ExitUsage, nil, []string{"calls", "watch", "abcdef"}, "asks a service, and none is named."},
		{ExitUsage, nil, append(list, "--server", "calls.example.org"), "--server is no address of a service."},
		{ExitUsage, map[string]string{ServerVariable: "ftp://x"}, list, ServerVariable + " is no address of a service."},
		{ExitUsage, nil, append(list, "--server", "https://olga:secret@calls.example.org"), "--server holds a name or a password."},
		{ExitUsage, nil, append(list, "--server", "http://calls.example.org"), "so phone numbers would travel in the clear. Use https."},
		{ExitUsage, nil, append(list, "--server", c.url, "--config", c.config), "--server and --config are both given."},
		{ExitUsage, nil, append(list, "--api-key-file", c.key), "--api-key-file is given without a service."},
		{ExitUsage, nil, append(list, "--server", c.url, "--api-key-file", gone), "The file of --api-key-file cannot be read: no such file or directory."},
		{ExitUsage, map[string]string{KeyVariable: two}, append(list, "--server", c.url), "The file of RINGONCE_API_KEY_FILE holds no API key."},
		{ExitUsage, nil, append(list, "--server", c.url), "The request has no usable credential. Send one."},
		{ExitUsage, nil, append(list, "--server", c.url, "--api-key-file", wrong), "The request has no usable credential."},
		{ExitUsage, nil, []string{"calls", "forget", "user-1", "--reason", "asked", "--server", c.url}, "A service forgets nobody."},
		{ExitEnvironment, nil, append(list, "--server", "http://127.0.0.1:1"), "The service at http://127.0.0.1:1 cannot be asked:"},
	} {
		_, stderr := c.runs(x.code, x.env, x.args...)
		says(t, stderr, x.says)
	}
	for _, x := range []struct {
		code int
		text string
		args []string
		says string
	}{
		{ExitUsage, `{"notificationId":"n","destinationPhonenumber":"+819000000001"}`, nil, "no JSON object of the members that are known at destinationPhonenumber."},
		{ExitUsage, `{"notificationId":"n","notificationId":"m"}`, nil, "no JSON object of the members that are known"},
		{ExitUsage, `{"notificationId":"n","destinationPhoneNumber":819000000001}`, nil, "at destinationPhoneNumber."},
		{ExitUsage, `["+819000000001"`, nil, "no JSON object of the members that are known"},
		{ExitUsage, `{"notificationId":"n"}`, []string{"--notification-id", "m"}, "--notification-id is not what the request says."},
		{ExitUsage, `{}`, []string{"--wait", "2h"}, "--wait is not between"},
		{ExitRefused, `{"notificationId":"n","recipientId":"u"}`, nil, "destinationPhoneNumber"},
	} {
		c.stdin = x.text
		_, stderr := c.asks(x.code, append([]string{"calls", "place", "-"}, x.args...)...)
		says(t, stderr, x.says)
	}
	c.asks(ExitEnvironment, "calls", "place", gone)
	c.service.rang(0)
}

func TestNeitherTheKeyNorARequestFollowsAServiceElsewhere(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	visited := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited = true }))
	t.Cleanup(elsewhere.Close)
	c.before = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		return true
	}
	c.asks(ExitEnvironment, "calls", "place", c.wishes("n-1", "+819000000001"))
	if visited {
		t.Error("the redirect was followed")
	}
}

func TestAConfigurationInTheArgumentsIsNearerThanAServiceInAVariable(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	stdout, _ := c.runs(ExitOK, map[string]string{ServerVariable: "http://127.0.0.1:1"}, "--config", c.config, "calls", "list")
	says(t, stdout, "no calls")
	if _, err := os.Stat(c.config); err != nil {
		t.Fatal(err)
	}
}

func first(stdout, _ string) string { return stdout }

// sameShown compares what a service shows of a call with what its ledger does: the same members, and the same values but for what is below a millisecond, the
// full text of a delivery and the name of a default profile.
func sameShown(t *testing.T, there, here string) {
	t.Helper()
	fine := regexp.MustCompile(`(\.\d{3})\d+Z`)
	zeros := regexp.MustCompile(`(:\d\d)\.000Z|(\.\d*[1-9])0+Z`)
	var a, b map[string]any
	for text, into := range map[string]*map[string]any{there: &a, here: &b} {
		text = zeros.ReplaceAllString(fine.ReplaceAllString(text, "${1}Z"), "${1}${2}Z")
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []map[string]any{a, b} {
		suppressed, _ := m["suppressed"].(map[string]any)
		delete(suppressed, "kept")
		delete(m, "profile") // the service tells the default by its name
	}
	for name := range b {
		if !reflect.DeepEqual(a[name], b[name]) {
			t.Errorf("%s\nthere %v\nhere  %v", name, a[name], b[name])
		}
	}
	if len(a) != len(b) {
		t.Errorf("there %d members, here %d", len(a), len(b))
	}
}

//go:build integration

package emutest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

var start = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// noSink takes events and forgets them; the emulator's log of them is what the page shows.
type noSink struct{}

// Deliver implements connectemu.EventSink.
func (noSink) Deliver(context.Context, connectemu.Event) error { return nil }

const alarm = "+819000000091" // rings until somebody answers

// wrong is what a page shows that the emulator does not confirm. The page must have been read while nothing happened.
func wrong(seen shown, emulator *connectemu.Server) []string {
	var found []string
	want := func(what string, got, want any) {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			found = append(found, fmt.Sprintf("%s: the page shows %v, it is %v", what, got, want))
		}
	}
	states := map[string]string{}
	ringing, answered, rings := 0, 0, map[string]int{}
	var contacts []string
	for _, c := range emulator.Contacts() {
		rings[c.Number]++
		contacts = append([]string{c.ID}, contacts...)
		switch c.State {
		case connectemu.StateInitiated:
			ringing++
			states[c.Number] = "ringing"
		case connectemu.StateConnected:
			answered++
			states[c.Number] = "answered"
		case connectemu.StateDisconnected:
			states[c.Number] = "quiet"
		}
	}
	for number := range emulator.Phones() {
		if states[number] == "" {
			states[number] = "quiet"
		}
	}
	want("rings", seen.Rings, emulator.RingCount())
	want("ringing", seen.Ringing, ringing)
	want("answered", seen.Answered, answered)
	want("contacts", seen.Contacts, contacts)
	got := map[string]string{}
	for _, p := range seen.Phones {
		got[p.Number] = p.State
		times := map[int]string{0: "never rang", 1: "rang once"}[rings[p.Number]]
		if times == "" {
			times = "rang " + strconv.Itoa(rings[p.Number]) + " times"
		}
		want("rings of "+p.Number, strings.HasPrefix(p.Rang, times), true)
		want("word and icon of "+p.Number, fmt.Sprint(p.Word, p.Icon), p.State+"true")
	}
	if !maps.Equal(got, states) {
		want("phones", got, states)
	}
	for _, token := range seen.Tokens {
		want(fmt.Sprintf("rings of token %v", token[0]), token[1], len(emulator.RingsByToken(fmt.Sprint(token[0]))))
	}
	want("controls without a name", seen.Nameless, 0)
	return found
}

func TestThePageRingsAnswersAndHangsUp(t *testing.T) {
	emulator, url := page(t)
	seen := browse(t, "withScript", url, emulator)
	if n := emulator.RingCount(); n != 5 {
		t.Errorf("%d rings, want 5", n)
	}
	if seen.Ringing.Rings != 2 || seen.Ringing.Ringing != 2 || seen.Answered.Ringing != 1 || seen.Answered.Answered != 1 {
		t.Errorf("counts: %+v, then %+v", seen.Ringing, seen.Answered)
	}
	colors := map[string]bool{}
	for _, p := range append(seen.Answered.Phones, seen.End.Phones...) {
		colors[p.State+p.Color] = true
	}
	if len(colors) != 3 {
		t.Errorf("colors of the states: %v", colors)
	}
	if seen.Focused != "Answer "+alarm || seen.FocusKept != "Hang up "+alarm || seen.StillHere != url+"/" {
		t.Errorf("keyboard: %q, then %q at %s", seen.Focused, seen.FocusKept, seen.StillHere)
	}
	if !strings.Contains(seen.Problem, `fault "place-then-nothing" is unknown`) || seen.Kept != "lose-event; place-then-nothing" {
		t.Errorf("a bad plan: %q, kept %q", seen.Problem, seen.Kept)
	}
	if got := fmt.Sprint(seen.End.Rules); got != "[[place-then-500 nth=9 0] [lose-event event=COMPLETED 2]]" {
		t.Errorf("rules: %s", got)
	}
	if seen.Overflow > 0 || !seen.Paused || !strings.Contains(seen.Empty, "No phone has rung yet.") {
		t.Errorf("%d pixels too wide; paused: %t; empty: %q", seen.Overflow, seen.Paused, seen.Empty)
	}
	for _, complaint := range seen.Complaints {
		if !strings.Contains(complaint, "409") { // the answer to the bad plan
			t.Errorf("the browser complains: %s", complaint)
		}
	}
	if emulator.Phones()["+447700900001"] != connectemu.FateVoicemail {
		t.Errorf("phones: %v", emulator.Phones())
	}
	contact := emulator.Contacts()[0]
	if contact.DisconnectReason != "CUSTOMER_DISCONNECT" || contact.ConnectedAt.IsZero() {
		t.Errorf("the call that was answered by hand: %+v", contact)
	}
}

func TestThePageWorksWithoutScript(t *testing.T) {
	emulator, url := page(t)
	seen := browse(t, "withoutScript", url, emulator)
	if seen.Refresh != "3" || seen.PausedRefresh != 0 {
		t.Errorf("refresh %q, paused %d", seen.Refresh, seen.PausedRefresh)
	}
	if !strings.Contains(seen.Problem, "slow has no delay") || seen.Kept != "slow" || seen.Plan != "throttle nth=9" || seen.URL != url+"/?pause=1" {
		t.Errorf("%+v", seen)
	}
	if got := emulator.Contacts()[0].DisconnectReason; got != "CUSTOMER_DISCONNECT" {
		t.Errorf("ended for %q", got)
	}
}

func TestThePageShowsWhatIs(t *testing.T) {
	emulator, url := page(t)
	busyHour(t, emulator)
	seen := browse(t, "look", url, emulator)
	for _, lie := range wrong(seen.End, emulator) {
		t.Error(lie)
	}
	if seen.End.Twice != 1 || len(seen.Complaints) > 0 {
		t.Errorf("%d tokens rang twice; complaints %q", seen.End.Twice, seen.Complaints)
	}
}

// TestAPageThatLiesIsSeen plants pages that show what is not so; the browser sees them and the check has to.
func TestAPageThatLiesIsSeen(t *testing.T) {
	emulator, address := page(t)
	busyHour(t, emulator)
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	plant := [2]string{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			return err
		}
		lie := regexp.MustCompile(plant[0]).ReplaceAllString(string(body), plant[1])
		if lie == string(body) {
			t.Errorf("%q is not in the page", plant[0])
		}
		r.Body = io.NopCloser(strings.NewReader(lie))
		r.Header.Set("Content-Length", strconv.Itoa(len(lie)))
		r.ContentLength = int64(len(lie))
		return nil
	}
	liar := httptest.NewServer(proxy)
	t.Cleanup(liar.Close)
	for name, p := range map[string][2]string{
		"a ring too few":   {`<dd id="rings">\d+`, `<dd id="rings">1`},
		"a phone is quiet": {`data-state="ringing"`, `data-state="quiet"`},
		"a token rang once": {
			`(?s)(<tr class="bad" data-rings="2"><td><code>twice</code></td><td>.*?</svg> )2`, "${1}1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			plant = p
			if len(wrong(browse(t, "look", liar.URL, emulator).End, emulator)) == 0 {
				t.Error("it was not seen")
			}
		})
	}
}

// busyHour leaves phones in every state, and a token that rang twice.
func busyHour(t *testing.T, emulator *connectemu.Server) {
	t.Helper()
	clock, ok := emulator.Config().Clock.(connectemu.Mover)
	if !ok {
		t.Fatal("the clock cannot be moved")
	}
	for range 2 {
		ringWith(t, emulator, "+12025550190", "twice")
		clock.Advance(time.Minute)
	}
	ring(t, emulator, "+819000000001")
	clock.Advance(10 * time.Second)
	ring(t, emulator, alarm)
	if err := emulator.SetPhone("+447700900001", connectemu.FateBarged); err != nil {
		t.Fatal(err)
	}
}

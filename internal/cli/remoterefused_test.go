package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// actsThere are the commands that act through a service, of the smallest role that may.
var actsThere = map[string][]string{
	"olga": {
		"doubt close ID --note x", "doubt close ID --contact-id x", "doubt close ID --recall --reason x --although-it-may-have-rung", "held release ID --reason x", "held drop ID --reason x",
		"pause --all --reason x", "resume --all --reason x",
	},
	"ada": {"dnc add +819000000001 --reason x", "dnc rm +819000000001 --reason x"},
}

// looksThere are the commands that look, which the smallest role of an operator may.
var looksThere = []string{"doubt list", "doubt show ID", "held list", "pause --list", "dnc list", "dnc check +819000000001"}

func TestWhoMayNotActThroughAServiceIsRefusedAndNothingIsDone(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	c := counterOf(t, d)
	words := func(line string) []string { return strings.Fields(strings.ReplaceAll(line, "ID", id)) }
	for role, lines := range actsThere {
		for _, line := range lines {
			refused := []string{"rae"}
			if role == "ada" {
				refused = []string{"rae", "olga", "shop"}
			}
			for _, who := range refused {
				_, stderr := c.as(who).asks(ExitRefused, words(line)...)
				says(t, stderr, "Your role does not allow this.")
			}
		}
	}
	for _, line := range looksThere {
		c.as("rae").asks(ExitOK, words(line)...)
		switch p := c.as("shop").there(words(line)...); {
		case strings.HasPrefix(line, "doubt list"), strings.HasPrefix(line, "held"):
			if p.code != ExitOK || strings.Contains(p.stdout, "n-1") {
				t.Errorf("%s as the producer of another key space: %+v", line, p)
			}
		case strings.HasPrefix(line, "doubt show"):
			says(t, p.stderr, "No call has this id.")
		default:
			says(t, p.stderr, "Your role does not allow this.")
		}
	}
	c.as("olga")
	stdout, _ := c.asks(ExitOK, "doubt", "show", id)
	if strings.Contains(stdout, "notes") {
		t.Errorf("a note was written: %s", stdout)
	}
	stdout, _ = c.asks(ExitOK, "pause", "--list")
	says(t, stdout, "nothing is paused")
	stdout, _ = c.asks(ExitOK, "dnc", "list", "--removed")
	says(t, stdout, "the do-not-call list is empty")
	c.service.rang(1)
	c.asks(ExitOK, "pause", "--all", "--reason", "x") // the check sees an act of who may
	if stdout, _ = c.asks(ExitOK, "pause", "--list"); !strings.Contains(stdout, "every call") {
		t.Error(stdout)
	}
}

func TestEveryCommandThroughAServiceSaysWhatIsWrongWithTheServiceOrTheArguments(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	c := counterOf(t, d)
	wrong := c.write("wrong", "nobody-s")
	for _, line := range append(append(append([]string{}, looksThere...), actsThere["olga"]...), actsThere["ada"]...) {
		words := strings.Fields(strings.ReplaceAll(line, "ID", id))
		ask := func(want int, sentence string, env map[string]string, more ...string) {
			t.Helper()
			_, stderr := c.runs(want, env, append(append([]string{}, words...), more...)...)
			says(t, stderr, sentence)
		}
		away := map[string]string{ServerVariable: "http://127.0.0.1:1", KeyVariable: c.key}
		ask(ExitEnvironment, "The service at http://127.0.0.1:1 cannot be asked:", away)
		ask(ExitEnvironment, "The service at http://127.0.0.1:1 cannot be asked:", nil, "--server", "http://127.0.0.1:1", "--api-key-file", c.key)
		ask(ExitUsage, "The request has no usable credential.", map[string]string{ServerVariable: c.url, KeyVariable: wrong})
		ask(ExitUsage, "This command needs a configuration.", nil)
		ask(ExitUsage, "--server and --config are both given.", nil, "--server", c.url, "--config", c.config)
		if strings.Contains(line, "--reason") || strings.Contains(line, "--note") || strings.Contains(line, "--contact-id") {
			ask(ExitUsage, "--actor is given, and a service knows by itself who asks.", away, "--actor", "kim")
		}
	}
	for _, line := range []string{"doubt show", "doubt close --note x", "doubt close --contact-id x", "held release --reason x", "held drop --reason x"} {
		for unknown, want := range map[string]int{strings.Repeat("A", fullID): ExitRefused, "AAAAAAAA": ExitRefused, "AAA": ExitUsage} {
			_, stderr := c.asks(want, append(strings.Fields(line), unknown)...)
			says(t, stderr, map[int]string{ExitRefused: "No call has this id. List the calls with ringonce calls list.", ExitUsage: "is no id of a call."}[want])
		}
	}
	c.service.rang(1)
}

func TestAnActWhoseAnswerIsLostMayBeAskedForAgainAndIsDoneOnce(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "").as("ada")
	lose := func(args ...string) {
		t.Helper()
		_, stderr := c.runs(ExitEnvironment, c.losing(), args...)
		says(t, stderr, "cannot be asked:")
	}
	lose("pause", "--all", "--reason", "drill")
	stdout, _ := c.asks(ExitOK, "pause", "--all", "--reason", "again")
	says(t, stdout, "was paused already: every call", ": drill (by ada)")
	c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"))
	c.clock.advance(2 * time.Second) // until the pause is known everywhere
	c.service.sweep()
	lose("resume", "--all", "--reason", "over")
	_, stderr := c.asks(ExitRefused, "resume", "--all", "--reason", "over")
	says(t, stderr, "Every call is not paused.")
	c.clock.advance(2 * time.Second)
	id := c.ids()["n-1"]
	c.service.rang(0)
	lose("held", "release", id, "--reason", "it is urgent")
	c.service.rang(1)
	_, stderr = c.asks(ExitRefused, "held", "release", id, "--reason", "it is urgent")
	says(t, stderr, "The call is not held: it is placed.")
	c.service.sweep()
	c.service.rang(1)
	lose("dnc", "add", "+819000000002", "--reason", "they asked")
	stdout, _ = c.asks(ExitOK, "dnc", "add", "+819000000002", "--reason", "once more", "--json")
	if n := each[dncAnswer](t, stdout)[0]; n.Changed || !n.Listed || n.Reason != "they asked" {
		t.Errorf("%+v", n)
	}
}

func TestALongListOfNumbersDoesNotEndWhereTheServiceHasNoTime(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "").as("ada")
	asked := 0
	c.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if asked++; asked != 2 {
			return false
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = fmt.Fprint(w, `{"type":"urn:ringonce:problem:rate_limited","title":"Too Many Requests","status":429,"code":"rate_limited","detail":"Too many.","fix":"Wait."}`)
		return true
	}
	c.stdin = "+819000000001\n+819000000002\n+819000000003\n"
	stdout, _ := c.asks(ExitOK, "dnc", "add", "--reason", "they asked", "--json")
	if all := each[dncAnswer](t, stdout); len(all) != 3 || asked != 4 || !all[1].Changed {
		t.Errorf("%d requests, %+v", asked, all)
	}
	c.asks(ExitOK, "pause", "--all", "--reason", "x")
	asked = 1
	_, stderr := c.asks(ExitEnvironment, "resume", "--all", "--reason", "x") // no list: its user decides
	says(t, stderr, "Too many. Wait.")
}

func TestTheDoNotCallListOfAServiceIsReadPageByPage(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "").as("ada")
	var lines strings.Builder
	for n := range dncPage + 5 {
		fmt.Fprintf(&lines, "+819000000%03d\n", n)
	}
	c.stdin = lines.String()
	c.run(ExitOK, "dnc", "add", "--reason", "they asked")
	asked := 0
	c.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if asked++; asked != 2 { // the second page is asked for twice, and printed once
			return false
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprint(w, `{"type":"urn:ringonce:problem:overloaded","title":"Service Unavailable","status":503,"code":"overloaded","detail":"Too many.","fix":"Wait."}`)
		return true
	}
	stdout, _ := c.asks(ExitOK, "dnc", "list", "--json")
	here, _ := c.run(ExitOK, "dnc", "list", "--json")
	if asked != 3 || partOfSecond.ReplaceAllString(stdout, "Z") != partOfSecond.ReplaceAllString(here, "Z") || len(each[dncAnswer](t, stdout)) != dncPage+5 {
		t.Errorf("%d requests, %d lines", asked, strings.Count(stdout, "\n"))
	}
	stdout, _ = c.asks(ExitOK, "dnc", "list", "--limit", fmt.Sprint(dncPage+1))
	says(t, stdout, "there are more; --limit shows more than 201")
}

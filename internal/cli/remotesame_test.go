package cli

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
)

// printed is everything that a command line came to.
type printed struct {
	code           int
	stdout, stderr string
}

// here runs a command line on the ledger of the desk, whatever it ends with.
func (d *desk) here(args ...string) printed {
	return d.ends(Process{Args: append([]string{"--config", d.config}, args...), LookupEnv: app.LookupNothing})
}

// there runs a command line against the service, whatever it ends with.
func (c *counter) there(args ...string) printed {
	env := map[string]string{ServerVariable: c.url, KeyVariable: c.key}
	return c.ends(Process{Args: args, LookupEnv: func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}})
}

func (d *desk) ends(p Process) printed {
	d.t.Helper()
	var out, told bytes.Buffer
	p.Stdin, p.Stdout, p.Stderr, p.Clock, p.Random, p.Stores = strings.NewReader(d.stdin), &out, &told, d.clock, rand.Reader, stores.All()
	code := p.Run(d.t.Context())
	return printed{code, out.String(), told.String()}
}

var (
	partOfSecond = regexp.MustCompile(`\.\d+Z`)
	instants     = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	waits        = regexp.MustCompile(`in \d\S*`)
	uuids        = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	spaces       = regexp.MustCompile(` +`)
)

// ofOneLedger leaves out what two looks at one ledger may differ in: the API writes whole seconds, and time passes.
func ofOneLedger(p printed) printed {
	cut := func(s string) string {
		return spaces.ReplaceAllString(waits.ReplaceAllString(partOfSecond.ReplaceAllString(s, "Z"), "in _"), " ")
	}
	return printed{p.code, cut(p.stdout), cut(p.stderr)}
}

// ofTwins leaves out what the same acts on two ledgers may differ in besides: when they were done, and the ids that Amazon Connect makes.
func ofTwins(p printed) printed {
	cut := func(s string) string {
		return uuids.ReplaceAllString(instants.ReplaceAllString(s, "TIME"), "CONTACT")
	}
	p = printed{p.code, cut(p.stdout), cut(p.stderr)}
	return ofOneLedger(p)
}

// keeping is a desk with a doubt, three held calls of two reasons, a pause, and a do-not-call list.
func keeping(t *testing.T) (d *desk, doubtID string) {
	t.Helper()
	d, doubtID = doubted(t)
	d.run(ExitInDoubt, "doubt", "close", doubtID, "--note", "they do not remember", "--actor", "kim")
	d.run(ExitOK, "pause", "--prefix", "+44", "--reason", "looks like fraud", "--actor", "kim")
	d.request(ExitOK, "h-1", "+447700900001")
	d.request(ExitOK, "h-2", "+447700900002")
	d.run(ExitOK, "pause", "--profile", "alert", "--reason", "the texts are wrong", "--actor", "kim")
	d.request(ExitOK, "h-3", "+819000000003")
	d.run(ExitOK, "dnc", "add", "+819000000011", "--reason", "they asked", "--actor", "kim")
	d.run(ExitOK, "dnc", "add", "+819000000012", "--reason", "a register", "--source", "register")
	d.run(ExitOK, "dnc", "rm", "+819000000012", "--reason", "they want calls", "--actor", "lee")
	return d, doubtID
}

func TestLookingThroughAServiceAndBesideItsLedgerPrintsTheSame(t *testing.T) {
	t.Parallel()
	d, id := keeping(t)
	held := d.held()
	if len(held) != 3 {
		t.Fatalf("%+v", held)
	}
	c := counterOf(t, d).as("rae")
	for _, args := range []string{
		"doubt list", "doubt list --json", "doubt list --profile other", "doubt list --limit 1", "doubt list --limit 0",
		"doubt show " + id, "doubt show " + short(id) + " --json", "doubt show " + held[0].ID, "doubt show AAAAAAAAA", "doubt show AAA",
		"held list", "held list --json", "held list --summary", "held list --summary --json", "held list --limit 1", "held list --limit 1 --json", "held list --limit 0",
		"held list --reason paused_prefix", "held list --reason paused_prefix --reason paused_profile --json", "held list --reason other", "held list --profile other --json",
		"held list --profile alert --limit 20000",
		"pause --list", "pause --list --json",
		"dnc list", "dnc list --json", "dnc list --removed", "dnc list --removed --json", "dnc list --removed --limit 1",
		"dnc check +819000000011 +819000000012 +819000000013", "dnc check --json +819000000011 +819000000012 +819000000013", "dnc check +819000000013", "dnc check 819",
	} {
		here, there := ofOneLedger(d.here(strings.Fields(args)...)), ofOneLedger(c.there(strings.Fields(args)...))
		if here != there {
			t.Errorf("%s\nhere  %d\n%s%s\nthere %d\n%s%s", args, here.code, here.stdout, here.stderr, there.code, there.stdout, there.stderr)
		}
		if here.stdout+here.stderr == "" && !strings.Contains(args, "--json") {
			t.Errorf("%s prints nothing", args)
		}
	}
	if all := c.there("held", "list", "--json"); all.code != ExitOK || len(each[heldCall](t, all.stdout)) != 3 {
		t.Errorf("%+v", all) // both would be the same with nothing
	}
	c.service.rang(1)
}

// twins are two desks of the same doings, one of which a service is asked about.
func twins(t *testing.T, make func(t *testing.T) *desk) (here *desk, there *counter) {
	t.Helper()
	here, there = make(t), counterOf(t, make(t)).as("ada")
	return here, there
}

// agree runs the same acts here, as ada, and there.
func agree(t *testing.T, here *desk, there *counter, acts []string) {
	t.Helper()
	for _, act := range acts {
		args := splitWords(act)
		a, b := ofTwins(here.here(append(args, "--actor", "ada")...)), ofTwins(there.there(args...))
		if a != b {
			t.Errorf("%s\nhere  %d\n%s%s\nthere %d\n%s%s", act, a.code, a.stdout, a.stderr, b.code, b.stdout, b.stderr)
		}
		if a.stdout+a.stderr == "" {
			t.Errorf("%s prints nothing", act)
		}
	}
	if a, b := here.telephone.RingCount(), there.telephone.RingCount(); a != b {
		t.Errorf("%d rings here, %d there", a, b)
	}
}

// splitWords splits at spaces; a tilde stands for one within a word.
func splitWords(s string) []string {
	words := strings.Fields(s)
	for i := range words {
		if !strings.HasPrefix(words[i], "-") {
			words[i] = strings.ReplaceAll(words[i], "~", " ")
		}
	}
	return words
}

func TestClosingADoubtThroughAServiceAndOnALedgerPrintsTheSame(t *testing.T) {
	t.Parallel()
	var ids, contacts []string
	here, there := twins(t, func(t *testing.T) *desk {
		d, id := doubted(t)
		ids, contacts = append(ids, id), append(contacts, d.telephone.Contacts()[0].ID)
		return d
	})
	if ids[0] != ids[1] {
		t.Fatalf("the same call has the ids %v", ids)
	}
	id := ids[0]
	agree(t, here, there, []string{
		"doubt close " + id, "doubt close " + id + " --recall", "doubt close AAAAAAAA --note x", "doubt close AAA --note x",
		"doubt close " + id + " --note they~do~not~remember", "doubt close " + short(id) + " --note again --json",
		"doubt close " + id + " --contact-id 11111111-2222-4333-8444-999999999999 --reason found",
		"doubt close " + id + " --recall --reason they~wait",
		"doubt close " + id + " --recall --reason they~wait --not-after soon --although-it-may-have-rung",
		"doubt close " + id + " --recall --reason they~wait --although-it-may-have-rung",
		"doubt close " + id + " --recall --reason they~wait --although-it-may-have-rung",
	})
	for i, run := range []func(...string) printed{here.here, there.there} {
		for j, args := range [][]string{{"--reason", "found by its number"}, {}, {"--json"}} {
			args = append([]string{"doubt", "close", id, "--contact-id", contacts[i]}, args...)
			if i == 0 {
				args = append(args, "--actor", "ada")
			}
			p := run(args...)
			want := []string{"Amazon Connect confirms the contact", "it was closed already by this contact", `"closed":true,"contactId":"` + contacts[i] + `","actor":"ada"`}[j]
			if says(t, p.stdout, want); p.code != ExitOK {
				t.Errorf("%v: %d %s", args, p.code, p.stderr)
			}
		}
	}
	agree(t, here, there, []string{"doubt close " + id + " --note late", "doubt close " + id + " --recall --reason x --although-it-may-have-rung"})
	for _, args := range [][]string{{"doubt", "show", id}, {"doubt", "show", id, "--json"}} {
		if a, b := ofOneLedger(there.here(args...)), ofOneLedger(there.there(args...)); a != b {
			t.Errorf("here  %d\n%s%s\nthere %d\n%s%s", a.code, a.stdout, a.stderr, b.code, b.stdout, b.stderr)
		} else {
			says(t, a.stdout, "person", "found by its number")
		}
	}
	there.service.rang(2)
}

func TestActingOnHeldCallsThroughAServiceAndOnALedgerPrintsTheSame(t *testing.T) {
	t.Parallel()
	here, there := twins(t, func(t *testing.T) *desk {
		d := newDesk(t, "")
		d.request(ExitOK, "n-0", "+819000000009") // makes the ledger
		d.run(ExitOK, "pause", "--profile", "alert", "--reason", "the texts are wrong", "--actor", "kim")
		d.request(ExitOK, "n-1", "+819000000001")
		d.request(ExitOK, "n-2", "+819000000002")
		d.request(ExitOK, "n-3", "+819000000003")
		return d
	})
	ids := map[string]string{}
	for _, h := range here.held() {
		ids[h.NotificationID] = h.ID
	}
	there.faults("throttle times=1")
	here.faults("throttle times=1")
	agree(t, here, there, []string{
		"held release " + ids["n-1"], "held release AAAAAAAA --reason x", "held release AAA --reason x", "held drop AAAAAAAA --reason x",
		"held release " + ids["n-1"] + " --reason the~boiler~leaks", // it is throttled
		"held release " + short(ids["n-2"]) + " --reason the~boiler~leaks", "held release " + ids["n-2"] + " --reason me~too --json",
		"held drop " + ids["n-3"] + " --reason they~called~back --json", "held drop " + ids["n-3"] + " --reason again", "held drop " + ids["n-2"] + " --reason again",
		"held release " + ids["n-3"] + " --reason again",
	})
	there.service.rang(2)
	stdout, _ := there.asks(ExitOK, "calls", "show", ids["n-2"])
	says(t, stdout, "urgent released by ada", "the boiler leaks (by ada)")
}

func TestPausesAndTheDoNotCallListThroughAServiceAndOnALedgerPrintTheSame(t *testing.T) {
	t.Parallel()
	here, there := twins(t, func(t *testing.T) *desk {
		d := newDesk(t, "")
		d.request(ExitOK, "n-0", "+819000000009")
		d.write("numbers", "+819000000001\n+819000000002\n")
		d.stdin = "+819000000001\n+819000000003\n"
		return d
	})
	agree(t, here, there, []string{
		"pause --reason x", "pause --all", "pause --profile other --reason x", "pause --prefix 8190 --reason x", "resume --all",
		"pause --profile alert --reason a~flood", "pause --profile alert --reason me~too", "pause --profile alert --reason me~too --json", "pause --all --reason drill --json",
		"pause --prefix +8190 --reason fraud", "resume --prefix +8190 --reason checked --json", "resume --prefix +8190 --reason again", "resume --profile other --reason x",
		"resume --all --reason over", "resume --all --reason over", "resume --profile alert --reason over",
		"dnc add --reason they~asked", "dnc add --reason once~more --source register --json", "dnc add", "dnc add 819 --reason x", "dnc rm --reason they~want~calls",
		"dnc rm --reason they~want~calls --json", "dnc add --reason a~complaint",
	})
	for _, args := range [][]string{{"dnc", "list", "--removed"}, {"dnc", "list", "--json"}, {"pause", "--list"}} {
		if a, b := ofTwins(here.here(args...)), ofTwins(there.there(args...)); len(a.stdout) == 0 || a.code != b.code || !sameLines(a.stdout, b.stdout) {
			t.Errorf("here  %d\n%s%s\nthere %d\n%s%s", a.code, a.stdout, a.stderr, b.code, b.stdout, b.stderr)
		}
	}
}

// sameLines compares texts whatever the order of their lines: the list is kept under hashes with a secret.
func sameLines(a, b string) bool {
	sorted := func(s string) []string { return slices.Sorted(strings.SplitSeq(s, "\n")) }
	return slices.Equal(sorted(a), sorted(b))
}

func TestTheComparisonOfTwoAnswersSeesWhatDiffers(t *testing.T) {
	t.Parallel()
	is := printed{ExitInDoubt, "call abc is in_doubt since 2026-11-29T03:31:00.001Z, next in 23m12s\n", ""}
	same := printed{ExitInDoubt, "call abc is in_doubt since 2026-11-29T03:31:00.999Z, next in 23m11s\n", ""}
	if ofOneLedger(is) != ofOneLedger(same) {
		t.Errorf("%+v\n%+v", ofOneLedger(is), ofOneLedger(same))
	}
	for _, other := range []printed{
		{ExitRefused, is.stdout, ""},
		{is.code, is.stdout, "ringonce: warning"},
		{is.code, strings.Replace(is.stdout, "in_doubt", "placed", 1), ""},
		{is.code, strings.Replace(is.stdout, "03:31:00.001Z", "03:31:01.001Z", 1), ""},
		{is.code, strings.Replace(is.stdout, "in 23m12s", "none planned", 1), ""},
		{is.code, is.stdout + "\n", ""},
	} {
		if ofOneLedger(is) == ofOneLedger(other) {
			t.Errorf("%+v is taken for the same", other)
		}
	}
	if !sameLines("a\nb\n", "b\na\n") || sameLines("a\nb\n", "a\na\n") {
		t.Error("the order of lines counts, or the lines do not")
	}
}

package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSuppressedDeliveriesAreListedAlikeBesideTheLedgerAndThroughTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	for _, notification := range []string{"n-1", "n-2"} {
		d.request(ExitOK, notification, "+819000000001")
		d.again(ExitOK, notification)
	}
	d.again(ExitOK, "n-1")
	c := counterOf(t, d)
	for range 2 { // the service's own, which its process has not closed yet
		c.asks(ExitOK, "calls", "place", c.wishes("n-3", "+819000000003"), "--wait", "10s")
	}
	if _, err := c.service.App.Store.Journal.Notes(t.Context(), c.ids()["n-3"]); err != nil { // which waits until they are kept
		t.Fatal(err)
	}
	id := c.ids()["n-1"]
	tomorrow, yesterday := d.clock.Now().Add(24*time.Hour).Format(time.RFC3339), d.clock.Now().Add(-24*time.Hour).Format(time.RFC3339)
	for args, want := range map[string]string{
		"": "n-3 n-1 n-2 n-1", id: "n-1 n-1", short(id): "n-1 n-1", id + " --limit 1": "n-1", "--limit 2": "n-3 n-1", "--kind suppressed": "n-3 n-1 n-2 n-1", "--kind conflict": "",
		id + " --kind conflict": "", "--since " + tomorrow: "", "--since " + yesterday: "n-3 n-1 n-2 n-1", "--until " + yesterday: "", id + " --until " + yesterday: "",
		"--profile alert": "n-3 n-1 n-2 n-1", "--profile other": "", id + " --profile other": "", "--producer nobody": "", id + " --producer nobody": "", "--key-space nobody": "",
		id + " --key-space nobody": "",
	} {
		words := append([]string{"calls", "suppressed"}, strings.Fields(args)...)
		here, there := ofOneLedger(d.here(append(words, "--json")...)), ofOneLedger(c.there(append(words, "--json")...))
		var named []string
		for _, l := range each[suppressedLine](t, here.stdout) {
			named = append(named, l.NotificationID)
		}
		if here != there || here.code != ExitOK || !slices.Equal(named, strings.Fields(want)) {
			t.Errorf("%q: %v, want %s\nhere  %d\n%s%s\nthere %d\n%s%s", args, named, want, here.code, here.stdout, here.stderr, there.code, there.stdout, there.stderr)
		}
		if here, there := ofOneLedger(d.here(words...)), ofOneLedger(c.there(words...)); here != there || here.code != ExitOK {
			t.Errorf("%q\nhere  %d\n%s%s\nthere %d\n%s%s", args, here.code, here.stdout, here.stderr, there.code, there.stdout, there.stderr)
		}
	}
	stdout, _ := d.run(ExitOK, "calls", "suppressed", "--limit", "3")
	says(t, stdout, "AT ", "KIND", "DELIVERY", "suppressed", "duplicate", short(id), "there are more; --limit shows more than 3")
	stdout, _ = d.run(ExitOK, "calls", "suppressed", "--kind", "refused")
	says(t, stdout, "no deliveries")
}

func TestWhatTheListOfSuppressedDeliveriesCannotTake(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-1", "+819000000001")
	for _, args := range [][]string{{"--limit", "0"}, {"--limit", "9223372036854775807"}, {"--kind", "gone"}, {"--since", "yesterday"}, {"--until", "noon"}, {"abc"}} {
		_, stderr := d.run(ExitUsage, append([]string{"calls", "suppressed"}, args...)...)
		says(t, stderr, "ringonce:")
	}
	_, stderr := d.run(ExitRefused, "calls", "suppressed", "abcdefgh")
	says(t, stderr, "No call has this id.")
}

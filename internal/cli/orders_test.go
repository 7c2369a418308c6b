package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// withCalls is a counter of an admin, with calls that have rung.
func withCalls(t *testing.T, more string, notifications []string, change ...func(*httpapi.Options)) *counter {
	t.Helper()
	c := newCounter(t, more, change...)
	c.as("ada")
	for i, n := range notifications {
		c.asks(ExitOK, "calls", "place", c.wishes(n, fmt.Sprintf("+819000000%03d", i+1)), "--wait", "10s")
	}
	c.service.rang(len(notifications))
	return c
}

func TestAllThatMatchesIsRungAgainOnceHoweverOftenItIsOrdered(t *testing.T) {
	t.Parallel()
	c := withCalls(t, "", []string{"n-1", "n-2", "n-3"})
	order := []string{"calls", "recall", "--where", "state=placed", "--where", "producer=ada", "--reason", "wrong recording"}
	stdout, _ := c.asks(ExitOK, append(order, "--dry-run")...)
	says(t, stdout, "dry run: 3 calls would ring again, and nothing was ordered", "+81******0001 placed waiting")
	c.service.sweep()
	c.service.rang(3)
	for _, typed := range []string{"", "y\n", "2\n"} { // the number of calls is typed, or nothing rings
		c.stdin = typed
		_, stderr := c.asks(ExitRefused, order...)
		says(t, stderr, "3 calls would ring again. Type 3 to go on:", "Not confirmed: nothing was done.")
	}
	c.stdin = "3\n"
	for i, want := range []string{"3 of 3 calls ring again\n", "3 of 3 calls ring again, as the service knew already\n", "as the service knew already\n"} {
		if stdout, _ = c.asks(ExitOK, order...); !strings.Contains(stdout, want) {
			t.Errorf("%d: %s", i, stdout)
		}
		c.service.sweep()
		c.service.rang(6)
	}
	stdout, _ = c.asks(ExitOK, append(order, "--json")...)
	o := each[orderShown](t, stdout)[0]
	if o.State != orderDone || !o.Repeated || o.Recalled != 3 || len(o.Calls) != 3 || o.Calls[0].Result != "recalled" || o.Calls[0].Recall.State != "placed" {
		t.Errorf("%+v", o)
	}
	stdout, _ = c.asks(ExitOK, "orders", "list")
	says(t, stdout, "ORDER WHAT STATE CALLS DONE BY ORDERED SECOND REASON", o.ID+" recallCall done 3 3 ada")
	stdout, _ = c.asks(ExitOK, "orders", "list", "--state", "pending")
	says(t, stdout, "no orders")
	stdout, _ = c.asks(ExitOK, "orders", "list", "--json")
	if all := each[orderShown](t, stdout); len(all) != 1 || all[0].ID != o.ID {
		t.Errorf("%+v", all)
	}
	stdout, _ = c.asks(ExitRefused, "calls", "recall", "--where", "state=placed", "--where", "recallId=none", "--reason", "x")
	if stdout != "" {
		t.Error(stdout)
	}
	c.service.rang(6)
}

func TestAnOrderOfTwoPeopleIsConfirmedOnTheCommandLine(t *testing.T) {
	t.Parallel()
	c := withCalls(t, "", []string{"n-1", "n-2"}, func(o *httpapi.Options) { o.TwoPerson = true })
	order := []string{"calls", "recall", "--where", "state=placed", "--reason", "wrong recording", "--order-id", "storm-2026"}
	c.stdin = "2\n"
	stdout, _ := c.asks(ExitOK, order...)
	says(t, stdout, "order storm-2026 is pending: 2 calls ring again when a second person confirms it", "ringonce orders confirm storm-2026 --seen ")
	stdout, _ = c.asks(ExitOK, "orders", "show", "storm-2026", "--json")
	seen := each[orderShown](t, stdout)[0].Digest[:leastSeen]
	_, stderr := c.asks(ExitRefused, "orders", "confirm", "storm-2026", "--seen", seen)
	says(t, stderr, "Who proposed an order cannot confirm it.")
	c.as("bea")
	c.asks(ExitUsage, "orders", "confirm", "storm-2026", "--seen", "abc")
	_, stderr = c.asks(ExitConflict, "orders", "confirm", "storm-2026", "--seen", "000000000000")
	says(t, stderr, "What was seen is not what is ordered.")
	c.service.sweep()
	c.service.rang(2)
	stdout, _ = c.asks(ExitOK, "orders", "confirm", "storm-2026", "--seen", seen)
	says(t, stdout, "order storm-2026 is done: 2 of 2 calls ring again", "second bea")
	c.service.sweep()
	c.service.rang(4)
	_, stderr = c.asks(ExitConflict, "orders", "refuse", "storm-2026", "--reason", "too late")
	says(t, stderr, "The order is done.")
	_, stderr = c.asks(ExitRefused, "orders", "show", "nothing")
	says(t, stderr, "There is no order of this id.")
}

func TestACallInDoubtIsOrderedOnlyWhenItIsSaid(t *testing.T) {
	t.Parallel()
	c := newCounter(t, ", resend: never")
	c.as("ada")
	c.faults("place-then-reset nth=1")
	c.asks(ExitOK, "calls", "place", c.wishes("n-1", "+819000000001"))
	c.service.sweep()
	for range 8 { // until the schedule of looks is done
		c.clock.advance(13 * time.Hour)
		c.service.sweep()
	}
	c.service.rang(1)
	order := []string{"calls", "recall", "--where", "state=in_doubt", "--reason", "nobody knows"}
	_, stderr := c.asks(ExitRefused, order...)
	says(t, stderr, "No call that can be rung again matches, and these are left out: 1 may_have_rung.")
	c.service.sweep()
	c.service.rang(1)
	c.stdin = "1\n"
	stdout, stderr := c.asks(ExitOK, append(order, "--although-it-may-have-rung")...)
	says(t, stderr, "warning: 1 of these calls may have rung, so this may be a second ring.")
	says(t, stdout, "1 of 1 call ring again", "in doubt 1 of them may have rung before")
	c.service.sweep()
	c.service.rang(2)
}

func TestAnOrderIsNotMisread(t *testing.T) {
	t.Parallel()
	c := withCalls(t, "", []string{"n-1"})
	for _, args := range [][]string{
		{"--where", "state=gone"},
		{"--where", "stat=placed"},
		{"--where", "outcome"},
		{"--where", "outcome="},
		{"--where", "acceptedAfter=yesterday"},
		{"--where", "outcome=busy", "--where", "outcome=failed"},
		{"--where", "state=placed", "abcdefgh"},
		{"--dry-run", "abcdefgh"},
		{"--order-id", "x", "abcdefgh"},
		{},
		{"--where", "state=placed", "--actor", "ann"},
	} {
		c.asks(ExitUsage, append([]string{"calls", "recall", "--reason", "x"}, args...)...)
	}
	c.run(ExitUsage, "calls", "recall", "--reason", "x", "--where", "state=placed") // beside the ledger
	c.run(ExitUsage, "orders", "list")
	c.asks(ExitUsage, "orders", "list", "--state", "gone")
	c.asks(ExitUsage, "orders", "list", "--limit", "0")
	c.as("olga")
	_, stderr := c.asks(ExitRefused, "calls", "recall", "--reason", "x", "--where", "state=placed")
	says(t, stderr, "Your role does not allow this.")
	c.service.sweep()
	c.service.rang(1)
}

func TestTwoAdminsWithKeysAreTheTwoPersonsOfAnOrder(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-1", "+819000000001")
	d.add(fmt.Sprintf("access: {keys_file: %q, two_person: true}\n", filepath.Join(d.dir, "keys.json")))
	keys := map[string]string{}
	for _, name := range []string{"kim", "lee"} {
		key, _ := d.run(ExitOK, "access", "key", "add", "--operator", "--role", "admin", "--name", name)
		keys[name] = strings.TrimSpace(key)
	}
	s := d.serve()
	for _, c := range []struct {
		who, path, body string
		want            int
	}{
		{"kim", "/v1/recalls", `{"orderId":"order-one","reason":"wrong recording","filter":{"state":["placed"]}}`, http.StatusOK},
		{"kim", "/v1/orders/order-one/confirm", `{"digest":%q}`, http.StatusForbidden},
		{"lee", "/v1/orders/order-one/confirm", `{"digest":%q}`, http.StatusOK},
	} {
		if strings.Contains(c.body, "%q") {
			c.body = fmt.Sprintf(c.body, s.digest(keys["kim"], "order-one"))
		}
		if got := s.send(http.MethodPost, c.path, keys[c.who], c.body); got != c.want {
			t.Errorf("%s asks %s: %d, not %d", c.who, c.path, got, c.want)
		}
	}
	s.stop()
}

// digest returns what an order says of its content.
func (s *served) digest(bearer, order string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/v1/orders/"+order, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var shown struct{ State, Digest string }
	if err := json.NewDecoder(response.Body).Decode(&shown); err != nil || shown.State != "pending" {
		s.t.Fatalf("%v: %+v", err, shown)
	}
	return shown.Digest
}

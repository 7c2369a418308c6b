package cli

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/client"
)

func TestAListAndAnExportHaveTheFiltersOfAnOrderOfRecalls(t *testing.T) {
	t.Parallel()
	c := newCounter(t, "")
	for n := range 3 {
		for _, who := range []string{"olga", "shop"} {
			api, err := client.New(c.url, client.WithToken(map[string]string{"olga": keyOfOlga, "shop": "shops-key"}[who]))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := api.Batch(t.Context(), []client.Request{
				{NotificationID: fmt.Sprintf("n-%d", n), RecipientID: "kim", DestinationPhoneNumber: "+819000000001"},
				{NotificationID: fmt.Sprintf("n-%d", n), RecipientID: "lee", DestinationPhoneNumber: "+819000000002"},
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	later := c.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	for name, run := range map[string]func(int, ...string) (string, string){"service": c.asks, "ledger": c.run} {
		for _, f := range []struct {
			args []string
			want int
		}{
			{nil, 12},
			{[]string{"--where", "notificationId=n-1"}, 4},
			{[]string{"--where", "notificationId=n-1", "--where", "recipientId=lee"}, 2},
			{[]string{"--where", "keySpace=shop", "--where", "recipientId=lee"}, 3},
			{[]string{"--where", "producer=shop"}, 6},
			{[]string{"--where", "producer=operator:olga"}, 6},
			{[]string{"--where", "outcome=busy"}, 0},
			{[]string{"--where", "profile=other"}, 0},
			{[]string{"--where", "contactId=none"}, 0},
			{[]string{"--where", "recallId=none"}, 0},
			{[]string{"--where", "acceptedAfter=" + later}, 0},
			{[]string{"--where", "acceptedBefore=" + later, "--state", "failed"}, 0},
			{[]string{"--where", "state=failed"}, 0},
		} {
			for _, command := range [][]string{{"calls", "list", "--json"}, {"calls", "export"}} {
				stdout, _ := run(ExitOK, slices.Concat(command, f.args)...)
				if got := each[exported](t, stdout); len(got) != f.want {
					t.Errorf("%s: %q %q: %d calls, want %d", name, command, f.args, len(got), f.want)
				}
			}
		}
		stdout, _ := run(ExitOK, "calls", "list", "--where", "recipientId=lee", "--limit", "2")
		says(t, stdout, "there are more; --limit shows more than 2")
		for _, f := range []struct {
			args []string
			says string
		}{
			{[]string{"list", "--where", "number=1"}, "--where does not know number."},
			{[]string{"list", "--where", "id=AAAAAAAA"}, "--where names an id."},
			{[]string{"export", "--after", later, "--where", "acceptedAfter=" + later}, "--after and --where both name a time."},
		} {
			_, stderr := run(ExitUsage, append([]string{"calls"}, f.args...)...)
			says(t, stderr, f.says)
		}
	}
}

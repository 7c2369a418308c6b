package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// heldGroup holds the commands about calls that wait for their dial (docs/held.md).
type heldGroup struct {
	remoteFlags

	List    heldListCommand    `cmd:"" help:"List the calls that wait, the first due first, with why, until when and when they expire."`
	Release heldReleaseCommand `cmd:"" help:"Let a held call, or all that match, ring now, whatever the hours, the caps and a pause of its profile."`
	Drop    heldDropCommand    `cmd:"" help:"Withdraw a held call, or all that match: neither it nor a redelivery of its request rings."`
}

// mostHeld is how many calls with a due time one command looks at, from the first due on.
const mostHeld = 10_000

// farAhead lies behind every due time.
const farAhead = 100 * 365 * 24 * time.Hour

// heldListCommand lists held calls.
type heldListCommand struct {
	Reason  []string `placeholder:"REASON" help:"Only calls held for this reason, repeatable; see the counts below the list."`
	Profile string   `placeholder:"NAME" help:"Only calls of this profile."`
	Limit   int      `default:"100" placeholder:"N" help:"Show at most so many; the counts are of all."`
	Summary bool     `help:"Print the counts by reason only."`
	JSON    bool     `help:"Print one JSON object a call, or with --summary one a reason."`
}

// heldCall is the JSON form of a held call. Phone numbers are masked.
type heldCall struct {
	ID             string    `json:"id"`
	NotificationID string    `json:"notificationId"`
	RecipientID    string    `json:"recipientId"`
	Kind           call.Kind `json:"kind"`
	Ring           int       `json:"ring"`
	Profile        string    `json:"profile,omitempty"`
	Producer       string    `json:"producer,omitempty"`
	Destination    string    `json:"destination,omitempty"` // masked
	Reason         string    `json:"reason"`
	Due            time.Time `json:"due"` // when it is looked at again
	NotAfter       time.Time `json:"notAfter,omitzero"`
	AcceptedAt     time.Time `json:"acceptedAt"`
	Parked         bool      `json:"parked,omitempty"` // it waits for a person, and due is only the latest time for another look
	Urgent         bool      `json:"urgent,omitempty"`
	Released       string    `json:"releasedBy,omitempty"`
}

// heldCount is the JSON form of the calls of one reason.
type heldCount struct {
	Reason string    `json:"reason"`
	Calls  int       `json:"calls"`
	First  time.Time `json:"firstDue"`
}

// heldCalls is what a look at the held calls found.
type heldCalls struct {
	calls  []heldCall
	counts map[string]heldCount
	only   int // of more calls with a due time, so many were looked at; 0 when all were
}

// Run implements the command.
func (x *heldListCommand) Run(ctx context.Context, e *environment) (err error) {
	if x.Limit < 1 {
		return misused("--limit is not positive.", "Give at least 1.")
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		found, err := r.held(ctx, x)
		if err != nil {
			return err
		}
		return x.print(e, found)
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	found, err := x.find(ctx, a)
	if err != nil {
		return err
	}
	return x.print(e, found)
}

// find walks the calls with a due time, which the ledger keeps in its order.
func (x *heldListCommand) find(ctx context.Context, a *app.App) (heldCalls, error) {
	found := heldCalls{counts: map[string]heldCount{}}
	ids, err := a.Store.Ledger.Due(ctx, a.Clock.Now().Add(farAhead), mostHeld+1)
	if err != nil {
		return found, err
	}
	if len(ids) > mostHeld {
		found.only = mostHeld
	}
	for _, id := range ids[:min(mostHeld, len(ids))] {
		row, err := a.Store.Ledger.Get(ctx, id)
		if errors.Is(err, call.ErrNotFound) {
			continue
		}
		if err != nil {
			return found, err
		}
		h := heldOf(a, row)
		if row.State != call.Received || (x.Profile != "" && h.Profile != x.Profile) || (len(x.Reason) > 0 && !slices.Contains(x.Reason, h.Reason)) {
			continue
		}
		found.add(h, x.Limit)
	}
	return found, nil
}

func (f *heldCalls) add(h heldCall, limit int) {
	count := f.counts[h.Reason]
	if count.Calls == 0 {
		count = heldCount{Reason: h.Reason, First: h.Due}
	}
	count.Calls++
	f.counts[h.Reason] = count
	if len(f.calls) < limit {
		f.calls = append(f.calls, h)
	}
}

func (f *heldCalls) total() (calls int) {
	for _, count := range f.counts {
		calls += count.Calls
	}
	return calls
}

// byReason returns the counts, the most calls first.
func (f *heldCalls) byReason() []heldCount {
	return slices.SortedFunc(maps.Values(f.counts), func(a, b heldCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Reason, b.Reason))
	})
}

func heldOf(a *app.App, row call.Call) heldCall {
	return heldCall{
		ID: row.ID, NotificationID: row.Key.NotificationID, RecipientID: row.Key.RecipientID, Kind: cmp.Or(row.Key.Kind, call.KindVoice), Ring: row.Ring,
		Profile: profileName(a, row), Producer: row.Producer, Destination: row.Phone().String(), Reason: holdReason(row), Due: row.Due, NotAfter: row.NotAfter,
		AcceptedAt: row.AcceptedAt, Parked: row.Parked(), Urgent: row.Urgent, Released: row.Released,
	}
}

// holdReason says why a call that was received is not dialed yet. A next ring is made without a reason of its own.
func holdReason(row call.Call) string {
	switch {
	case row.DueReason != "":
		return row.DueReason
	case row.Cause == call.CauseRule:
		return "recall_wait"
	}
	return "accepted"
}

func (x *heldListCommand) printJSON(e *environment, found heldCalls) error {
	if x.Summary {
		for _, count := range found.byReason() {
			if err := printJSON(e.Stdout, count); err != nil {
				return err
			}
		}
		return nil
	}
	for _, h := range found.calls {
		if err := printJSON(e.Stdout, h); err != nil {
			return err
		}
	}
	return nil
}

func (x *heldListCommand) print(e *environment, found heldCalls) error {
	if x.JSON {
		return x.printJSON(e, found)
	}
	now := e.Clock.Now()
	var b strings.Builder
	total := found.total()
	if total == 0 {
		b.WriteString("no call is held\n")
	}
	if len(found.calls) > 0 && !x.Summary {
		rows := [][]string{{"CALL", "NOTIFICATION", "RECIPIENT", "RING", "NUMBER", "PROFILE", "WHY", "UNTIL", "NEXT", "EXPIRES"}}
		for _, h := range found.calls {
			rows = append(rows, []string{
				short(h.ID), shownID(h.NotificationID), shownID(h.RecipientID), strconv.Itoa(h.Ring), h.Destination, h.Profile, h.Reason, h.until(),
				in(h.Due.Sub(now)), stamp(h.NotAfter),
			})
		}
		if err := table(&b, rows); err != nil {
			return err
		}
		if total > len(found.calls) {
			fmt.Fprintf(&b, "there are %d more; --limit shows more than %d\n", total-len(found.calls), x.Limit)
		}
		b.WriteString("\n")
	}
	if total > 0 {
		rows := [][]string{{"REASON", "CALLS", "FIRST", "WHAT IT WAITS FOR"}}
		for _, count := range found.byReason() {
			rows = append(rows, []string{count.Reason, strconv.Itoa(count.Calls), in(count.First.Sub(now)), strings.TrimPrefix(why(count.Reason), ": ")})
		}
		if err := table(&b, rows); err != nil {
			return err
		}
	}
	if found.only > 0 {
		fmt.Fprintf(&b, "only the %d calls that are due first were looked at\n", found.only)
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}

// until says until when a call waits. One that is parked waits for a person.
func (h heldCall) until() string {
	if h.Parked {
		return "a person acts"
	}
	return stamp(h.Due)
}

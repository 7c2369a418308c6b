package client_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/client"
)

func request(name, number string) client.Request {
	return client.Request{NotificationID: name, RecipientID: "kim", DestinationPhoneNumber: number}
}

func open(t *testing.T, token string) (*service, *client.Client) {
	t.Helper()
	s := serve()
	t.Cleanup(s.close)
	c, err := client.New(s.URL, client.WithToken(token), client.WithHTTPClient(&http.Client{Timeout: 30 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestAProblemIsATypedErrorWithCodeAndFix(t *testing.T) {
	t.Parallel()
	_, c := open(t, "shop")
	first, err := c.Place(t.Context(), request("n", "+819000000001"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Place(t.Context(), request("n", "+819000000002"))
	problem, ok := errors.AsType[*client.Error](err)
	if !ok || problem.Code != "conflict" || problem.Status != http.StatusConflict || problem.CallID != first.CallID || problem.Fix == "" || problem.Retry() {
		t.Errorf("%+v", err)
	}
	if _, err := c.Get(t.Context(), "nobody"); client.CodeOf(err) != "not_found" {
		t.Error(err)
	}
	if _, err := c.Release(t.Context(), first.CallID, "x"); client.CodeOf(err) != "forbidden" {
		t.Error(err)
	}
	_, nobody := open(t, "")
	if _, err := nobody.List(t.Context(), client.Filter{}); client.CodeOf(err) != "unauthorized" {
		t.Error(err)
	}
	if _, err := client.New("://"); err == nil {
		t.Error("no URL is a service")
	}
}

func TestAKeyIsReplayed(t *testing.T) {
	t.Parallel()
	s, c := open(t, "shop")
	for i := range 2 {
		p, err := c.Place(t.Context(), request("n", "+819000000001"), client.Key("k-1"))
		if err != nil || p.Answer != "accepted" || p.Replayed != (i == 1) {
			t.Errorf("%+v %v", p, err)
		}
		s.sweep()
	}
	if s.phone.RingCount() != 1 {
		t.Error(s.phone.RingCount())
	}
}

func TestEveryMethodReachesItsOperation(t *testing.T) {
	t.Parallel()
	s, c := open(t, "operator")
	ctx := t.Context()
	place := func(name string) string {
		t.Helper()
		p, err := c.Place(ctx, request(name, "+819000000001"))
		if err != nil {
			t.Fatal(err)
		}
		return p.CallID
	}
	check := func(what string, ok bool, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	e, err := c.Explain(ctx, request("a", "+819000000001"))
	check("explain", e.Dials && len(e.Checks) == 5, err)
	acted, err := c.Cancel(ctx, place("a"))
	check("cancel", acted.Call.State == "canceled", err)
	acted, err = c.Acknowledge(ctx, place("b"))
	check("acknowledge", acted.Call.State == "canceled", err)
	waits := place("w")
	held, err := c.Held(ctx, client.HeldFilter{Reasons: []string{"accepted"}, Profile: "alert", Limit: 10, Counts: true})
	check("held", len(held.Calls) == 1 && held.Calls[0].Call.ID == waits && !held.More && len(held.Counts) == 1 && held.Counts[0].Calls == 1, err)
	held, err = c.Held(ctx, client.HeldFilter{Profile: "other"})
	check("held of another profile", len(held.Calls) == 0 && len(held.Counts) == 0, err)
	acted, err = c.Drop(ctx, waits, "no")
	check("drop", acted.Call.State == "canceled" && acted.HeldFor == "", err)
	acted, err = c.Drop(ctx, place("c"), "no")
	check("drop", acted.Call.State == "canceled", err)
	id := place("d")
	acted, err = c.Release(ctx, id, "now")
	check("release", acted.Call.State == "placed", err)
	acted, err = c.Recall(ctx, id, client.Recall{Reason: "again"})
	check("recall", acted.Call.Ring == 1, err)
	d, err := c.Get(ctx, id)
	check("get", len(d.Timeline) > 1 && len(d.Rings) == 2 && d.Call.Destination == "+81******0001", err)
	kept, err := c.Suppressed(ctx, id)
	check("suppressed", kept.Count == 0, err)
	place("d")
	all, err := c.AllSuppressed(ctx, client.SuppressedFilter{Kinds: []string{"suppressed"}, Profile: "alert", Limit: 1})
	check("all suppressed", len(all.Deliveries) == 1 && all.Deliveries[0].CallID != "" && all.Deliveries[0].NotificationID == "d" && all.Deliveries[0].Kind == "suppressed", err)
	all, err = c.AllSuppressed(ctx, client.SuppressedFilter{Kinds: []string{"conflict"}, Until: time.Now().Add(time.Hour)})
	check("all conflicts", len(all.Deliveries) == 0 && all.NextCursor == "", err)
	doubts, err := c.Doubts(ctx, "", 5)
	check("doubts", len(doubts.Calls) == 0, err)
	var listed []string
	err = c.Each(ctx, client.Filter{Limit: 2, States: []string{"placed", "canceled"}, AcceptedAfter: time.Unix(0, 0)}, func(found client.Call) error {
		listed = append(listed, found.ID)
		return nil
	})
	check("each", len(listed) == 6 && slices.Contains(listed, id), err)
	if _, err = c.Doubt(ctx, id); client.CodeOf(err) != "not_in_doubt" {
		t.Error(err)
	}
	if _, err = c.Note(ctx, id, "x"); client.CodeOf(err) != "not_in_doubt" {
		t.Error(err)
	}
	if _, err = c.CloseDoubt(ctx, id, "00000000-0000-4000-8000-000000000000", "x"); client.CodeOf(err) != "contact_unconfirmed" {
		t.Error(err)
	}
	if s.phone.RingCount() != 2 {
		t.Error(s.phone.RingCount())
	}
}

func TestWhatIsDoneToManyHeldCallsAndToldOfThemReachesItsOperation(t *testing.T) {
	t.Parallel()
	_, c := open(t, "operator")
	ctx := t.Context()
	place := func(name string) string {
		t.Helper()
		p, err := c.Place(ctx, request(name, "+819000000001"))
		if err != nil {
			t.Fatal(err)
		}
		return p.CallID
	}
	check := func(what string, ok bool, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	id := place("w")
	many := client.HeldOrder{Choice: client.HeldChoice{Reasons: []string{"accepted"}, Profile: "other"}, Reason: "no"}
	o, err := c.RehearseDrop(ctx, many)
	check("rehearse a drop of many", o.DryRun && o.Action == "dropHeld" && o.Count == 0, err)
	many.Choice.Profile = "alert"
	o, err = c.RehearseRelease(ctx, many)
	check("rehearse a release of many", o.DryRun && o.Action == "releaseHeld" && o.Count == 1 && o.Digest != "", err)
	if _, err = c.ReleaseMany(ctx, many); client.CodeOf(err) != "seen_missing" {
		t.Error(err)
	}
	o, err = c.DropMany(ctx, client.HeldOrder{Choice: client.HeldChoice{IDs: []string{place("m")}}, Reason: "no"})
	check("drop many", o.State == "done" && o.Done == 1 && o.Calls[0].Result == "dropped", err)
	told, err := c.Told(ctx, id)
	check("told", told.Receiver == "" && len(told.Events) == 0, err)
	if _, err = c.Tell(ctx, id, client.TellAgain{Reason: "it was away", All: true}); client.CodeOf(err) != "not_told" {
		t.Error(err)
	}
}

func TestEveryMethodAboutRulesReachesItsOperation(t *testing.T) {
	t.Parallel()
	_, c := open(t, "operator")
	ctx := t.Context()
	check := func(what string, ok bool, err error) {
		t.Helper()
		if err != nil || !ok {
			t.Errorf("%s: %v", what, err)
		}
	}
	n, err := c.AddDoNotCall(ctx, "+819000000009", "asked", "")
	check("add", n.Listed && n.Changed && n.Number == "+81******0009", err)
	n, err = c.CheckDoNotCall(ctx, "+819000000009")
	check("check", n.Listed, err)
	entries, _, err := c.DoNotCall(ctx, client.DoNotCallFilter{})
	check("list", len(entries) == 1, err)
	n, err = c.RemoveDoNotCall(ctx, "+819000000009", "wants calls")
	check("remove", !n.Listed && n.Reason == "asked" && n.Removed != nil && n.Removed.Reason == "wants calls", err)
	entries, _, err = c.DoNotCall(ctx, client.DoNotCallFilter{})
	check("list without it", len(entries) == 0, err)
	entries, _, err = c.DoNotCall(ctx, client.DoNotCallFilter{Removed: true, Limit: 5})
	check("list with it", len(entries) == 1 && !entries[0].Listed && entries[0].Removed != nil, err)
	p, err := c.Pause(ctx, "all", "", "storm")
	check("pause", p.Paused && p.By == "local", err)
	pauses, err := c.Pauses(ctx)
	check("pauses", len(pauses) == 1, err)
	p, err = c.Resume(ctx, "all", "", "over")
	check("resume", !p.Paused && p.Changed, err)
}

func TestOrdersAndProducersReachTheirOperations(t *testing.T) {
	t.Parallel()
	s, c := open(t, "operator")
	ctx := t.Context()
	p, err := c.Place(ctx, request("a", "+819000000001"), client.Wait(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	order := client.Recalls{
		OrderID: "order-2026", Reason: "wrong recording", NotAfter: time.Now().Add(time.Hour), IncludeInDoubt: true,
		Filter: client.RecallFilter{IDs: []string{p.CallID}, States: []string{"placed"}, AcceptedAfter: time.Unix(0, 0)},
	}
	o, err := c.RehearseRecalls(ctx, order)
	if err != nil || !o.DryRun || o.Count != 1 || o.Calls[0].Call.ID != p.CallID {
		t.Errorf("%+v %v", o, err)
	}
	for i := range 2 {
		o, err = c.OrderRecalls(ctx, order)
		if err != nil || o.State != "done" || o.Recalled != 1 || o.Repeated != (i == 1) || o.Calls[0].Recall == nil || o.NotAfter.IsZero() {
			t.Errorf("%+v %v", o, err)
		}
		s.sweep()
	}
	if s.phone.RingCount() != 2 {
		t.Error(s.phone.RingCount())
	}
	orders, more, err := c.Orders(ctx, "done", 10)
	if err != nil || more || len(orders) != 1 || orders[0].ID != "order-2026" || orders[0].Calls != nil {
		t.Errorf("%+v %v", orders, err)
	}
	if o, err = c.Order(ctx, "order-2026"); err != nil || len(o.Calls) != 1 {
		t.Errorf("%+v %v", o, err)
	}
	if _, err = c.ConfirmOrder(ctx, "order-2026", "x"); client.CodeOf(err) != "role_needed" {
		t.Error(err)
	}
	if _, err = c.RefuseOrder(ctx, "order-2026", "x"); client.CodeOf(err) != "role_needed" {
		t.Error(err)
	}
	producers, more, err := c.Producers(ctx)
	if err != nil || more || len(producers) != 1 || producers[0].Producer != "operator:local" || producers[0].OpenRequests == nil {
		t.Errorf("%+v %v", producers, err)
	}
	d, err := c.Get(ctx, p.CallID)
	if err != nil || len(d.Attempts) != 1 || d.Attempts[0].WireSends != 1 || d.Attempts[0].ClientToken == "" || d.Call.ClientToken != d.Attempts[0].ClientToken {
		t.Errorf("%+v %v", d, err)
	}
}

package httpapi_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// second is another admin.
var second = access.Principal{Kind: access.Operator, Name: "bea", Role: access.RoleAdmin}

// ordering is a world with calls of the shop that have rung once.
type ordering struct {
	*world

	options httpapi.Options
	ids     []string
}

func newOrdering(t *testing.T, calls int, change ...func(*httpapi.Options)) *ordering {
	t.Helper()
	x := &ordering{}
	x.world = newWorld(t, append(change, func(o *httpapi.Options) { x.options = *o })...)
	for i := range calls {
		x.ids = append(x.ids, x.do(&shop, "POST", "/v1/calls", requestTo(fmt.Sprintf("n%d", i), i), "Prefer", "wait=10").text("callId"))
	}
	x.rings(calls)
	return x
}

// requestTo is a request to a recipient of its own.
func requestTo(notification string, n int) string {
	return fmt.Sprintf(`{"notificationId":%q,"recipientId":"user-%d","destinationPhoneNumber":"+81900000%04d"}`, notification, n, n)
}

// restart serves the same ledger anew.
func (x *ordering) restart(change ...func(*httpapi.Options)) {
	x.t.Helper()
	o := x.options
	for _, f := range change {
		f(&o)
	}
	handler, err := httpapi.New(o)
	if err != nil {
		x.t.Fatal(err)
	}
	x.handler = handler
}

const placedByShop = `{"filter":{"state":["placed"],"producer":"shop"},"reason":"the recording was wrong"}`

func TestADryRunCountsAndShowsTwentyAndKeepsNothing(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 25)
	dry := strings.Replace(placedByShop, `"reason"`, `"dryRun":true,"reason"`, 1)
	a := x.do(&admin, "POST", "/v1/recalls", dry)
	if a.Status != http.StatusOK || a.at("count") != 25.0 || a.count("calls") != 20 || a.at("dryRun") != true || a.text("calls", 0, "call", "destination") == "" ||
		!strings.HasPrefix(a.text("calls", 0, "recallId"), "order:"+a.text("id")+":") {
		t.Error(a.Text)
	}
	if list := x.do(&reader, "GET", "/v1/orders", ""); list.count("orders") != 0 {
		t.Error(list.Text)
	}
	x.sweep()
	x.rings(25)
	if made := x.do(&admin, "POST", "/v1/recalls", placedByShop); made.text("id") != a.text("id") {
		t.Errorf("the order has another id than its dry run: %s, %s", made.text("id"), a.text("id"))
	}
}

func TestAnOrderThatIsSubmittedTwiceRingsEachCallAgainOnce(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 5)
	var first answer
	for i := range 3 { // what the re-calls came to matches the filter too
		a := x.do(&admin, "POST", "/v1/recalls", placedByShop)
		if a.Status != http.StatusOK || a.text("state") != "done" || a.at("count") != 5.0 || a.at("recalled") != 5.0 || a.at("repeated") == true != (i > 0) {
			t.Error(i, a.Text)
		}
		if i == 0 {
			first = a
		}
		x.sweep()
		x.rings(10)
	}
	got := x.do(&reader, "GET", "/v1/orders/"+first.text("id"), "")
	for i := range 5 {
		original, again := got.text("calls", i, "callId"), got.text("calls", i, "recall", "id")
		if got.text("calls", i, "result") != "recalled" || got.text("calls", i, "recall", "state") != "placed" || again == original ||
			got.text("calls", i, "recall", "producer") != "api:shop/shop" || got.text("calls", i, "recall", "keySpace") != "shop" {
			t.Error(got.Text)
		}
		if d := x.do(&reader, "GET", "/v1/calls/"+original, ""); d.text("linkedFrom", 0) != again {
			t.Error(d.Text)
		}
	}
	x.want(x.do(&admin, "POST", "/v1/recalls", strings.Replace(placedByShop, `{"filter"`, `{"orderId":"`+first.text("id")+`","filter"`, 1)), http.StatusOK, "")
	x.want(x.do(&admin, "POST", "/v1/recalls", `{"orderId":"`+first.text("id")+`","filter":{"state":["failed"]},"reason":"other"}`), http.StatusConflict, "conflict")
	x.rings(10)
}

func TestAnOrderThatIsSubmittedAtOnceBySeveralRingsEachCallAgainOnce(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 8)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if a := x.do(&admin, "POST", "/v1/recalls", placedByShop); a.Status != http.StatusOK {
				t.Error(a.Text)
			}
		})
	}
	all.Wait()
	x.sweep()
	x.rings(16)
}

// crashing ends a request, as a crash of its process would, right after the re-call of that number was accepted.
func crashing(after int32) func(*httpapi.Options) {
	return func(o *httpapi.Options) {
		var n atomic.Int32
		o.Accepted = func(string) {
			if n.Add(1) == after {
				panic(http.ErrAbortHandler)
			}
		}
	}
}

// cut sends a request whose process ends in the middle.
func (x *ordering) cut(who *access.Principal, path, body string) {
	x.t.Helper()
	defer func() {
		if recover() == nil {
			x.t.Error("nothing was cut off")
		}
	}()
	x.do(who, "POST", path, body)
}

func TestAnOrderThatACrashCutOffIsCarriedOnAndRingsEachCallAgainOnce(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(x *ordering){
		"submitted again":      func(x *ordering) { x.do(&admin, "POST", "/v1/recalls", placedByShop); x.follows() },
		"carried on by itself": func(x *ordering) { x.follows() },
		"by both":              func(x *ordering) { x.follows(); x.do(&admin, "POST", "/v1/recalls", placedByShop); x.resumes() },
	} {
		for _, after := range []int32{1, 3, 5} {
			x := newOrdering(t, 5)
			x.restart(crashing(after))
			x.cut(&admin, "/v1/recalls", placedByShop)
			x.sweep()
			x.rings(5 + int(after))
			x.restart()
			again(x)
			x.sweep()
			if x.rings(10); t.Failed() {
				t.Fatalf("%s, cut off after %d", name, after)
			}
			if a := x.do(&reader, "GET", "/v1/orders", ""); a.count("orders") != 1 || a.text("orders", 0, "state") != "done" || a.at("orders", 0, "recalled") != 5.0 {
				t.Error(a.Text)
			}
		}
	}
}

func (x *ordering) resumes() {
	x.t.Helper()
	if err := httpapi.NewCarrier(x.options).Resume(x.t.Context()); err != nil {
		x.t.Error(err)
	}
}

// The ring count sees an order that names its re-calls anew each time.
func TestARandomRecallIDIsSeen(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 5)
	random := func(o *httpapi.Options) {
		httpapi.NameRecalls(o, func(string, string) string { return rand.Text() })
	}
	x.restart(random, crashing(3))
	x.cut(&admin, "/v1/recalls", placedByShop)
	x.restart(random)
	x.follows(random)
	x.sweep()
	if got := x.phone.RingCount(); got <= 10 {
		t.Errorf("the phone rang %d times: the planted defect was not seen", got)
	}
}

// lateLedger does not show the rows of re-calls at first, as to a process that looked before another one wrote them.
type lateLedger struct {
	call.Ledger

	shown sync.Map
}

func (l *lateLedger) Get(ctx context.Context, id string) (call.Call, error) {
	row, err := l.Ledger.Get(ctx, id)
	if err == nil && row.Key.RecallID != "" {
		if _, seen := l.shown.LoadOrStore(id, true); !seen {
			return call.Call{}, call.ErrNotFound
		}
	}
	return row, err
}

func TestAProcessThatMeetsTheReCallsOfAnotherOneCountsThemAsMade(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 5)
	x.restart(crashing(5)) // all are made, and the order is not done
	x.cut(&admin, "/v1/recalls", placedByShop)
	x.follows(func(o *httpapi.Options) { o.Ledger = &lateLedger{Ledger: o.Ledger} })
	x.restart()
	if a := x.do(&admin, "POST", "/v1/recalls", placedByShop); a.at("recalled") != 5.0 {
		t.Error(a.Text)
	}
	x.sweep()
	x.rings(10)
}

// unsureLedger fails one write of a new row, before or after it was done.
type unsureLedger struct {
	call.Ledger

	in   atomic.Int32
	done bool
}

var errLost = errors.New("the answer was lost")

func (u *unsureLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if u.in.Add(-1) != 0 {
		return u.Ledger.Create(ctx, w)
	}
	if u.done {
		if _, err := u.Ledger.Create(ctx, w); err != nil {
			return call.Written{}, err
		}
	}
	return call.Written{}, errLost
}

// unsureCells fails one write of an order, before or after it was done.
type unsureCells struct {
	call.Cells

	in   atomic.Int32
	done bool
}

func (u *unsureCells) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	if !strings.HasPrefix(c.Name, "twoperson/") || u.in.Add(-1) != 0 {
		return u.Cells.SetCell(ctx, c)
	}
	if u.done {
		if _, _, err := u.Cells.SetCell(ctx, c); err != nil {
			return call.Cell{}, false, err
		}
	}
	return call.Cell{}, false, errLost
}

func TestAnOrderWhoseWritesLoseTheirAnswersRingsEachCallAgainOnce(t *testing.T) {
	t.Parallel()
	for _, done := range []bool{false, true} {
		for at := int32(1); at <= 4; at++ {
			x := newOrdering(t, 3)
			ledger, cells := &unsureLedger{Ledger: x.app.Engine.Ledger, done: done}, &unsureCells{Cells: x.options.Cells, done: done}
			ledger.in.Store(at)
			cells.in.Store(at)
			x.app.Engine.Ledger = ledger
			x.restart(func(o *httpapi.Options) { o.Cells = cells })
			for range 3 {
				x.do(&admin, "POST", "/v1/recalls", placedByShop)
			}
			x.app.Engine.Ledger = ledger.Ledger
			x.sweep()
			x.rings(6)
			if a := x.do(&admin, "POST", "/v1/recalls", placedByShop); a.text("state") != "done" {
				t.Errorf("write %d, done %v: %s", at, done, a.Text)
			}
		}
	}
}

func TestAnOrderLeavesOutWhatCannotRingAgain(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 3)
	waiting := x.do(&shop, "POST", "/v1/calls", requestTo("waiting", 9)).text("callId")
	early := x.do(&shop, "POST", "/v1/calls", `{"notificationId":"early","recipientId":"user-8","action":"cancel"}`)
	x.do(&keeper, "POST", "/v1/calls/"+x.ids[0]+"/recall", `{"reason":"by hand"}`)
	x.rings(4)
	body := fmt.Sprintf(`{"filter":{"ids":[%q,%q,%q,%q,%q,%q]},"reason":"again"}`, x.ids[0], x.ids[1], x.ids[1], x.ids[2], waiting, strings.Repeat("A", 43))
	a := x.do(&admin, "POST", "/v1/recalls", body)
	if a.at("count") != 2.0 || a.at("recalled") != 2.0 || a.count("excluded") != 3 {
		t.Error(a.Text)
	}
	for i, code := range []string{"not_final", "not_found", "ring_moved"} {
		if a.text("excluded", i, "code") != code || a.at("excluded", i, "count") != 1.0 {
			t.Errorf("%d: %s", i, a.Text)
		}
	}
	x.sweep()
	x.rings(4 + 2 + 1) // and the one that waited
	// Another order leaves out what an order rang again: its re-call is the newest.
	again := x.do(&admin, "POST", "/v1/recalls", strings.Replace(body, "again", "once more", 1))
	if again.at("count") != 1.0 || again.text("calls", 0, "callId") != waiting {
		t.Error(again.Text)
	}
	x.sweep()
	x.rings(8)
	if early.Status != http.StatusOK {
		t.Error(early.Text)
	}
	x.want(x.do(&admin, "POST", "/v1/recalls", `{"filter":{"notificationId":"early"},"reason":"again"}`), http.StatusUnprocessableEntity, "no_calls")
	x.rings(8)
}

func TestAnOrderIsRefusedThatIsNotClearlyMeant(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 1)
	for body, code := range map[string]string{
		`{"filter":{},"reason":"again"}`:                                                  "filter_empty",
		`{"filter":{"state":["placed"]},"reason":" "}`:                                    "reason_missing",
		`{"filter":{"state":["placed"]}}`:                                                 "bad_request",
		`{"filter":{"state":["placed"],"producr":"shop"},"reason":"again"}`:               "bad_request",
		`{"filter":{"state":["placed"]},"reason":"again","dryrun":true}`:                  "bad_request",
		`{"filter":{"state":["placed"]},"reason":"again","orderId":"a b"}`:                "bad_request",
		`{"filter":{"state":["failed"]},"reason":"again"}`:                                "no_calls",
		`{"filter":{"state":["placed"]},"reason":"x","notAfter":"2020-01-01T00:00:00Z"}`:  "field_value",
		`{"filter":{"ids":["` + strings.Repeat(`x","`, 500) + `x"]},"reason":"too many"}`: "bad_request",
	} {
		if a := x.do(&admin, "POST", "/v1/recalls", body); a.text("code") != code {
			t.Errorf("%.90s: %s", body, a.Text)
		}
	}
	x.want(x.do(&shop, "POST", "/v1/recalls", placedByShop), http.StatusForbidden, "forbidden")
	x.want(x.do(&keeper, "POST", "/v1/recalls", placedByShop), http.StatusForbidden, "forbidden")
	x.sweep()
	x.rings(1)
	x.restart(func(o *httpapi.Options) { o.Cells = nil })
	for _, e := range [][3]string{{"POST", "/v1/recalls", placedByShop}, {"GET", "/v1/orders"}, {"GET", "/v1/orders/x"}, {"POST", "/v1/orders/x/confirm", `{"digest":"x"}`}, {"POST", "/v1/orders/x/refuse", `{"reason":"x"}`}} {
		x.want(x.do(&admin, e[0], e[1], e[2]), http.StatusServiceUnavailable, "no_cells")
	}
}

func TestAnOrderIsAboutFiveHundredCallsAtMost(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 0)
	limit := "2000-01-01T00:00:00Z" // they expire at once: nothing rings
	for _, n := range []int{500, 1} {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"notificationId":"n%d-%d","recipientId":"user-%d","destinationPhoneNumber":"+819000000001","notAfter":%q}`, n, i, i, limit)
		}
		if a := x.do(&shop, "POST", "/v1/calls:batch", `{"calls":[`+strings.Join(items, ",")+`]}`); a.Status != http.StatusOK {
			t.Fatal(a.Text)
		}
		body := `{"filter":{"state":["expired"]},"reason":"again","dryRun":true}`
		if a := x.do(&admin, "POST", "/v1/recalls", body); n == 500 {
			if a.at("count") != 500.0 {
				t.Error(a.Text)
			}
		} else {
			x.want(a, http.StatusUnprocessableEntity, "too_many_calls")
		}
	}
	made := x.do(&admin, "POST", "/v1/recalls", `{"filter":{"state":["expired"],"notificationId":"n1-0"},"reason":"again"}`)
	if made.at("recalled") != 1.0 {
		t.Error(made.Text)
	}
	x.sweep()
	x.rings(1)
}

// ahead is a clock that is ahead of another one.
type ahead struct {
	call.Clock

	by time.Duration
}

func (a ahead) Now() time.Time { return a.Clock.Now().Add(a.by) }

func twoPeople(o *httpapi.Options) { o.TwoPerson = true }

func TestAnOrderOfTwoPeopleRingsOnlyWhenAnotherAdminConfirmsIt(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 4, twoPeople)
	o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	id, digest := o.text("id"), o.text("digest")
	if o.Status != http.StatusOK || o.text("state") != "pending" || digest == "" || o.text("expiresAt") == "" || o.text("calls", 0, "result") != "waiting" {
		t.Fatal(o.Text)
	}
	confirm, with := "/v1/orders/"+id+"/confirm", `{"digest":"`+digest+`"}`
	x.want(x.do(&admin, "POST", confirm, with), http.StatusForbidden, "second_person_needed")
	ada := access.Principal{Kind: access.Operator, Name: " ADA", Role: access.RoleAdmin}
	x.want(x.do(&ada, "POST", confirm, with), http.StatusForbidden, "second_person_needed")
	x.want(x.do(&keeper, "POST", confirm, with), http.StatusForbidden, "forbidden")
	x.want(x.do(&shop, "POST", confirm, with), http.StatusForbidden, "forbidden")
	nobody := access.Local()
	x.want(x.do(&nobody, "POST", confirm, with), http.StatusForbidden, "role_needed")
	x.want(x.do(&nobody, "POST", "/v1/recalls", `{"filter":{"state":["placed"]},"reason":"x"}`), http.StatusForbidden, "role_needed")
	x.want(x.do(&second, "POST", confirm, `{"digest":"other"}`), http.StatusConflict, "conflict")
	x.want(x.do(&second, "POST", "/v1/orders/none/confirm", with), http.StatusNotFound, "not_found")
	x.do(&admin, "POST", "/v1/recalls", placedByShop) // submitted again: still pending
	x.resumes()
	x.sweep()
	x.rings(4)
	x.restart() // what is pending is in the ledger
	if a := x.do(&reader, "GET", "/v1/orders?state=pending", ""); a.count("orders") != 1 || a.text("orders", 0, "digest") != digest || a.count("orders", 0, "calls") != -1 {
		t.Error(a.Text)
	}
	if a := x.do(&second, "POST", confirm, with); a.Status != http.StatusOK || a.text("state") != "done" || a.text("second") != "bea" || a.at("recalled") != 4.0 {
		t.Error(a.Text)
	}
	x.do(&second, "POST", confirm, with) // its answer was lost
	third := access.Principal{Kind: access.Operator, Name: "cid", Role: access.RoleAdmin}
	x.want(x.do(&third, "POST", confirm, with), http.StatusConflict, "order_not_pending")
	x.want(x.do(&third, "POST", "/v1/orders/"+id+"/refuse", `{"reason":"no"}`), http.StatusConflict, "order_not_pending")
	x.sweep()
	x.rings(8)
	x.audited(id)
}

// audited checks what the audit log was told of an order of two people.
func (x *ordering) audited(id string) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	recalls, lines := map[string]int{}, map[string]int{}
	for _, act := range x.acts {
		if !strings.Contains(act.Reason, "order "+id) {
			continue
		}
		if act.Action == "recallCall" && act.Actor == "ada" && act.Answer == "ok" {
			recalls[act.CallID]++
		}
		lines[act.Action+" "+act.Actor+" "+act.Answer]++
	}
	for _, call := range x.ids {
		if recalls[call] != 1 {
			x.t.Errorf("the re-call of %s is told %d times", call, recalls[call])
		}
	}
	for _, line := range []string{"orderRecalls ada ok", "confirmOrder ada second_person_needed", "confirmOrder bea conflict", "confirmOrder bea ok", "refuseOrder cid order_not_pending"} {
		if lines[line] == 0 {
			x.t.Errorf("no line %q in %v", line, lines)
		}
	}
}

func TestConfirmationsAtOnceCarryAnOrderOutOnce(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 6, twoPeople)
	o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 6 {
		who := access.Principal{Kind: access.Operator, Name: fmt.Sprint("admin-", i/2), Role: access.RoleAdmin} // each of three, twice
		all.Go(func() {
			if a := x.do(&who, "POST", "/v1/orders/"+o.text("id")+"/confirm", `{"digest":"`+o.text("digest")+`"}`); a.Status == http.StatusOK {
				won.Add(1)
			}
		})
	}
	all.Wait()
	x.sweep()
	x.rings(12)
	if n := won.Load(); n < 1 || n > 2 { // one person, both of whose confirmations count as one
		t.Errorf("%d confirmations were taken", n)
	}
}

func TestAConfirmedOrderThatACrashCutOffIsCarriedOn(t *testing.T) {
	t.Parallel()
	for _, itself := range []bool{false, true} {
		x := newOrdering(t, 4, twoPeople)
		o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
		confirm, with := "/v1/orders/"+o.text("id")+"/confirm", `{"digest":"`+o.text("digest")+`"}`
		x.restart(crashing(2))
		x.cut(&second, confirm, with)
		x.restart()
		if a := x.do(&reader, "GET", "/v1/orders/"+o.text("id"), ""); a.text("state") != "confirmed" {
			t.Error(a.Text)
		}
		if !itself {
			if a := x.do(&second, "POST", confirm, with); a.text("state") != "confirmed" {
				t.Error(a.Text) // the one that died may be at work
			}
		}
		x.follows()
		x.sweep()
		x.rings(8)
	}
}

func TestAnOrderExpiresAndARefusedOneRingsNobody(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 2, twoPeople)
	o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	confirm, with := "/v1/orders/"+o.text("id")+"/confirm", `{"digest":"`+o.text("digest")+`"}`
	x.restart(func(o *httpapi.Options) { o.Clock = ahead{o.Clock, twoperson.Lasts} })
	x.want(x.do(&second, "POST", confirm, with), http.StatusConflict, "order_not_pending")
	if a := x.do(&reader, "GET", "/v1/orders?state=expired", ""); a.count("orders") != 1 {
		t.Error(a.Text)
	}
	x.restart()
	refuse := "/v1/orders/" + o.text("id") + "/refuse"
	if a := x.do(&admin, "POST", refuse, `{"reason":"a mistake"}`); a.text("state") != "withdrawn" || a.text("refusal") != "a mistake" {
		t.Error(a.Text)
	}
	x.want(x.do(&second, "POST", confirm, with), http.StatusConflict, "order_not_pending")
	x.resumes()
	x.sweep()
	x.rings(2)
}

func TestWhatWasConfirmedADayAgoIsNotCarriedOn(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 4)
	x.restart(crashing(2))
	x.cut(&admin, "/v1/recalls", placedByShop)
	x.options.Clock = ahead{x.options.Clock, twoperson.Lasts}
	x.restart()
	x.follows()
	x.sweep()
	x.rings(6)
	a := x.do(&reader, "GET", "/v1/orders", "")
	if a.text("orders", 0, "state") != "done" || a.at("orders", 0, "recalled") != 2.0 {
		t.Error(a.Text)
	}
	late := 0
	whole := x.do(&reader, "GET", "/v1/orders/"+a.text("orders", 0, "id"), "")
	for i := range 4 {
		if whole.text("calls", i, "result") == "order_late" {
			late++
		}
	}
	if late != 2 {
		t.Error(whole.Text)
	}
}

func TestAReCallThatIsRefusedIsTold(t *testing.T) {
	t.Parallel()
	x := newOrdering(t, 1)
	of := strings.Replace(requestTo("other", 7), "{", `{"profile":"other",`, 1)
	if a := x.do(&shop, "POST", "/v1/calls", of, "Prefer", "wait=10"); a.text("state") != "placed" {
		t.Fatal(a.Text)
	}
	known := x.app.Engine.Profile
	x.app.Engine.Profile = func(name string) (call.Profile, bool) { // the configuration lost a profile
		if name == "other" {
			return call.Profile{}, false
		}
		return known(name)
	}
	a := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	if a.at("count") != 2.0 || a.at("recalled") != 1.0 || !strings.Contains(a.Text, `"result":"profile_unknown"`) {
		t.Error(a.Text)
	}
	x.sweep()
	x.rings(3)
}

package ledgertest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func index() Suite {
	return Suite{Name: "Index", cases: []exercise{
		{name: "a contact id leads to its row", run: byContact},
		{name: "a second claim of a contact id is kept, and the id leads to the older row", run: byContactTwice},
		{name: "a recipient's rows come newest first", run: byRecipient},
		{name: "the beginning of an id finds its rows", run: byBeginning},
		{name: "a list is newest first and pages without gap or repeat", run: listPages},
		{name: "a list shows only the states that are asked for", run: listStates},
		{name: "a list shows only the key spaces that are asked for", run: listKeySpace},
		{name: "a page of a key space goes on where it ended, whatever came meanwhile", run: listKeySpaceMoving},
		{name: "a page holds 100 rows unless the filter says otherwise", run: listDefault},
		{name: "a foreign cursor is refused", run: listCursor},
		{name: "the rows with a due time come earliest first and page without gap or repeat", run: dueFromPages},
		{name: "a page of rows with a due time goes on where it ended, whichever left meanwhile", run: dueFromMoving},
		{name: "each walks every row with its history", run: eachRow},
		{name: "each stops at the first error", run: eachStops},
	}}
}

func byContact(x *exam) {
	a := x.first("a")
	x.mustCreate(a)
	x.mustCreate(x.first("b"))
	x.mustUpdate(x.placed(a.Row, "contact-a", "op-2"))
	if id, err := x.ByContact(x.ctx, "contact-a"); err != nil || id != "a" {
		x.Errorf("by contact: %q, %v, want a", id, err)
	}
	for _, unknown := range []string{"contact-b", ""} {
		if id, err := x.ByContact(x.ctx, unknown); !errors.Is(err, call.ErrNotFound) {
			x.Errorf("by contact %q: %q, %v, want ErrNotFound", unknown, id, err)
		}
	}
}

// byContactTwice is a breach (I14) that a ledger must not hide by refusing the fact. Whichever row shows the contact id first, it
// leads to the one that was created first.
func byContactTwice(x *exam) {
	a, b := x.first("a"), x.first("b")
	x.mustCreate(a)
	x.mustCreate(b)
	younger := x.placed(b.Row, "contact", "op-b-2")
	x.mustUpdate(younger)
	if id, err := x.ByContact(x.ctx, "contact"); err != nil || id != "b" {
		x.Errorf("by contact: %q, %v, want its only owner b", id, err)
	}
	x.mustUpdate(x.placed(a.Row, "contact", "op-a-2"))
	if id, err := x.ByContact(x.ctx, "contact"); err != nil || id != "a" {
		x.Errorf("by contact: %q, %v, want a, the older of two owners", id, err)
	}
	x.holds("b", b, younger)
}

func byRecipient(x *exam) {
	plain := call.Naming{Mode: call.IdentityPlain}
	for i := range 5 {
		id := fmt.Sprintf("row-%d", i)
		e := opening(id)
		e.Opening.Key.RecipientID = "one"
		if i == 2 {
			e.Opening.Key.KeySpace = "elsewhere"
		}
		x.mustCreate(x.write(call.Begin(id), e, "op-"+id))
	}
	x.mustUpdate(x.held(x.mustGet("row-1"), start, "op-again"))
	for limit, want := range map[int][]string{10: {"row-4", "row-3", "row-1", "row-0"}, 2: {"row-4", "row-3"}} {
		if got, err := x.ByRecipient(x.ctx, plain.Recipient("", "one"), limit); err != nil || !slices.Equal(got, want) {
			x.Errorf("by recipient, at most %d: %v, %v, want %v", limit, got, err, want)
		}
	}
	if got, err := x.ByRecipient(x.ctx, plain.Recipient("elsewhere", "one"), 10); err != nil || !slices.Equal(got, []string{"row-2"}) {
		x.Errorf("by recipient in a named key space: %v, %v", got, err)
	}
	if got, err := x.ByRecipient(x.ctx, plain.Recipient("", "nobody"), 10); err != nil || len(got) != 0 {
		x.Errorf("by an unknown recipient: %v, %v", got, err)
	}
}

func byBeginning(x *exam) {
	ids := []string{"Ab-1", "Ab-2", "Ab_1", "AbA1", "Aba1", "Abz1", "Ac-1", "ab-1", "A"}
	for i, id := range ids {
		e := opening(id)
		e.Opening.Key.NotificationID = fmt.Sprintf("n-%d", i)
		x.mustCreate(x.write(call.Begin(id), e, fmt.Sprintf("op-%d", i)))
	}
	find := func(beginning string, limit int) []string {
		got, err := call.ByBeginning(x.ctx, x.Ledger, beginning, limit)
		if err != nil {
			x.Errorf("by beginning %q: %v", beginning, err)
		}
		slices.Sort(got)
		return got
	}
	check := func(when string) {
		for beginning, want := range map[string][]string{
			"Ab": {"Ab-1", "Ab-2", "AbA1", "Ab_1", "Aba1", "Abz1"}, "Ab-": {"Ab-1", "Ab-2"}, "Abz1": {"Abz1"}, "AB": nil, "Abz11": nil, "B": nil, "%": nil, "_": nil, "": ids,
		} {
			want = slices.Sorted(slices.Values(want))
			if got := find(beginning, 100); !slices.Equal(got, want) {
				x.Errorf("by beginning %q %s: %v, want %v", beginning, when, got, want)
			}
		}
		if got := find("Ab", 2); len(got) != 2 {
			x.Errorf("at most 2 %s: %v", when, got)
		}
	}
	check("at once")
	x.restart()
	check("after a restart")
}

// listed walks a whole list and returns the ids and the number of pages.
func (x *exam) listed(f call.Filter) (ids []string, pages int) {
	x.Helper()
	for {
		page, cursor, err := x.List(x.ctx, f)
		if err != nil {
			x.Fatalf("list: %v", err)
		}
		pages++
		for _, c := range page {
			ids = append(ids, c.ID)
		}
		if cursor == "" {
			return ids, pages
		}
		if pages > 1000 {
			x.Fatalf("the list never ends")
		}
		f.Cursor = cursor
	}
}

func listPages(x *exam) {
	var want []string
	for i := range 10 {
		id := fmt.Sprintf("row-%d", i)
		x.mustCreate(x.first(id))
		want = append(want, id)
	}
	slices.Reverse(want)
	x.mustUpdate(x.held(x.mustGet("row-0"), start, "op-later"))
	for _, limit := range []int{1, 3, 5, 10, 100} {
		got, pages := x.listed(call.Filter{Limit: limit})
		if !slices.Equal(got, want) {
			x.Errorf("list by %d: %v, want %v", limit, got, want)
		}
		if most := (len(want) + limit - 1) / limit; pages > most {
			x.Errorf("list by %d took %d pages, want %d", limit, pages, most)
		}
	}
}

func listStates(x *exam) {
	for i := range 6 {
		id := fmt.Sprintf("row-%d", i)
		x.mustCreate(x.first(id))
		if i%2 == 0 {
			x.mustUpdate(x.placed(x.mustGet(id), "contact-"+id, "op-placed-"+id))
		}
	}
	x.mustCreate(x.tombstone("gone"))
	asked := map[string][]call.State{
		"row-4 row-2 row-0":      {call.Placed},
		"gone row-4 row-2 row-0": {call.Canceled, call.Placed},
		"row-5 row-3 row-1":      {call.Received},
		"":                       {call.InDoubt},
	}
	for want, states := range asked {
		got, _ := x.listed(call.Filter{States: states, Limit: 2})
		if text := fmt.Sprint(got); text != "["+want+"]" {
			x.Errorf("list of %v: %v, want [%s]", states, got, want)
		}
	}
}

// inSpace makes the write that creates a row in a key space.
func (x *exam) inSpace(id, keySpace string) call.Write {
	e := opening(id)
	e.Opening.Key.KeySpace = keySpace
	return x.write(call.Begin(id), e, "op-"+id)
}

func listKeySpace(x *exam) {
	spaces := []string{"alerts", "", "rare", "alerts", "alert", "", "alerts", "Alerts"}
	for i, space := range spaces {
		id := fmt.Sprintf("row-%d", i)
		x.mustCreate(x.inSpace(id, space))
		if i%2 == 0 {
			x.mustUpdate(x.placed(x.mustGet(id), "contact-"+id, "op-placed-"+id))
		}
	}
	for _, limit := range []int{1, 2, 100} {
		for want, f := range map[string]call.Filter{
			"row-6 row-3 row-0":       {KeySpaces: []string{"alerts"}},
			"row-6 row-0":             {KeySpaces: []string{"alerts"}, States: []call.State{call.Placed}},
			"row-3":                   {KeySpaces: []string{"alerts"}, States: []call.State{call.Received, call.InDoubt}},
			"row-2":                   {KeySpaces: []string{"rare"}},
			"row-7":                   {KeySpaces: []string{"Alerts"}},
			"":                        {KeySpaces: []string{"nobody"}},
			"row-7 row-2":             {KeySpaces: []string{"rare", "Alerts"}},
			"row-6 row-3 row-2 row-0": {KeySpaces: []string{"alerts", "rare", "nobody", "alerts"}},
			"row-6 row-4 row-0":       {KeySpaces: []string{"alert", "alerts"}, States: []call.State{call.Placed, call.Canceled}},
			"row-7 row-6 row-5 row-4 row-3 row-2 row-1 row-0": {},
		} {
			f.Limit = limit
			got, _ := x.listed(f)
			if text := fmt.Sprint(got); text != "["+want+"]" {
				x.Errorf("list of %q in %v by %d: %v, want [%s]", f.KeySpaces, f.States, limit, got, want)
			}
		}
	}
}

func listKeySpaceMoving(x *exam) {
	for i := range 9 {
		x.mustCreate(x.inSpace(fmt.Sprintf("row-%d", i), []string{"one", "other"}[i%2]))
	}
	f := call.Filter{KeySpaces: []string{"one"}, Limit: 2}
	var got []string
	for n := 0; ; n++ {
		page, next, err := x.List(x.ctx, f)
		if err != nil || n > 1000 {
			x.Fatalf("list: %v after %d pages", err, n)
		}
		for _, c := range page {
			got = append(got, c.ID)
		}
		if next == "" {
			break
		}
		f.Cursor = next
		x.mustCreate(x.inSpace(fmt.Sprintf("new-%d", n), "one"))
		x.mustCreate(x.inSpace(fmt.Sprintf("else-%d", n), "other"))
		x.mustUpdate(x.held(x.mustGet(fmt.Sprintf("row-%d", n)), start, fmt.Sprintf("op-moved-%d", n)))
	}
	if want := []string{"row-8", "row-6", "row-4", "row-2", "row-0"}; !slices.Equal(got, want) {
		x.Errorf("list of one key space beside new rows: %v, want %v", got, want)
	}
}

func listDefault(x *exam) {
	for i := range 101 {
		x.mustCreate(x.first(fmt.Sprintf("row-%d", i)))
	}
	page, cursor, err := x.List(x.ctx, call.Filter{})
	if err != nil || len(page) != 100 || cursor == "" {
		x.Errorf("list: %d rows, cursor %q, error %v", len(page), cursor, err)
	}
}

func listCursor(x *exam) {
	x.mustCreate(x.first("a"))
	_, _, err := x.List(x.ctx, call.Filter{Cursor: "elsewhere"})
	if call.CodeOf(err) != call.CodeFieldValue {
		x.Errorf("list with a foreign cursor: %v, want code %s", err, call.CodeFieldValue)
	}
}

func eachRow(x *exam) {
	var want []string
	for i := range 130 {
		id := fmt.Sprintf("row-%d", i)
		w := x.first(id)
		x.mustCreate(w)
		for n := range i % 3 {
			w = x.held(w.Row, start.Add(time.Duration(n)*time.Hour), fmt.Sprintf("op-%s-%d", id, n+2))
			x.mustUpdate(w)
		}
		want = append(want, id)
	}
	var got []string
	err := x.Each(x.ctx, func(c call.Call, entries []call.Entry) error {
		got = append(got, c.ID)
		x.whole(c, entries)
		_, err := x.Get(x.ctx, c.ID)
		return err
	})
	if err != nil || !slices.Equal(got, want) {
		x.Errorf("each: %v, rows %v", err, got)
	}
}

func eachStops(x *exam) {
	x.mustCreate(x.first("a"))
	x.mustCreate(x.first("b"))
	enough, calls := errors.New("enough"), 0
	err := x.Each(x.ctx, func(call.Call, []call.Entry) error {
		calls++
		return enough
	})
	if !errors.Is(err, enough) || calls != 1 {
		x.Errorf("each: %v after %d rows, want the function's error after 1", err, calls)
	}
}

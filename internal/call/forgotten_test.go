package call

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// private is a row full of what must not be left of it.
func private(s State, changes ...func(*Call)) Call {
	return at(s, append([]func(*Call){func(c *Call) {
		c.Head, c.Message, c.Fingerprint, c.Destination, c.AskedToken = "head", "private", "private", "+12025550142", "private"
		c.Attributes, c.NotAfter = map[string]string{"private": "private"}, noon
		c.Key = Key{KeySpace: "private", Kind: KindVoice, NotificationID: "private", RecipientID: "private", RecallID: "private", Instead: "private"}
		c.Pin, c.Token = "private", "private"
		c.PinHash = HashBody([]byte(c.Pin))
	}}, changes...)...)
}

// forget returns the row after its erasure, and the erasure's entry.
func forget(t *testing.T, row Call) (Call, Entry) {
	t.Helper()
	event, err := Forgotten(row, "first", noon.Add(day), "ann", "request 7")
	if err != nil {
		t.Fatal(err)
	}
	w, err := row.Write(event, "op-forget")
	if err != nil {
		t.Fatal(err)
	}
	if b := CheckWrite(row, event, w.Row); len(b) > 0 {
		t.Fatal(b)
	}
	return w.Row, w.Entry
}

func TestWhatIsLeftOfAForgottenRow(t *testing.T) {
	t.Parallel()
	for _, s := range States() {
		row := private(s, func(c *Call) {
			c.Ring, c.LastRing, c.PlacedThrough, c.CanceledBefore, c.LinkedTo = 2, 0, noon, noon, "linked"
		})
		event, err := Forgotten(row, "first", noon.Add(day), "ann", "request 7")
		if !s.Final() {
			if CodeOf(err) != CodeNotFinal {
				t.Errorf("%s: %v", s, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		left := row.Apply(event)
		text, err := left.Encode()
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, private := range []string{"private", "2025550142", row.PinHash} {
			if strings.Contains(string(text), private) || strings.Contains(string(body), private) {
				t.Errorf("%s: %q is left in %s or %s", s, private, text, body)
			}
		}
		if left.ID != row.ID || left.Ring != 2 || left.Version != row.Version+1 || left.State != s || left.ContactID != row.ContactID || left.FirstRow != "first" ||
			!left.PlacedThrough.Equal(noon) || !left.CanceledBefore.Equal(noon) || !left.FinalAt.Equal(row.FinalAt) || len(left.Open) != len(row.Open) ||
			left.LinkedTo != "linked" || !left.Forgotten.Equal(noon.Add(day)) {
			t.Errorf("%s: %s", s, text)
		}
		if b := CheckRow(left); len(b) > 0 {
			t.Error(b)
		}
	}
}

func TestWhatCannotBeForgottenYet(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		row  Call
		at   time.Time
		code Code
	}{
		{"an attempt may still be accepted", private(InDoubt), noon.Add(settled), CodeNotSettled},
		{"a placed call with an open attempt", private(Placed, func(c *Call) { c.Open = at(Dialing).Open }), noon.Add(settled), CodeNotSettled},
		{"a claimed ring", private(Placed, func(c *Call) { c.Next = &Child{Ring: 1, Due: noon} }), noon.Add(day), CodeNotFinal},
		{"a forgotten row", private(Placed, func(c *Call) { c.Forgotten = noon }), noon.Add(day), CodeForgotten},
	} {
		if _, err := Forgotten(tc.row, "", tc.at, "ann", "request 7"); CodeOf(err) != tc.code {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.code)
		}
	}
	if _, err := Forgotten(private(InDoubt), "", noon.Add(settled+1), "ann", "request 7"); err != nil {
		t.Errorf("a settled doubt: %v", err)
	}
}

func TestABreachOfAnErasureIsRefused(t *testing.T) {
	t.Parallel()
	row := private(Placed)
	event, err := Forgotten(row, "", noon.Add(day), "ann", "request 7")
	if err != nil {
		t.Fatal(err)
	}
	change := func(change func(*Event, *Call)) Event {
		e, left := event, event.Residue.clone()
		change(&e, &left)
		e.Residue = &left
		return e
	}
	for _, tc := range []struct {
		name, invariant string
		row             Call
		event           Event
	}{
		{"a number is left", "I15", row, change(func(_ *Event, c *Call) { c.Destination = "+12025550142" })},
		{"the contact id is gone", "I10", row, change(func(_ *Event, c *Call) { c.ContactID = "" })},
		{"the state changes", "I15", row, change(func(_ *Event, c *Call) { c.State = Canceled })},
		{"another head", "I9", row, change(func(e *Event, _ *Call) { e.Prev = "other" })},
		{"nothing is left", "I15", row, func() Event { e := event; e.Residue = nil; return e }()},
		{"not settled", "I15", private(InDoubt), change(func(e *Event, c *Call) { *c = private(InDoubt).residue("", noon); e.At = noon })},
		{"a claimed ring", "I15", private(Placed, func(c *Call) { c.Next = &Child{Ring: 1, Due: noon} }), event},
	} {
		expect(t, tc.name, tc.invariant, CheckWrite(tc.row, tc.event, tc.row.Apply(tc.event)))
	}
	mark := Event{Kind: EventForgetting, At: noon}
	leaving := func(c *Call) { c.Forgetting = noon }
	for name, c := range map[string]Call{
		"the erasure begins on a later ring": private(Placed, func(c *Call) { c.Ring = 1 }), "twice": private(Placed, leaving),
		"while it may ring": private(Received), "with a claimed ring": private(Placed, func(c *Call) { c.Next = &Child{Ring: 1, Due: noon} }),
	} {
		expect(t, name, "I15", CheckWrite(c, mark, c.Apply(mark)))
	}
	opened := Event{Kind: EventRingOpened, At: noon, Next: &Child{Ring: 1, Due: noon}}
	kept := private(Placed, leaving)
	expect(t, "a ring of a key that is being forgotten", "I15", CheckWrite(kept, opened, kept.Apply(opened)))
	placed, entries := story(t)
	entries = rewriteAfter(&placed, entries, mark)
	if b := CheckHistory(placed, entries); len(b) > 0 {
		t.Errorf("an erasure that began: %v", b)
	}
	entries = rewriteAfter(&placed, entries, opened)
	expect(t, "a history in which it rings on", "I15", CheckHistory(placed, entries))
	left, _ := forget(t, row)
	body := Event{Kind: EventBodyAttached, At: noon, Opening: &Opening{Fingerprint: "f", Destination: "+12025550142"}}
	expect(t, "a body comes back", "I15", CheckWrite(left, body, left.Apply(body)))
}

// erased returns a clean forgotten row with one fact after its erasure.
func erased(t *testing.T) (Call, []Entry) {
	t.Helper()
	row, entries := story(t)
	if len(entries) < 3 {
		t.Fatal("the story is too short")
	}
	row, entry := forget(t, row)
	entries = rewriteAfter(&row, []Entry{entry}, Event{Kind: EventNoted, At: noon.Add(2 * day)})
	return row, entries
}

// rewriteAfter makes the row the fold of the entries and one more event, with a valid chain.
func rewriteAfter(c *Call, entries []Entry, event Event) []Entry {
	w, err := c.Write(event, fmt.Sprintf("op-after-%d", len(entries)))
	if err != nil {
		panic(err)
	}
	*c = w.Row
	return append(entries, w.Entry)
}

func TestTheHistoryOfAForgottenRowBeginsWithItsErasure(t *testing.T) {
	t.Parallel()
	row, entries := erased(t)
	if b := CheckHistory(row, entries); len(b) > 0 {
		t.Fatal(b)
	}
	if b := CheckLedger([]Call{row}, noon, time.Minute); len(b) > 0 {
		t.Error(b)
	}
	if b := CheckTruth([]Call{row}, map[string][]string{"row": {"contact"}}); len(b) > 0 {
		t.Error(b)
	}
	for _, tc := range []struct {
		name, invariant string
		plant           func(*Call, []Entry) []Entry
	}{
		{"the erasure was edited", "I9", func(_ *Call, e []Entry) []Entry {
			e[0].Body = []byte(strings.Replace(string(e[0].Body), "request 7", "request 8", 1))
			return e
		}},
		{"the residue was edited, and the row with it", "I9", func(c *Call, e []Entry) []Entry {
			e[0].Body = []byte(strings.ReplaceAll(string(e[0].Body), `"contact"`, `"other"`))
			c.ContactID = "other"
			return e
		}},
		{"the erasure is gone", "I9", func(_ *Call, e []Entry) []Entry { return e[1:] }},
		{"the hash before it was edited", "I9", func(_ *Call, e []Entry) []Entry {
			e[0].Body = []byte(strings.Replace(string(e[0].Body), `"prev":"`, `"prev":"0`, 1))
			return e
		}},
		{"the history of before is still there", "I15", func(_ *Call, e []Entry) []Entry {
			_, before := story(t)
			return append(before, e...)
		}},
		{"it stands at another place", "I9", func(_ *Call, e []Entry) []Entry { e[0].Seq++; return e }},
		{"the row says that it is not forgotten", "I9", func(c *Call, e []Entry) []Entry { c.Forgotten = time.Time{}; return e }},
	} {
		row, entries := erased(t)
		entries = tc.plant(&row, entries)
		expect(t, tc.name, tc.invariant, CheckHistory(row, entries))
	}
}

func TestAHistoryWhoseBeginningWasDroppedIsNoErasure(t *testing.T) {
	t.Parallel()
	for n := 1; n < 5; n++ {
		row, entries := story(t)
		expect(t, fmt.Sprintf("%d entries were dropped", n), "I9", CheckHistory(row, entries[n:]))
	}
	// Somebody forges the erasure of a row that is not final, or that keeps its number, with a valid chain.
	for name, residue := range map[string]Call{"a number": private(Placed), "a call that may be dialed": at(Received).residue("", noon)} {
		row := Begin("row")
		row.Version, row.Head = 4, "head"
		residue.Forgotten = noon
		w, err := row.Write(Event{Kind: EventForgotten, At: noon, Residue: &residue, Prev: row.Head}, "op")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "forged with "+name, "I15", CheckHistory(w.Row, []Entry{w.Entry}))
	}
	row := Begin("row")
	row.Version = 4
	left := private(Placed).residue("", noon)
	w, err := row.Write(Event{Kind: EventForgotten, At: noon, Residue: &left}, "op")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "forged without the hash before it", "I9", CheckHistory(w.Row, []Entry{w.Entry}))
}

func TestRingsOfAForgottenKeyStayTogether(t *testing.T) {
	t.Parallel()
	ring := func(n int) Call {
		return at(Placed, func(c *Call) {
			c.ID, c.Ring, c.Token, c.ContactID, c.Head = fmt.Sprint("row-", n), n, fmt.Sprint("token-", n), fmt.Sprint("contact-", n), "head"
			if n == 0 {
				c.LastRing = 2
			}
		})
	}
	gone := func(n int) Call {
		left := ring(n).residue("row-0", noon)
		left.ID, left.Version = fmt.Sprint("row-", n), 4
		return left
	}
	other := at(Placed, func(c *Call) {
		c.ID, c.Token, c.ContactID, c.Head = "other", "other", "other", "head"
	}).residue("", noon)
	other.ID, other.Version = "other", 4
	for name, rows := range map[string][]Call{
		"none": {ring(0), ring(1), ring(2)}, "the highest": {ring(0), ring(1), gone(2), other}, "all but the first": {ring(0), gone(1), gone(2)},
		"all": {gone(0), gone(1), gone(2), other},
	} {
		if b := CheckLedger(rows, noon, time.Minute); len(b) > 0 {
			t.Errorf("%s forgotten: %v", name, b)
		}
	}
	for name, tc := range map[string]struct {
		invariant string
		rows      []Call
	}{
		"a lost ring of a forgotten key":            {"I13", []Call{gone(0), gone(2)}},
		"a lost last ring of a forgotten key":       {"I12", []Call{gone(0), gone(1)}},
		"a lost ring of a key that is half done":    {"I13", []Call{ring(0), gone(2)}},
		"a forgotten ring that nobody claimed":      {"I13", []Call{gone(0), gone(1), gone(2), gone(3)}},
		"a ring number twice":                       {"I13", []Call{ring(0), ring(1), ring(2), gone(2)}},
		"a lost first row, of which nobody is left": {"I13", []Call{gone(2)}},
	} {
		expect(t, name, tc.invariant, CheckLedger(tc.rows, noon, time.Minute))
	}
}

// TestAProgramThatCannotForgetRefusesAForgottenRow holds that nothing but the schema of a forgotten row keeps an older program from reading it
// as a call without a recipient: it drops members that it does not know.
func TestAProgramThatCannotForgetRefusesAForgottenRow(t *testing.T) {
	t.Parallel()
	const ofBefore = 1 // what a program knows that was made before rows were forgotten
	row := private(Placed, func(c *Call) { c.Ring = 1 })
	forgotten, _ := forget(t, row)
	late := forgotten.Apply(Event{Kind: EventContact, At: noon, ContactID: "late"})
	for name, c := range map[string]Call{"a forgotten row": forgotten, "the same after a late fact": late} {
		data, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := DecodeCall(data); err != nil || !back.IsForgotten() || back.FirstRow != "first" {
			t.Errorf("%s is read as %+v, error %v", name, back, err)
		}
		if c.Schema <= ofBefore {
			t.Errorf("%s has schema %d: an older program would ring it again", name, c.Schema)
		}
	}
	if row.Schema > ofBefore || Begin("id").Schema > ofBefore {
		t.Errorf("a row that is not forgotten has schema %d: an older program would refuse it without need", row.Schema)
	}
}

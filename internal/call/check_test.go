package call

import (
	"fmt"
	"testing"
	"time"
)

// story returns a row with a clean history: dialed, lost, dialed again, placed.
func story(t testing.TB) (Call, []Entry) {
	t.Helper()
	row, entries := Begin("row"), []Entry{}
	write := func(event Event) {
		w, err := row.Write(event, fmt.Sprintf("op-%d", len(entries)))
		if err != nil {
			t.Fatal(err)
		}
		if breaches := CheckWrite(row, event, w.Row); len(breaches) > 0 {
			t.Fatal(breaches)
		}
		row, entries = w.Row, append(entries, w.Entry)
	}
	write(Event{Kind: EventAccepted, At: noon, Due: noon, Opening: &Opening{Key: article(), Cause: CauseRequest, Fingerprint: "f", Token: "t"}})
	write(Intent(row, "a1", []byte("body"), Target{}, noon, ""))
	write(Result(row, "a1", Answer{Class: ClassAmbiguous}, Profile{Resend: ResendToken}, noon, 0))
	write(Intent(row, "a2", []byte("body"), Target{}, noon, ""))
	write(Result(row, "a2", Answer{Class: ClassOK, ContactID: "contact"}, Profile{}, noon, 0))
	return row, entries
}

func expect(t *testing.T, name, invariant string, breaches []Breach) {
	t.Helper()
	for _, b := range breaches {
		if b.Invariant == invariant && b.RowID != "" && b.Detail != "" && b.String() != "" {
			return
		}
	}
	t.Errorf("%s: %s is not reported, only %v", name, invariant, breaches)
}

func TestACleanRunReportsNothing(t *testing.T) {
	t.Parallel()
	row, entries := story(t)
	if b := CheckHistory(row, entries); len(b) > 0 {
		t.Error(b)
	}
	if b := CheckLedger([]Call{row}, noon, time.Minute); len(b) > 0 {
		t.Error(b)
	}
	if b := CheckTruth([]Call{row}, map[string][]string{"row": {"contact"}}); len(b) > 0 {
		t.Error(b)
	}
	for _, s := range States() {
		if b := CheckRow(at(s)); len(b) > 0 {
			t.Error(s, b)
		}
	}
}

func TestABreachOfARowIsReported(t *testing.T) {
	t.Parallel()
	open := at(Dialing).Open
	for _, tc := range []struct {
		name, invariant string
		c               Call
	}{
		{"failed with an open attempt", "I3", at(Failed, func(c *Call) { c.Open = open })},
		{"expired with an open attempt", "I3", at(Expired, func(c *Call) { c.Open = open })},
		{"canceled with a contact id", "I3", at(Canceled, func(c *Call) { c.ContactID = "c" })},
		{"placed without a contact id", "I4", at(Placed, func(c *Call) { c.ContactID = "" })},
		{"bytes that fail their hash", "I5", at(Dialing, func(c *Call) { c.Pin = "other" })},
		{"an open attempt without firstSigned", "I6", at(Dialing, func(c *Call) { c.FirstSigned = time.Time{} })},
		{"received with an open attempt", "I2", at(Received, func(c *Call) { c.Open = open })},
		{"dialing without an attempt", "I2", at(Dialing, func(c *Call) { c.Open = nil })},
		{"a state nobody knows", "I9", at("ringing")},
		{"a second contact id", "I10", at(Placed, func(c *Call) { c.Anomalies = []string{"other"} })},
		{"received and never due", "I12", at(Received, func(c *Call) { c.Due = time.Time{} })},
		{"dialing and never due", "I12", at(Dialing, func(c *Call) { c.Due = time.Time{} })},
		{"a next ring that is never due", "I12", at(Placed, func(c *Call) { c.Next = &Child{Ring: 1} })},
		{"a turn that is never due", "I12", at(Placed, func(c *Call) { c.Turn = &Turn{} })},
		{"an end that nobody is asked to follow", "I12", at(Placed, follows)},
		{"a failure that nobody is asked to follow", "I12", at(Failed, follows)},
		{"a withdrawn step of a list that nobody is asked to follow", "I12", at(Canceled, follows, func(c *Call) { c.EscalatedFrom, c.Escalation = "head", []Recipient{{RecipientID: "next"}} })},
		{"an end that decides and that nobody looks for", "I12", at(Received, follows, func(c *Call) { c.Tracked = false })},
	} {
		expect(t, tc.name, tc.invariant, CheckRow(tc.c))
	}
}

func TestADecisionThatWouldBreakAnInvariantIsReported(t *testing.T) {
	t.Parallel()
	intent := func(c Call) Event { return Intent(c, "a9", []byte("body"), Target{}, noon.Add(time.Minute), "") }
	repinned := intent(at(Received))
	repinned.Pin, repinned.body = HashBody([]byte("new")), "new"
	resigned := intent(at(Received))
	resigned.Signed = noon.Add(time.Minute)
	late := intent(at(Received))
	late.At = noon.Add(TokenUse + 1)
	early := intent(at(Received))
	early.At = noon.Add(-1)
	ring := func(n int) Event { return Event{Kind: EventRingOpened, At: noon, Next: &Child{Ring: n, Due: noon}} }
	for _, tc := range []struct {
		name, invariant string
		before          Call
		event           Event
	}{
		{"an intent after in doubt (N22)", "I8", at(InDoubt), intent(at(InDoubt))},
		{"an intent after placed", "I8", at(Placed), intent(at(Placed))},
		{"an intent after a cancel (R25)", "I8", at(Dialing, canceling), intent(at(Dialing))},
		{"a new pin (R3)", "I11", at(Received), repinned},
		{"a new firstSigned (R1)", "I11", at(Received), resigned},
		{"an intent after the token's use (N3)", "I6", at(Received), late},
		{"an intent before firstSigned (N12)", "I6", at(Received), early},
		{"an intent without bytes", "I5", at(Received, func(c *Call) { c.Pin, c.PinHash = "", "" }), Event{Kind: EventIntent, At: noon, Attempt: &Attempt{ID: "a"}}},
		{"an intent on a fenced ring", "I13", at(Received, func(c *Call) { c.Superseded = CauseRepin }), intent(at(Received))},
		{"failed while an attempt is open (N5, N20)", "I3", at(Dialing), Event{Kind: EventFailed, At: noon}},
		{"expired while an attempt is open", "I3", at(Dialing), Event{Kind: EventExpired, At: noon}},
		{"canceled while an attempt is open (R22)", "I3", at(Dialing), Event{Kind: EventCanceled, At: noon}},
		{"failed after placed", "I3", at(Placed), Event{Kind: EventFailed, At: noon}},
		{"in doubt without an attempt", "I3", at(Received), Event{Kind: EventDoubted, At: noon}},
		{"a ring number is skipped", "I13", at(Placed), ring(2)},
		{"a ring number comes twice (R6)", "I13", at(Placed, func(c *Call) { c.LastRing = 1 }), ring(1)},
		{"a ring opened on a later ring", "I13", at(Placed, func(c *Call) { c.Ring = 1 }), ring(1)},
		{"closed by the next ring with an attempt open (R4)", "I3", at(Dialing), Event{Kind: EventRingOpened, At: noon, Closes: true, Next: &Child{Ring: 1, Due: noon}}},
		{"superseded with an attempt open", "I13", at(Dialing), Event{Kind: EventSuperseded, At: noon}},
		{"a second beginning", "I13", at(Received), Event{Kind: EventAccepted, At: noon, Due: noon, Opening: &Opening{}}},
		{"held without a due time", "I12", at(Received), Event{Kind: EventHeld, At: noon}},
	} {
		expect(t, tc.name, tc.invariant, CheckWrite(tc.before, tc.event, tc.before.Apply(tc.event)))
	}
	row := at(Placed)
	changed := row.Apply(Event{Kind: EventNoted})
	changed.ContactID = "other"
	expect(t, "a contact id changes", "I10", CheckWrite(row, Event{Kind: EventNoted}, changed))
	skipped := row.Apply(Event{Kind: EventNoted})
	skipped.Version++
	expect(t, "a version is skipped", "I9", CheckWrite(row, Event{Kind: EventNoted}, skipped))
}

func TestAFactIsMergedWhateverItSaysAndReportedAfterwards(t *testing.T) {
	t.Parallel()
	failed := at(Failed)
	event := Event{Kind: EventContact, At: noon, ContactID: "c"}
	after := failed.Apply(event)
	if b := CheckWrite(failed, event, after); len(b) > 0 {
		t.Errorf("a fact is refused: %v", b)
	}
	expect(t, "afterwards", "I10", CheckRow(after))
	note := Event{Kind: EventNoted, At: noon, Reason: "seen"}
	if b := CheckWrite(after, note, after.Apply(note)); len(b) > 0 {
		t.Errorf("a broken row cannot be annotated: %v", b)
	}
}

func TestABreachOfAHistoryIsReported(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, invariant string
		plant           func(*Call, []Entry) []Entry
	}{
		{"an entry is gone", "I9", func(_ *Call, e []Entry) []Entry { return append(e[:2], e[3:]...) }},
		{"the last entry is gone", "I9", func(_ *Call, e []Entry) []Entry { return e[:len(e)-1] }},
		{"an entry was changed", "I9", func(_ *Call, e []Entry) []Entry { e[2].Body = append([]byte(" "), e[2].Body...); return e }},
		{"a column was changed", "I9", func(_ *Call, e []Entry) []Entry { e[2].Kind = EventNoted; return e }},
		{"two entries were swapped", "I9", func(_ *Call, e []Entry) []Entry { e[1], e[2] = e[2], e[1]; return e }},
		{"an entry cannot be read", "I9", func(_ *Call, e []Entry) []Entry { e[2].Body = []byte("{"); return e }},
		{"the row was changed", "I9", func(c *Call, e []Entry) []Entry { c.ContactID = "other"; return e }},
		{"another row's history", "I9", func(c *Call, e []Entry) []Entry { c.ID = "other"; return e }},
		{"an op id comes twice", "I13", func(_ *Call, e []Entry) []Entry { e[3].Op = e[2].Op; return e }},
		{"an intent after in doubt", "I8", func(c *Call, e []Entry) []Entry {
			e = rewrite(c, e[:3], Event{Kind: EventDoubted, At: noon})
			return rewrite(c, e, Intent(*c, "a9", nil, Target{}, noon, ""))
		}},
		{"an answer without an intent", "I2", func(c *Call, e []Entry) []Entry {
			return rewrite(c, e[:3], Event{Kind: EventResult, At: noon, AttemptID: "nobody", Class: ClassThrottled})
		}},
		{"an event of another program", "I9", func(c *Call, e []Entry) []Entry { return rewrite(c, e, Event{Kind: "teleported", At: noon}) }},
		{"an opening without its members", "I9", func(c *Call, e []Entry) []Entry {
			rewrite(c, nil, Event{Kind: EventAccepted, At: noon})
			*c = at(Placed)
			return rewrite(&Call{}, nil, Event{Kind: EventAccepted, At: noon})
		}},
	} {
		row, entries := story(t)
		entries = tc.plant(&row, entries)
		expect(t, tc.name, tc.invariant, CheckHistory(row, entries))
	}
}

// rewrite makes the row the fold of the entries and one more event, with a valid chain.
func rewrite(c *Call, entries []Entry, event Event) []Entry {
	row := Begin("row")
	for _, entry := range entries {
		e, err := entry.Event()
		if err != nil {
			panic(err)
		}
		row = row.Apply(e)
		row.Head = entry.Hash
	}
	w, err := row.Write(event, fmt.Sprintf("op-%d", len(entries)))
	if err != nil {
		panic(err)
	}
	*c = w.Row
	return append(entries, w.Entry)
}

func TestABreachBetweenRowsIsReported(t *testing.T) {
	t.Parallel()
	other := func(changes ...func(*Call)) Call {
		return at(Placed, append([]func(*Call){func(c *Call) {
			c.ID, c.Token, c.ContactID, c.Key.NotificationID = "other", "other token", "other contact", "other"
		}}, changes...)...)
	}
	ring := func(n int) Call { return other(func(c *Call) { c.ID, c.Ring, c.Key = "ring", n, article() }) }
	claims := func(n int) func(*Call) { return func(c *Call) { c.LastRing = n } }
	ruled := func(n, recalls int) Call {
		c := ring(n)
		c.Cause, c.Recalls = CauseRule, recalls
		return c
	}
	for _, tc := range []struct {
		name, invariant string
		rows            []Call
	}{
		{"one token, two calls", "I14", []Call{at(Placed), other(func(c *Call) { c.Token = "token" })}},
		{"one token, two bodies", "I5", []Call{at(Placed), other(func(c *Call) { c.Token, c.PinHash = "token", "other" })}},
		{"one contact, two calls (R14)", "I14", []Call{at(Placed), other(func(c *Call) { c.ContactID = "contact" })}},
		{"one ring number, two rows", "I13", []Call{at(Placed), ring(0)}},
		{"a ring number is skipped", "I13", []Call{at(Placed, claims(2)), ring(2)}},
		{"a ring nobody claimed", "I13", []Call{at(Placed), ring(1)}},
		{"a rule that uses up no budget", "I13", []Call{at(Placed, claims(1)), ruled(1, 0)}},
		{"a rule that uses up its budget twice", "I13", []Call{at(Placed, claims(1)), ruled(1, 2)}},
		{"a rule for another request", "I13", []Call{at(Placed, claims(1), func(c *Call) { c.RequestedAt = noon }), ruled(1, 1)}},
		{"a claimed ring that does not exist (R11, R20)", "I12", []Call{at(Placed, claims(1))}},
		{"due and not swept (N17)", "I12", []Call{at(Dialing, due(-2*time.Minute))}},
		{"received and not swept", "I12", []Call{at(Received, due(-2*time.Minute))}},
		{"a next ring and not swept", "I12", []Call{at(Placed, claims(1), func(c *Call) { c.Next = &Child{Ring: 1, Due: noon.Add(-2 * time.Minute)} })}},
		{"held without a reason", "I12", []Call{at(Received, due(time.Hour), func(c *Call) { c.DueReason = "" })}},
	} {
		expect(t, tc.name, tc.invariant, CheckLedger(tc.rows, noon, time.Minute))
	}
	if b := CheckLedger([]Call{at(Received, due(-time.Hour))}, noon, 0); len(b) > 0 {
		t.Errorf("without a sweeper a row is called overdue: %v", b)
	}
	clean := []Call{at(Placed, claims(1)), ring(1)}
	if b := CheckLedger(clean, noon, time.Minute); len(b) > 0 {
		t.Errorf("clean rows: %v", b)
	}
}

func TestALieAboutThePhoneIsReported(t *testing.T) {
	t.Parallel()
	rang := func(contacts ...string) map[string][]string { return map[string][]string{"row": contacts} }
	for _, tc := range []struct {
		name, invariant string
		rows            []Call
		rings           map[string][]string
	}{
		{"two rings (G1)", "I1", []Call{at(Placed)}, rang("contact", "second")},
		{"placed and nothing rang", "I4", []Call{at(Placed)}, nil},
		{"placed with another contact", "I4", []Call{at(Placed)}, rang("second")},
		{"rang without a row", "I7", nil, rang("contact")},
		{"failed and rang (G5)", "I3", []Call{at(Failed)}, rang("contact")},
		{"expired and rang", "I3", []Call{at(Expired)}, rang("contact")},
		{"canceled and rang", "I3", []Call{at(Canceled)}, rang("contact")},
		{"rang without an intent", "I2", []Call{at(Received, func(c *Call) { c.AttemptCount = 0 })}, rang("contact")},
	} {
		expect(t, tc.name, tc.invariant, CheckTruth(tc.rows, tc.rings))
	}
	if b := CheckTruth([]Call{at(InDoubt)}, rang("contact")); len(b) > 0 {
		t.Errorf("a doubt is no lie: %v", b)
	}
}

// follows makes what comes after the end of a row a matter to decide.
func follows(c *Call) { c.Tracked, c.Follows = true, true }

package audit_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

func opened(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func change(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	result, err := db.ExecContext(t.Context(), text, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed %d rows: %v", text, n, err)
	}
}

// TestTamperingBesideTheHistoryIsNoticed changes what decides about the next delivery, and is in no chain.
func TestTamperingBesideTheHistoryIsNoticed(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	for name, tc := range map[string]struct{ text, detail string }{
		"a call leaves the index of ids":        {`DELETE FROM ids WHERE call = 3`, "its next delivery would be new"},
		"a token leaves its index":              {`DELETE FROM tokens WHERE call = 3`, "the index of tokens does not know"},
		"a contact leaves its index":            {`DELETE FROM contacts WHERE call = 1`, "the index of contacts does not know"},
		"a recipient leaves its index":          {`DELETE FROM recipients WHERE call = 3`, "the index of recipients does not know"},
		"an id leads to another call":           {`UPDATE ids SET call = 2 WHERE call = 3`, "to another call"},
		"a contact leads nowhere":               {`UPDATE contacts SET call = 999 WHERE call = 1`, "to no call"},
		"the due time in the column":            {`UPDATE calls SET due = 4 WHERE number = 1`, "its column due disagrees"},
		"the state in the column":               {`UPDATE calls SET state = 'failed' WHERE number = 1`, "its column state disagrees"},
		"the version in the column":             {`UPDATE calls SET version = version + 1 WHERE number = 1`, "the ledger counts"},
		"the recipient in the column":           {`UPDATE calls SET recipient = 'x' WHERE number = 1`, "its column recipient disagrees"},
		"the document":                          {`UPDATE calls SET doc = CAST(replace(CAST(doc AS TEXT), 'placed', 'failed') AS BLOB) WHERE number = 1`, "not the fold"},
		"a document that cannot be read":        {`UPDATE calls SET doc = x'7b' WHERE number = 1`, "cannot be read"},
		"the count of writes":                   {`UPDATE ledger SET high_water = high_water - 1`, "the ledger counts"},
		"an erased token belongs to nobody":     {`UPDATE erased_tokens SET call = 999 WHERE call IN (SELECT call FROM erased_tokens LIMIT 1)`, "an erased token belongs to call number 999"},
		"a number in a document, and its chain": {`UPDATE calls SET doc = CAST(replace(CAST(doc AS TEXT), '+8190', '+8180') AS BLOB) WHERE number = 1`, "not the fold"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t, run.ledger)
			db := opened(t, path)
			change(t, db, tc.text)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			report, err := judge(t, path, run.truth)
			if err != nil {
				if !strings.Contains(err.Error(), tc.detail) {
					t.Errorf("got %v", err)
				}
				return
			}
			for _, f := range report.Findings {
				if strings.Contains(f.Detail, tc.detail) {
					return
				}
			}
			t.Errorf("not noticed, only %+v", report.Findings)
		})
	}
}

// TestWhatHasNoWitnessCannotBeSeen holds docs/audit.md to its word: who rewrites a whole chain, with everything that follows from it, is not
// noticed by the chain; what the truth log knows is.
func TestWhatHasNoWitnessCannotBeSeen(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	for name, tc := range map[string]struct {
		rewrite func(*call.Event)
		seen    bool
	}{
		"what a person said":       {func(e *call.Event) { e.Actor = "somebody else" }, false},
		"which contact it was":     {func(e *call.Event) { e.ContactID = strings.Replace(e.ContactID, "-", "0", 1) }, true},
		"which number was rung":    {func(e *call.Event) { number(e) }, true},
		"that it was placed":       {func(e *call.Event) { refusal(e) }, true},
		"which token it rang with": {func(e *call.Event) { token(e) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t, run.ledger)
			forge(t, path, tc.rewrite)
			report, err := judge(t, path, run.truth)
			if err != nil {
				t.Fatal(err)
			}
			if report.Sound() == tc.seen {
				t.Errorf("seen: %t, findings %+v", !report.Sound(), report.Findings)
			}
			for _, f := range report.Findings {
				if f.Where == "ledger" && f.Invariant == "I9" && strings.Contains(f.Detail, "chain") {
					t.Errorf("the forgery broke a chain: %+v", f)
				}
			}
		})
	}
}

func number(e *call.Event) {
	if e.Opening != nil {
		opening := *e.Opening
		opening.Destination = "+819000000999"
		e.Opening = &opening
	}
}

func token(e *call.Event) {
	if e.Opening != nil {
		opening := *e.Opening
		opening.Token = "another"
		e.Opening = &opening
	}
}

func refusal(e *call.Event) {
	if e.Class == call.ClassOK {
		e.Class, e.Code, e.ContactID, e.From = call.ClassRefusedRequest, "invalid_parameter", "", ""
	}
}

// forge rewrites the history of the first call, with valid hashes, and the row with it.
func forge(t *testing.T, path string, rewrite func(*call.Event)) {
	t.Helper()
	config := configOf(path)
	store, _, err := config.OpenLedger(t.Context(), app.Options{Stores: stores.All(), Clock: app.SystemClock{}, LookupEnv: app.LookupNothing, ReadOnly: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	var row call.Call
	var entries []call.Entry
	err = store.Admin.Each(t.Context(), func(c call.Call, e []call.Entry) error {
		row, entries = c, e
		return context.Canceled // the first is enough
	})
	if row.ID == "" || store.Close() != nil {
		t.Fatal(err)
	}
	db := opened(t, path)
	forged := call.Begin(row.ID)
	for _, entry := range entries {
		event, err := entry.Event()
		if err != nil {
			t.Fatal(err)
		}
		rewrite(&event)
		w, err := forged.Write(event, entry.Op)
		if err != nil {
			t.Fatal(err)
		}
		forged = w.Row
		change(t, db, "UPDATE history SET body = ?, hash = ? WHERE op = ?", w.Entry.Body, w.Entry.Hash, entry.Op)
	}
	forged.Pin = row.Pin // the body is in no event
	doc, err := forged.Encode()
	if err != nil {
		t.Fatal(err)
	}
	null := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	change(t, db, "UPDATE calls SET doc = ?, state = ?, token = ?, contact = ? WHERE number = 1", doc, string(forged.State), null(forged.Token), null(forged.ContactID))
	change(t, db, "UPDATE tokens SET token = ? WHERE call = 1", forged.Token)
	change(t, db, "UPDATE contacts SET contact = ? WHERE call = 1", forged.ContactID)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

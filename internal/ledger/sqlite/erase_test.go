package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

const (
	canaryNumber    = "+12025550142"
	canaryRecipient = "canary-recipient"
)

// canaries are texts of one recipient's calls that must not outlive their erasure.
func canaries() []string {
	return []string{
		"2025550142", canaryRecipient, "canary-notification", "canary-token", "canary-attribute", "canary-fingerprint", "canary-asked",
		"canary-delivery", "canary-body", call.Naming{}.Recipient("", canaryRecipient),
	}
}

// sung makes the write that creates a row full of canaries; the attributes are larger than a page.
func sung(t *testing.T, id string) call.Write {
	t.Helper()
	w := write(t, call.Begin(id), call.Event{
		Kind: call.EventAccepted, At: noon, Due: noon, Delivery: &call.Arrival{Source: call.SourceSQS, ID: "canary-delivery-" + id},
		Opening: &call.Opening{
			Key:   call.Key{Kind: call.KindVoice, NotificationID: "canary-notification-" + id, RecipientID: canaryRecipient},
			Cause: call.CauseRequest, Destination: canaryNumber, Token: "canary-token-" + id, Fingerprint: "canary-fingerprint-" + id,
			AskedToken: "canary-asked-" + id, Attributes: map[string]string{"text": strings.Repeat("canary-attribute ", 400)},
		},
	}, "op-"+id+"-1")
	w.Row.Pin = "canary-body " + canaryNumber
	return w
}

func send(t *testing.T, written call.Written, err error) call.Call {
	t.Helper()
	if err != nil || !written.Applied {
		t.Fatalf("applied %t, error %v", written.Applied, err)
	}
	return written.Row
}

// choir makes rows with canaries among rows without, moves all of them so that pages are split, freed and filled again, and returns
// the erasures of those with canaries.
func choir(t *testing.T, l *sqlite.Ledger) (erasures []call.Write) {
	t.Helper()
	var rows []call.Call
	for i := range 120 {
		w := accepted(t, fmt.Sprintf("row-%d", i))
		if i%4 == 0 {
			w = sung(t, fmt.Sprintf("row-%d", i))
		}
		written, err := l.Create(t.Context(), w)
		rows = append(rows, send(t, written, err))
	}
	for round := range 6 {
		for i, c := range rows {
			w := write(t, c, call.Event{Kind: call.EventHeld, At: noon, Due: noon.Add(time.Hour), Reason: strings.Repeat("x", 1+i*round%700)}, fmt.Sprintf("op-%s-%d", c.ID, round))
			written, err := l.Update(t.Context(), w)
			rows[i] = send(t, written, err)
			note := call.Note{RowID: c.ID, Kind: call.NoteConflict, At: noon, Reason: "conflict", Fingerprint: fmt.Sprintf("other-%d", round)}
			if i%4 == 0 {
				note.Fingerprint, note.Delivery = "canary-fingerprint "+note.Fingerprint, &call.Arrival{ID: "canary-delivery"}
			}
			if err := l.Note(t.Context(), note); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, c := range rows {
		written, err := l.Update(t.Context(), write(t, c, call.Event{Kind: call.EventContact, At: noon, ContactID: "contact-" + c.ID}, "op-"+c.ID+"-placed"))
		if c = send(t, written, err); i%4 != 0 {
			continue
		}
		event, err := call.Forgotten(c, c.ID, noon.Add(time.Hour), "kim", "request 7")
		if err != nil {
			t.Fatal(err)
		}
		erasures = append(erasures, write(t, c, event, "op-"+c.ID+"-forget"))
	}
	return erasures
}

// remains returns the canaries that are still in the files of a ledger, and where.
func remains(t *testing.T, o sqlite.Options) (found []string) {
	t.Helper()
	files, err := filepath.Glob(o.Path + "*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range append(files, o.WitnessPath) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, canary := range canaries() {
			if n := bytes.Count(content, []byte(canary)); n > 0 {
				found = append(found, fmt.Sprintf("%d times %q in %s", n, canary, strings.TrimPrefix(filepath.Base(file), filepath.Base(o.Path))))
			}
		}
	}
	return found
}

func TestNoByteOfAForgottenRecipientIsLeftInTheFiles(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	erasures := choir(t, l)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := remains(t, o); len(found) < len(canaries()) {
		t.Fatalf("before the erasure only these sing: %q", found)
	}
	for _, w := range erasures {
		written, err := l.Erase(t.Context(), w)
		send(t, written, err)
	}
	if err := l.Scrub(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if found := remains(t, o); len(found) > 0 {
		t.Errorf("after the erasure: %q", found)
	}
	// A late fact and a late note bring nothing back.
	row := erasures[0].Row
	written, err := l.Update(t.Context(), write(t, row, call.Event{Kind: call.EventContact, At: noon, ContactID: "late"}, "op-late"))
	send(t, written, err)
	if err := l.Note(t.Context(), call.Note{RowID: row.ID, Kind: call.NoteConflict, Fingerprint: "canary-fingerprint", Delivery: &call.Arrival{ID: "canary-delivery"}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if found := remains(t, o); len(found) > 0 {
		t.Errorf("after closing: %q", found)
	}
	again := open(t, o)
	if ids, err := again.ByRecipient(t.Context(), call.Naming{}.Recipient("", canaryRecipient), 100); err != nil || len(ids) > 0 {
		t.Errorf("by recipient: %v, %v", ids, err)
	}
	sound(t, again, 120)
}

// TestAProcessThatDiesBetweenErasureAndScrubIsFinishedByTheNext is the crash that leaves the log full.
func TestAProcessThatDiesBetweenErasureAndScrubIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	for _, w := range choir(t, l) {
		written, err := l.Erase(t.Context(), w)
		send(t, written, err)
	}
	if found := remains(t, o); !slices.ContainsFunc(found, func(s string) bool { return strings.HasSuffix(s, "-wal") }) {
		t.Fatalf("the log does not sing before the scrub, so the scrub proves nothing: %q", found)
	}
	l.Kill()
	next := reopened(t, l, o)
	if err := next.Scrub(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if found := remains(t, o); len(found) > 0 {
		t.Errorf("after the scrub: %q", found)
	}
}

func reopened(t *testing.T, killed *sqlite.Ledger, o sqlite.Options) *sqlite.Ledger {
	t.Helper()
	_ = killed.Close()
	return open(t, o)
}

// TestAFileThatKeepsWhatItFreesIsHeard plants the defect that the check is for.
func TestAFileThatKeepsWhatItFreesIsHeard(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	if err := l.Sloppy(); err != nil {
		t.Fatal(err)
	}
	for _, w := range choir(t, l) {
		written, err := l.Erase(t.Context(), w)
		send(t, written, err)
	}
	if err := l.Scrub(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if found := remains(t, o); len(found) == 0 {
		t.Error("without secure_delete nothing is left either: the check proves nothing")
	}
}

// TestALogThatSomebodyReadsIsNotCalledEmpty holds a reader of an old state open beside the ledger.
func TestALogThatSomebodyReadsIsNotCalledEmpty(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	name := "file:" + o.Path + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(1)"
	var handles [3]*sql.DB
	for i := range handles {
		db, err := sql.Open("sqlite", name)
		if err != nil {
			t.Fatal(err)
		}
		handles[i] = db
	}
	l, err := sqlite.OpenDB(t.Context(), handles[0], handles[1], o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(l.Close(), handles[2].Close()); err != nil {
			t.Error(err)
		}
	})
	create(t, l, "b")
	reader, err := handles[2].BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM calls").Scan(&n); err != nil {
		t.Fatal(err)
	}
	create(t, l, "c")
	err = l.Scrub(t.Context(), "", nil)
	if call.CodeOf(err) != call.CodeLedgerUnavailable {
		t.Errorf("scrub beside a reader: %v, want code %s", err, call.CodeLedgerUnavailable)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := l.Scrub(t.Context(), "", nil); err != nil {
		t.Errorf("scrub after the reader: %v", err)
	}
}

// sound reports rows that break an invariant, or another number of rows.
func sound(t *testing.T, l *sqlite.Ledger, want int) {
	t.Helper()
	rows := 0
	err := l.Each(t.Context(), func(c call.Call, entries []call.Entry) error {
		rows++
		if c.Pin != "" && !c.IsForgotten() {
			return nil // a body of the test's own
		}
		for _, b := range call.CheckHistory(c, entries) {
			if b.Invariant != "I10" { // the late contact id
				t.Errorf("%s", b)
			}
		}
		return nil
	})
	if err != nil || rows != want {
		t.Errorf("each: %d rows, error %v", rows, err)
	}
}

// TestAnErasureWhoseCommitFailsIsDoneAgain fails the commit before and after it was carried out, with an error that ends the ledger, and
// before it with one that does not: a full disk leaves nothing behind.
func TestAnErasureWhoseCommitFailsIsDoneAgain(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{fullDisk{}, ioError{}} {
		dead := errors.Is(failure, ioError{})
		for _, applied := range []bool{false, true} {
			if applied && !dead {
				continue
			}
			var before, after atomic.Bool
			o := settings(t)
			readers := opened(t, o, "journal_mode(WAL)", "synchronous(FULL)")
			writer := sql.OpenDB(faulty{dsn: o.Path + "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)", driver: readers.Driver(), before: &before, after: &after, err: failure})
			l, err := sqlite.OpenDB(t.Context(), writer, readers, o)
			if err != nil {
				t.Fatal(err)
			}
			erasures := choir(t, l)
			w := erasures[0]
			before.Store(!applied)
			after.Store(applied)
			if _, err := l.Erase(t.Context(), w); err == nil {
				t.Fatalf("%v, applied %t: the erasure was answered", failure, applied)
			}
			before.Store(false)
			after.Store(false)
			if dead {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				l = open(t, o)
			} else {
				t.Cleanup(func() { _ = l.Close() })
			}
			for _, w := range erasures {
				written, err := l.Erase(t.Context(), w)
				send(t, written, err)
			}
			if err := l.Scrub(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
			if found := remains(t, o); len(found) > 0 {
				t.Errorf("%v, applied %t: %q is left", failure, applied, found)
			}
			thief := accepted(t, "thief")
			thief.Row.Token = "canary-token-" + w.Row.ID
			if _, err := l.Create(t.Context(), thief); !errors.Is(err, call.ErrTokenTaken) {
				t.Errorf("%v, applied %t: the token of a forgotten row was taken: %v", failure, applied, err)
			}
			sound(t, l, 120)
		}
	}
}

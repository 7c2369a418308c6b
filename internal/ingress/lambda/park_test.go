package lambda

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

const poison = `{"notificationId":"n-9"}`

// parkingWorld is a world whose handler parks.
func parkingWorld(tb testing.TB) *world {
	tb.Helper()
	w := newWorld(tb, call.ModeLedger, newNetwork())
	w.Parking = w.ledger
	return w
}

func waiting(tb testing.TB, l *memory.Ledger) []call.Parked {
	tb.Helper()
	list, err := l.ListParked(tb.Context(), 100)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

func TestPoisonOfEverySourceIsParkedOnceAndAcknowledged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, source := range everySource {
			w := parkingWorld(t)
			document := source.document(t, published, poison)
			parks := !strings.Contains(source.done, "statusCode") && decoded(document).Source != call.SourceDirect
			for range 3 {
				response, err := w.Invoke(t.Context(), document)
				if acknowledged := err == nil && !strings.Contains(string(response), "itemIdentifier") && !strings.Contains(string(response), `"statusCode":4`); acknowledged != parks {
					t.Errorf("%s: %s, %v", name, response, err)
				}
			}
			list := waiting(t, w.ledger)
			if want := map[bool]int{true: 1}[parks]; len(list) != want || w.network.total() != 0 {
				t.Fatalf("%s: parked %+v, %d rings", name, list, w.network.total())
			}
			if !parks {
				continue
			}
			if p := list[0]; p.Code != "field_missing" || p.Source != decoded(document).Source || p.Size == 0 || len(w.log.all("parked")) != 3 || !w.log.all("parked")[0].Alarm || w.log.all("parked")[1].Alarm {
				t.Errorf("%s: parked as %+v", name, list[0])
			}
			// What is parked reads as it did, and alone.
			p, err := w.ledger.Parked(t.Context(), list[0].ID)
			again := envelope.Decode(p.Document, envelope.Options{Now: published})
			if err != nil || len(again.Records) != 1 || again.Source != p.Source || string(again.Records[0].Reason) != string(p.Code) {
				t.Errorf("%s: parked document %s", name, p.Document)
			}
		}
	})
}

// A redelivery changes receipt handle, receive count and stamps; what it carries stays.
func TestARedeliveredPoisonIsTheSameRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parkingWorld(t)
		for _, id := range []string{"m-1", "m-1", "m-2"} {
			document := strings.Replace(string(queueBatch(t, standardQueue, message{id, "", poison})), `"ApproximateReceiveCount":"1"`, `"ApproximateReceiveCount":"`+id[2:]+`7"`, 1)
			equal(t, id, invoke(t.Context(), t, w.Handler, []byte(document)))
		}
		equal(t, "another body", invoke(t.Context(), t, w.Handler, queueBatch(t, standardQueue, message{"m-3", "", poison + " "})))
		equal(t, "another queue", invoke(t.Context(), t, w.Handler, queueBatch(t, standardQueue+"-2", message{"m-1", "", poison})))
		if n := len(waiting(t, w.ledger)); n != 3 {
			t.Errorf("%d records", n)
		}
	})
}

func TestPoisonDoesNotHoldItsGroupUpOnceItIsParked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parkingWorld(t)
		list := []message{{"g-1", "g", wish(1)}, {"g-2", "g", poison}, {"g-3", "g", wish(3)}}
		equal(t, "kept", invoke(t.Context(), t, w.Handler, queueBatch(t, fifoQueue, list...)))
		if w.network.total() != 2 || len(waiting(t, w.ledger)) != 1 {
			t.Errorf("%d rings, %d parked", w.network.total(), len(waiting(t, w.ledger)))
		}
	})
}

// lossyParking fails before or after the record is kept.
type lossyParking struct {
	call.Parking

	before, after int // how many times
}

var errNoAnswer = errors.New("no answer")

func (l *lossyParking) Park(ctx context.Context, p call.Parked) (bool, error) {
	if l.before > 0 {
		l.before--
		return false, errNoAnswer
	}
	fresh, err := l.Parking.Park(ctx, p)
	if l.after > 0 {
		l.after--
		return false, errNoAnswer
	}
	return fresh, err
}

// G2: the source may forget a record only when the ledger has answered that it has it.
func TestPoisonIsReturnedUntilItsParkingIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, lossy := range map[string]*lossyParking{"not applied": {before: 2}, "applied, and the answer lost": {after: 2}} {
			w := parkingWorld(t)
			lossy.Parking = w.ledger
			w.Parking = lossy
			document := queueBatch(t, standardQueue, messages(poison, wish(1))...)
			for range 2 {
				equal(t, name, invoke(t.Context(), t, w.Handler, document), "m-0")
			}
			equal(t, name, invoke(t.Context(), t, w.Handler, document))
			if len(waiting(t, w.ledger)) != 1 || w.network.total() != 1 || len(w.log.all("park-failed")) != 2 {
				t.Errorf("%s: %d parked, %d rings, %d log lines", name, len(waiting(t, w.ledger)), w.network.total(), len(w.log.all("park-failed")))
			}
		}
	})
}

func TestARecordThatIsTooLargeToBeParkedGoesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parkingWorld(t)
		document := queueBatch(t, standardQueue, messages(`{"notificationId":"`+strings.Repeat("x", call.MaxParkedBytes)+`"}`)...)
		equal(t, "kept", invoke(t.Context(), t, w.Handler, document), "m-0")
		if len(waiting(t, w.ledger)) != 0 || len(w.log.all("park-refused")) != 1 {
			t.Errorf("parked %d", len(waiting(t, w.ledger)))
		}
	})
}

func TestAParkedRecordIsFedAfterTheMappingWasRepairedAndRingsOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parkingWorld(t)
		body := `{"order":"o-1","customer":"c-1","phone":"+12025550101"}`
		document := queueBatch(t, standardQueue, messages(body)...)
		equal(t, "parked", invoke(t.Context(), t, w.Handler, document))
		id := waiting(t, w.ledger)[0].ID
		feed := func() (bool, []Result) {
			p, err := w.ledger.Parked(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			results, read := w.Sequence("").Feed(t.Context(), p.Document)
			return read, results
		}
		if read, results := feed(); read || results[0].Outcome.Met != call.MetParked || len(waiting(t, w.ledger)) != 1 {
			t.Fatalf("fed without a repair: %+v", results)
		}
		m, err := envelope.NewMapping(envelope.Expressions{Members: map[string]string{
			"notificationId": "order", "recipientId": "customer", "destinationPhoneNumber": "phone",
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.Mapping = func(call.Source, string) *envelope.Mapping { return m }
		for n := range 2 { // a crash between the feeding and the closing feeds again
			read, results := feed()
			if !read || results[0].Outcome.Met != call.MetPlaced || results[0].Outcome.Replayed != (n > 0) || w.network.total() != 1 {
				t.Errorf("fed: %v, %+v, %d rings", read, results[0].Outcome, w.network.total())
			}
		}
	})
}

func TestAFedRecordThatIsNotAcknowledgedStaysParked(t *testing.T) {
	t.Parallel()
	for _, out := range []call.Outcome{{Met: call.MetUnavailable}, {Met: call.MetRefused}, {Met: call.MetNotStarted}} {
		h, _ := handlerOn(t, answering(call.ModeLedger, out))
		if results, read := h.Sequence("").Feed(t.Context(), queueBatch(t, standardQueue, messages(wish(1))...)); read || len(results) != 1 {
			t.Errorf("%s: read %v", out.Met, read)
		}
	}
}

// A request for a chat or a task that was parked is read, when it is fed, as it would be when it comes: without a number.
func TestAFedRequestNeedsNoNumberWhereItsProfileNeedsNone(t *testing.T) {
	t.Parallel()
	h, _ := handlerOn(t, answering(call.ModeLedger, call.Outcome{Met: call.MetPlaced}))
	h.Numberless = func(profile string) bool { return profile == "task" }
	body := `{"notificationId":"n-1","recipientId":"r-1","profile":"task"}`
	if results, read := h.Sequence("").Feed(t.Context(), queueBatch(t, standardQueue, messages(body)...)); !read || len(results) != 1 {
		t.Errorf("read %v: %+v", read, results)
	}
}

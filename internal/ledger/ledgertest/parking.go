package ledgertest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func parking() Suite {
	return Suite{Name: "Parking", cases: []exercise{
		{name: "a parked record comes back byte for byte", run: parkedComesBack},
		{name: "a record is parked once, however often it comes", run: parkedOnce},
		{name: "records that wait are listed, oldest first and without their documents", run: parkedListed},
		{name: "a closed record loses its document and stays known", run: parkedClosed},
		{name: "the first end of a record stays", run: parkedFirstEnd},
		{name: "what was parked is there after the death of the process", run: parkedSurvives},
		{name: "an unknown record is not found", run: parkedUnknown},
		{name: "parked records are no calls", run: parkedNoCalls},
		{name: "of records that are parked at once each is fresh once", run: parkedAtOnce},
	}}
}

// parkable returns the nth record, with every byte there is.
func parkable(n int) call.Parked {
	document := []byte(fmt.Sprintf("record %d ", n))
	for b := range 256 {
		document = append(document, byte(b))
	}
	return call.Parked{
		ID: call.ParkedID(call.SourceKinesis, "stream", document), At: start.Add(time.Duration(n) * time.Minute), Source: call.SourceKinesis, Producer: "stream",
		Delivery: fmt.Sprintf("delivery-%d", n), Code: "json_syntax", Message: "読めない", Document: document, Size: len(document),
	}
}

func (x *exam) mustPark(p call.Parked) {
	x.Helper()
	if fresh, err := x.Park(x.ctx, p); err != nil || !fresh {
		x.Fatalf("park: fresh %v, %v", fresh, err)
	}
}

func (x *exam) mustParked(id string) call.Parked {
	x.Helper()
	p, err := x.Parked(x.ctx, id)
	if err != nil {
		x.Fatalf("parked record: %v", err)
	}
	return p
}

func (x *exam) mustClose(id string, end call.ParkedEnd) {
	x.Helper()
	if err := x.CloseParked(x.ctx, id, end, start.Add(time.Hour)); err != nil {
		x.Fatalf("close: %v", err)
	}
}

func (x *exam) waiting(limit int) string {
	x.Helper()
	list, err := x.ListParked(x.ctx, limit)
	if err != nil {
		x.Fatalf("list: %v", err)
	}
	var ids []string
	for _, p := range list {
		ids = append(ids, p.Delivery)
		if len(p.Document) > 0 || p.ID == "" || p.Code == "" || p.Size == 0 {
			x.Errorf("listed %+v", p)
		}
	}
	return strings.Join(ids, " ")
}

func parkedComesBack(x *exam) {
	for _, size := range []int{0, 1, call.MaxParkedBytes} {
		want := parkable(size)
		want.Document = append(want.Document, strings.Repeat("x", max(size-len(want.Document), 0))...)
		want.Size = len(want.Document)
		x.mustPark(want)
		got := x.mustParked(want.ID)
		if !got.At.Equal(want.At) {
			x.Errorf("parked at %s, want %s", got.At, want.At)
		}
		if got.At = want.At; !reflect.DeepEqual(got, want) {
			x.Errorf("a record of %d bytes comes back as %+v", size, got)
		}
	}
}

func parkedOnce(x *exam) {
	first := parkable(1)
	x.mustPark(first)
	again := first
	again.Delivery, again.At = "another", first.At.Add(time.Hour)
	for range 2 {
		if fresh, err := x.Park(x.ctx, again); fresh || err != nil {
			x.Errorf("a known record is parked again: fresh %v, %v", fresh, err)
		}
	}
	if got := x.mustParked(first.ID); got.Delivery != first.Delivery || !got.At.Equal(first.At) {
		x.Errorf("the record changed to %s of %s", got.Delivery, got.At)
	}
	if list := x.waiting(10); list != "delivery-1" {
		x.Errorf("listed: %q", list)
	}
}

func parkedListed(x *exam) {
	if list := x.waiting(10); list != "" {
		x.Errorf("a new ledger lists %q", list)
	}
	for n := range 7 {
		x.mustPark(parkable(n))
	}
	x.mustClose(parkable(0).ID, call.ParkedFed)
	x.mustClose(parkable(3).ID, call.ParkedDropped)
	if list := x.waiting(3); list != "delivery-1 delivery-2 delivery-4" {
		x.Errorf("the first three: %q", list)
	}
	if list := x.waiting(100); list != "delivery-1 delivery-2 delivery-4 delivery-5 delivery-6" {
		x.Errorf("all: %q", list)
	}
}

func parkedClosed(x *exam) {
	p := parkable(1)
	x.mustPark(p)
	x.mustClose(p.ID, call.ParkedFed)
	got := x.mustParked(p.ID)
	if got.Closed != call.ParkedFed || !got.ClosedAt.Equal(start.Add(time.Hour)) || len(got.Document) > 0 || got.Size != p.Size || got.Code != p.Code {
		x.Errorf("closed as %+v", got)
	}
	if fresh, err := x.Park(x.ctx, p); fresh || err != nil {
		x.Errorf("a closed record is parked again: fresh %v, %v", fresh, err)
	}
	if got := x.mustParked(p.ID); got.Closed != call.ParkedFed || len(got.Document) > 0 {
		x.Errorf("a further delivery made %+v of it", got)
	}
	if list := x.waiting(10); list != "" {
		x.Errorf("listed: %q", list)
	}
}

func parkedFirstEnd(x *exam) {
	p := parkable(1)
	x.mustPark(p)
	x.mustClose(p.ID, call.ParkedDropped)
	if err := x.CloseParked(x.ctx, p.ID, call.ParkedFed, start.Add(2*time.Hour)); err != nil {
		x.Errorf("closing twice: %v", err)
	}
	if got := x.mustParked(p.ID); got.Closed != call.ParkedDropped || !got.ClosedAt.Equal(start.Add(time.Hour)) {
		x.Errorf("closed as %s at %s", got.Closed, got.ClosedAt)
	}
}

func parkedSurvives(x *exam) {
	x.mustPark(parkable(1))
	x.mustPark(parkable(2))
	x.mustClose(parkable(2).ID, call.ParkedDropped)
	x.restart()
	if got := x.mustParked(parkable(1).ID); string(got.Document) != string(parkable(1).Document) {
		x.Errorf("after a restart: %+v", got)
	}
	if got := x.mustParked(parkable(2).ID); got.Closed != call.ParkedDropped {
		x.Errorf("after a restart: %+v", got)
	}
	if list := x.waiting(10); list != "delivery-1" {
		x.Errorf("listed after a restart: %q", list)
	}
}

func parkedUnknown(x *exam) {
	x.mustPark(parkable(1))
	if p, err := x.Parked(x.ctx, parkable(2).ID); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("an unknown record: %+v, %v", p, err)
	}
	if err := x.CloseParked(x.ctx, parkable(2).ID, call.ParkedFed, start); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("closing an unknown record: %v", err)
	}
}

func parkedNoCalls(x *exam) {
	x.mustCreate(x.first("a"))
	before := x.identity()
	x.mustPark(parkable(1))
	page, _, err := x.List(x.ctx, call.Filter{})
	if err != nil || len(page) != 1 || page[0].ID != "a" {
		x.Errorf("calls: %+v, %v", page, err)
	}
	if after := x.identity(); after.HighWater != before.HighWater {
		x.Errorf("parking moved the high-water from %d to %d", before.HighWater, after.HighWater)
	}
}

func parkedAtOnce(x *exam) {
	fresh := make([]bool, rivals)
	race(func(i int) {
		var err error
		if fresh[i], err = x.Park(x.ctx, parkable(1)); err != nil {
			x.Errorf("park: %v", err)
		}
	})
	count := 0
	for _, f := range fresh {
		if f {
			count++
		}
	}
	if count != 1 || x.waiting(10) != "delivery-1" {
		x.Errorf("%d of %d were fresh", count, rivals)
	}
}

package ledgertest

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func lostAnswer() Suite {
	return Suite{Name: "LostAnswer", cases: []exercise{
		{name: "a create whose answer was lost is recognized", run: func(x *exam) { x.lostCreate(AnswerLost) }},
		{name: "a create that never arrived is applied by the second try", run: func(x *exam) { x.lostCreate(NeverArrived) }},
		{name: "an update whose answer was lost is recognized", run: func(x *exam) { x.lostUpdate(AnswerLost) }},
		{name: "an update that never arrived is applied by the second try", run: func(x *exam) { x.lostUpdate(NeverArrived) }},
		{name: "an own write is recognized after others moved on", run: lostThenMovedOn},
		{name: "an update that never arrived loses against others", run: neverArrivedThenMovedOn},
		{name: "an own write is recognized after a crash", run: lostThenCrash},
		{name: "many lost answers in a row leave one entry", run: lostManyTimes},
	}}
}

type act func(context.Context, call.Write) (call.Written, error)

// lose sends a write whose answer must get lost.
func (x *exam) lose(try act, w call.Write) {
	x.Helper()
	if _, err := try(x.ctx, w); !errors.Is(err, ErrLost) {
		x.Fatalf("the lost write: %v, want %v", err, ErrLost)
	}
}

// again sends a write that must be answered as applied, with the row given.
func (x *exam) again(try act, w call.Write, want call.Call) {
	x.Helper()
	written, err := try(x.ctx, w)
	if err != nil || !written.Applied {
		x.Errorf("the second try of %s: applied %t, error %v", w.Entry.Op, written.Applied, err)
	}
	x.same("the row in the answer", written.Row, want)
}

func (x *exam) lostCreate(fate Fate) {
	x.Helper()
	lossy := Lose(x.Ledger, fate)
	w := x.first("a")
	x.lose(lossy.Create, w)
	x.again(lossy.Create, w, w.Row)
	x.holds("a", w)
}

func (x *exam) lostUpdate(fate Fate) {
	x.Helper()
	first := x.first("a")
	x.mustCreate(first)
	second := x.placed(first.Row, "contact-1", "op-2")
	lossy := Lose(x.Ledger, fate)
	x.lose(lossy.Update, second)
	x.again(lossy.Update, second, second.Row)
	x.holds("a", first, second)
}

func lostThenMovedOn(x *exam) {
	first := x.first("a")
	lossy := Lose(x.Ledger, AnswerLost, AnswerLost)
	x.lose(lossy.Create, first)
	second := x.held(first.Row, start.Add(time.Hour), "op-2")
	x.lose(lossy.Update, second)
	third := x.placed(second.Row, "contact-1", "op-3")
	x.mustUpdate(third)
	x.again(lossy.Update, second, third.Row)
	x.again(lossy.Create, first, third.Row)
	x.holds("a", first, second, third)
}

func neverArrivedThenMovedOn(x *exam) {
	first := x.first("a")
	x.mustCreate(first)
	mine := x.held(first.Row, start.Add(time.Hour), "op-mine")
	lossy := Lose(x.Ledger, NeverArrived)
	x.lose(lossy.Update, mine)
	theirs := x.placed(first.Row, "contact-1", "op-theirs")
	x.mustUpdate(theirs)
	written, err := lossy.Update(x.ctx, mine)
	if err != nil || written.Applied {
		x.Errorf("the second try after others moved on: applied %t, error %v", written.Applied, err)
	}
	x.same("the row in the answer", written.Row, theirs.Row)
	x.holds("a", first, theirs)
}

func lostThenCrash(x *exam) {
	first := x.first("a")
	x.lose(Lose(x.Ledger, AnswerLost).Create, first)
	x.restart()
	x.again(x.Create, first, first.Row)
	second := x.placed(first.Row, "contact-1", "op-2")
	x.lose(Lose(x.Ledger, AnswerLost).Update, second)
	x.restart()
	x.again(x.Update, second, second.Row)
	x.holds("a", first, second)
}

func lostManyTimes(x *exam) {
	first := x.first("a")
	lossy := Lose(x.Ledger, NeverArrived, AnswerLost, AnswerLost, NeverArrived, AnswerLost)
	for range 5 {
		x.lose(lossy.Create, first)
	}
	x.again(lossy.Create, first, first.Row)
	x.holds("a", first)
}

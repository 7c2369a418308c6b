package scenariotest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV83AKeyPressOptsOutOfTheNextCallAndOfTheHeldOne(t *testing.T) {
	t.Parallel()
	hourly := func(c *app.Config) { c.Limits = app.Limits{PerNumber: app.List{"1 per 1h"}} }
	for _, driver := range drivers() {
		f := &flows{}
		play(t, setting{driver: driver, config: hourly, network: f.network("9")}, func(w *world) {
			f.w = w
			w.sweep()
			w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
			held := wish(1).with("notificationId", "held")
			w.met(w.send(held), call.MetReceived, call.AckDone)
			reports := f.picksUp()
			if len(reports) != 2 || reports[1].Answer["optedOut"] != "yes" {
				t.Fatalf("%s: the flow was told %+v", driver, reports)
			}
			next := w.send(wish(1).with("notificationId", "next"))
			if next.Ack != call.AckRefuse || next.Code != call.CodeDoNotCall || !strings.Contains(next.Message, "opted out by a key press (key-press)") {
				t.Errorf("%s: %s, %s: %s", driver, next.Ack, next.Code, next.Message)
			}
			w.sweepFor(2 * time.Hour)
			if c := w.stands(held, call.Failed); c.Code != call.CodeDoNotCall {
				t.Errorf("%s: %s: %s", driver, c.Code, c.Message)
			}
			w.met(w.send(wish(2)), call.MetPlaced, call.AckDone) // nobody else
			w.rang(2)
		})
	}
}

// spoiledCells are cells whose writes come to nothing, or whose answers are lost, while they are told to.
type spoiledCells struct {
	call.Cells

	fate *write
}

// SetCell implements [call.Cells].
func (c spoiledCells) SetCell(ctx context.Context, cell call.Cell) (call.Cell, bool, error) {
	if *c.fate == notApplied {
		return call.Cell{}, false, errLost
	}
	now, ok, err := c.Cells.SetCell(ctx, cell)
	if *c.fate == answerLost {
		return call.Cell{}, false, errLost
	}
	return now, ok, err
}

// A wish that is not kept is not claimed, so that the flow can say so. Where only the answer was lost it is read again.
func TestAnOptOutIsClaimedWhenItIsKeptAndNotOtherwise(t *testing.T) {
	t.Parallel()
	for fate, want := range map[write]struct {
		told  string
		rings int
	}{notApplied: {"no", 2}, answerLost: {"yes", 1}} {
		spoiled := answered
		f := &flows{}
		cells := func(c call.Cells) call.Cells { return spoiledCells{c, &spoiled} }
		play(t, setting{cells: cells, network: f.network("9")}, func(w *world) {
			f.w = w
			w.send(wish(1))
			spoiled = fate
			reports := f.picksUp()
			if len(reports) != 2 || reports[1].Answer["optedOut"] != want.told {
				t.Fatalf("%d: the flow was told %+v", fate, reports)
			}
			spoiled = answered
			time.Sleep(time.Second)
			w.send(wish(1).with("notificationId", "next"))
			w.rang(want.rings)
		})
	}
}

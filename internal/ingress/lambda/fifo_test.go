package lambda

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// failing answers the named deliveries with retry and all others with placed.
func failing(ids ...string) func(context.Context, call.Delivery) call.Outcome {
	return func(_ context.Context, d call.Delivery) call.Outcome {
		if slices.Contains(ids, d.ID) {
			return call.Outcome{Met: call.MetUnavailable, Ack: call.AckRetry}
		}
		return call.Outcome{Met: call.MetPlaced}
	}
}

func TestAFIFOGroupStopsAtItsFirstFailureAndOtherGroupsGoOn(t *testing.T) {
	t.Parallel()
	c := &core{place: failing("g-2")}
	h, log := handlerOn(t, c)
	document := queueBatch(t, fifoQueue,
		message{"g-1", "g", wish(1)}, message{"h-1", "h", wish(11)}, message{"g-2", "g", wish(2)}, message{"h-2", "h", wish(12)},
		message{"g-3", "g", wish(3)}, message{"h-3", "h", wish(13)}, message{"g-4", "g", wish(4)})
	equal(t, "returned", invoke(t.Context(), t, h, document), "g-2", "g-3", "g-4")
	started := c.started()
	slices.Sort(started)
	equal(t, "placed", started, "g-1", "g-2", "h-1", "h-2", "h-3")
	for _, line := range log.all("not-started") {
		if line.Code != CodeGroupStopped {
			t.Errorf("logged %+v", line)
		}
	}
}

func TestAFIFOGroupIsPlacedOneByOneInItsOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{place: func(context.Context, call.Delivery) call.Outcome {
			time.Sleep(time.Second)
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, _ := handlerOn(t, c)
		document := queueBatch(t, fifoQueue,
			message{"g-1", "g", wish(1)}, message{"g-2", "g", wish(2)}, message{"h-1", "h", wish(3)}, message{"g-3", "g", wish(4)}, message{"h-2", "h", wish(5)})
		began := time.Now()
		equal(t, "returned", invoke(t.Context(), t, h, document))
		if took := time.Since(began); took != 3*time.Second || c.most != 2 {
			t.Errorf("took %v with %d at a time, want 3s with one flight in each of two groups", took, c.most)
		}
		group := slices.DeleteFunc(c.started(), func(id string) bool { return id[0] != 'g' })
		equal(t, "order in the group", group, "g-1", "g-2", "g-3")
	})
}

func TestAnUnreadableRecordStopsItsFIFOGroup(t *testing.T) {
	t.Parallel()
	c := &core{}
	h, _ := handlerOn(t, c)
	document := queueBatch(t, fifoQueue, message{"g-1", "g", wish(1)}, message{"g-2", "g", `{`}, message{"g-3", "g", wish(3)})
	equal(t, "returned", invoke(t.Context(), t, h, document), "g-2", "g-3")
	equal(t, "placed", c.started(), "g-1")
}

func TestAGroupOnAStandardQueueIsNoOrder(t *testing.T) {
	t.Parallel()
	c := &core{place: failing("g-1")}
	h, _ := handlerOn(t, c)
	document := queueBatch(t, standardQueue, message{"g-1", "g", wish(1)}, message{"g-2", "g", wish(2)})
	equal(t, "returned", invoke(t.Context(), t, h, document), "g-1")
}

func TestOneKeyInTwoGroupsIsPlacedInTheOrderOfTheDocument(t *testing.T) {
	t.Parallel()
	c := &core{place: failing("g-1")}
	h, _ := handlerOn(t, c)
	document := queueBatch(t, fifoQueue,
		message{"g-1", "g", wish(1)}, message{"h-1", "h", wish(2)}, message{"h-2", "h", wish(1)}, message{"g-2", "g", wish(2)})
	equal(t, "returned", invoke(t.Context(), t, h, document), "g-1", "g-2")
	equal(t, "placed", c.started(), "g-1", "h-1", "h-2")
}

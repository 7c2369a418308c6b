package ledgertest

import (
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// waitFor creates rows that wait, each for so many minutes.
func (x *exam) waitFor(minutes ...int) (ids []string) {
	x.Helper()
	for i, m := range minutes {
		id := "wait-" + strconv.Itoa(i)
		e := opening(id)
		e.Due = start.Add(time.Duration(m) * time.Minute)
		x.mustCreate(x.write(call.Begin(id), e, "op-"+id))
		ids = append(ids, id)
	}
	return ids
}

// duePages reads all rows with a due time in pages of a size, and lets something happen after each.
func (x *exam) duePages(size int, between func(page []string)) (all []string) {
	x.Helper()
	place := ""
	for range 100 {
		page, err := x.DueFrom(x.ctx, place, size)
		if err != nil || len(page) > size {
			x.Fatalf("a page of %d: %v, %v", size, page, err)
		}
		if len(page) == 0 {
			return all
		}
		var ids []string
		for _, p := range page {
			ids = append(ids, p.ID)
		}
		all, place = append(all, ids...), page[len(page)-1].Place
		between(ids)
	}
	x.Fatalf("pages of %d have no end", size)
	return nil
}

func dueFromPages(x *exam) {
	if got := x.duePages(10, func([]string) {}); len(got) != 0 {
		x.Errorf("of an empty ledger: %q", got)
	}
	ids := x.waitFor(3, 1, 1, 1, 2, 1, 1, 4, 1, 1)
	x.mustCreate(x.tombstone("never"))
	for _, size := range []int{1, 2, 3, 9, 10, 11} {
		got := x.duePages(size, func([]string) {})
		if len(got) != len(ids) || !slices.Equal(got[7:], []string{ids[4], ids[0], ids[7]}) || !slices.Equal(slices.Sorted(slices.Values(got)), ids) {
			x.Errorf("in pages of %d: %q", size, got)
		}
	}
	if page, err := x.DueFrom(x.ctx, "", 0); err != nil || len(page) != 0 {
		x.Errorf("a page of none: %v, %v", page, err)
	}
	for _, place := range []string{"nowhere", "1", "x.1", "x.1,,,", "1.1,,,,"} {
		if _, err := x.DueFrom(x.ctx, place, 1); call.CodeOf(err) != call.CodeFieldValue {
			x.Errorf("the foreign place %q: %v", place, err)
		}
	}
}

// dueFromMoving has the rows of a page leave after it: the last one, or all.
func dueFromMoving(x *exam) {
	ids := x.waitFor(1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1)
	moved := 0
	got := x.duePages(3, func(page []string) {
		if moved++; moved > 4 {
			return
		}
		last := page[len(page)-1]
		for _, id := range page {
			if id == last || moved == 2 {
				x.mustUpdate(x.placed(x.mustGet(id), "contact-"+id, "op-placed-"+id))
			}
		}
		if moved == 3 { // and one is due earlier than all
			x.mustUpdate(x.held(x.mustGet(page[0]), start, "op-early"))
		}
	})
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
		x.Errorf("%q, want each of %q once", got, ids)
	}
}

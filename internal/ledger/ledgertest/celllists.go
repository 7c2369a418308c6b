package ledgertest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// cellNames are names that a careless order or a careless pattern gets wrong: they differ late, in case, in length alone, and in signs that
// mean something in SQL or in a key.
func (x *exam) cellNames() []string {
	long := strings.Repeat("k", 40)
	names := []string{" ", "!", "#c#", "%", "A", "_", "a", "a ", "a!", "a%b", "a/", "a/b", "aB", "a_b", "ab", "b", "~", "~~"}
	for _, tail := range []string{"", "0", "00", "1", "9", "A", "~"} {
		names = append(names, long+tail)
	}
	class := 130 // more than a batch, alike in their first 30 bytes
	if x.lacks.Speed {
		class = 20
	}
	for n := range class {
		names = append(names, fmt.Sprintf("cap/recipient/of/a/long/class/%03d", n*7%class))
	}
	return names
}

// listCells returns the names of a list, and checks that the list has whole cells.
func (x *exam) listCells(prefix, after string, limit int) string {
	x.Helper()
	found, err := x.ListCells(x.ctx, prefix, after, limit)
	if err != nil {
		x.Fatalf("list %q after %q: %v", prefix, after, err)
	}
	var names []string
	for _, c := range found {
		names = append(names, c.Name)
		if c.Version < 1 || string(c.Data) != "" && string(c.Data) != "data of "+c.Name {
			x.Errorf("listed %+v", c)
		}
	}
	return strings.Join(names, "|")
}

func cellsListed(x *exam) {
	names := x.cellNames()
	for i, name := range names {
		c := call.Cell{Name: name, Version: 1, Data: []byte("data of " + name)}
		if i%3 == 0 {
			c.Expires = start.Add(-48 * time.Hour) // it is there until it is removed
		}
		x.mustSet(c)
	}
	slices.Sort(names)
	ask := func(prefix, after string, limit int) {
		var want []string
		for _, name := range names {
			if strings.HasPrefix(name, prefix) && name > after && len(want) < limit {
				want = append(want, name)
			}
		}
		if got, want := x.listCells(prefix, after, limit), strings.Join(want, "|"); got != want {
			x.Errorf("at most %d cells of %q after %q:\n%s\nwant\n%s", limit, prefix, after, got, want)
		}
	}
	long := strings.Repeat("k", 40)
	prefixes := []string{"", "a", "a%", "a_", "A", "~", "cap/", "cap/recipient/of/a/long/class/1", long, long + "0", "kk", "nothing", strings.Repeat("~", 255)}
	afters := []string{"", " ", "a", "a/b", "cap/recipient/of/a/long/class/012", long, "zzz", "~~"}
	for i, prefix := range prefixes {
		ask(prefix, "", 1000)
		for n, after := range afters {
			ask(prefix, after, (i+n)%4)
		}
	}
	ask("", afters[4], 1000)
	for _, limit := range []int{1, 7, 50} {
		x.pages("cap/", limit, names)
	}
}

// pages lists cells page by page.
func (x *exam) pages(prefix string, limit int, names []string) {
	x.Helper()
	var got, want []string
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			want = append(want, name)
		}
	}
	for after := ""; len(got) < len(want); after = got[len(got)-1] {
		page := x.listCells(prefix, after, limit)
		if page == "" {
			break
		}
		got = append(got, strings.Split(page, "|")...)
	}
	if !slices.Equal(got, want) {
		x.Errorf("by %d: %q, want %q", limit, got, want)
	}
}

func (x *exam) mustPrune(now time.Time, limit, want int) {
	x.Helper()
	if removed, err := x.PruneCells(x.ctx, now, limit); err != nil || removed != want {
		x.Errorf("pruned %d cells, want %d: %v", removed, want, err)
	}
}

func cellPruned(x *exam) {
	for name, expires := range map[string]time.Time{"never": {}, "later": start.Add(time.Nanosecond), "old": start.Add(-48 * time.Hour), "older": start.Add(-49 * time.Hour)} {
		x.mustSet(call.Cell{Name: name, Version: 1, Data: []byte("data of " + name), Expires: expires})
		x.mustSet(call.Cell{Name: name, Version: 2, Data: []byte("data of " + name), Expires: expires})
	}
	x.mustPrune(start, 10, 2)
	if list := x.listCells("", "", 10); list != "later|never" {
		x.Errorf("left: %q", list)
	}
	x.mustPrune(start, 10, 0)
	x.sameCell("a pruned cell", x.mustCell("old"), call.Cell{Name: "old"})
	if now, ok, err := x.SetCell(x.ctx, call.Cell{Name: "old", Version: 3}); err != nil || ok || now.Version != 0 {
		x.Errorf("version 3 of a pruned cell: ok %t, version %d, %v", ok, now.Version, err)
	}
	x.mustSet(call.Cell{Name: "old", Version: 1, Data: []byte("data of old")})
	if list := x.listCells("", "", 10); list != "later|never|old" {
		x.Errorf("left: %q", list)
	}
	x.mustPrune(start.Add(48*time.Hour), 10, 1)
	x.sameCell("a cell without expiry", x.mustCell("never"), call.Cell{Name: "never", Version: 2, Data: []byte("data of never")})
}

func cellsPrunedInParts(x *exam) {
	for n := range 9 {
		x.mustSet(call.Cell{Name: fmt.Sprintf("cell-%d", n), Version: 1, Expires: start.Add(-48 * time.Hour)})
	}
	for _, want := range []int{4, 4, 1, 0} {
		x.mustPrune(start, 4, want)
	}
	x.mustSet(call.Cell{Name: "cell-0", Version: 1, Expires: start.Add(-48 * time.Hour)})
	x.mustPrune(start, 0, 0)
	x.mustPrune(start, 1, 1)
}

func cellRenewed(x *exam) {
	c := call.Cell{Name: "a", Version: 1, Expires: start.Add(-48 * time.Hour)}
	x.mustSet(c)
	c.Version, c.Expires = 2, start.Add(48*time.Hour)
	x.mustSet(c)
	x.mustPrune(start, 10, 0)
	x.sameCell("a renewed cell", x.mustCell("a"), c)
	c.Version, c.Expires = 3, time.Time{}
	x.mustSet(c)
	x.mustPrune(start.Add(200*365*24*time.Hour), 10, 0)
	x.sameCell("a cell that expires no more", x.mustCell("a"), c)
	c.Version, c.Expires = 4, start.Add(-48*time.Hour)
	x.mustSet(c)
	x.mustPrune(start, 10, 1)
}

// cellRenewedAtOnce lets some let their cells expire and renew them while others prune. A cell may be gone before it is renewed, and after that
// it must stay.
func cellRenewedAtOnce(x *exam) {
	rounds := 30
	if x.lacks.Speed {
		rounds = 5
	}
	race(func(i int) {
		if i%3 == 0 {
			for range rounds {
				if _, err := x.PruneCells(x.ctx, start, 100); err != nil {
					x.Errorf("prune: %v", err)
				}
			}
			return
		}
		name := fmt.Sprintf("cell-%d", i)
		for range rounds {
			x.renew(name)
		}
	})
}

// renew writes a version that is expired, and then one that is not, which must be there.
func (x *exam) renew(name string) {
	x.Helper()
	now, err := x.Cell(x.ctx, name)
	if err != nil {
		x.Errorf("cell: %v", err)
		return
	}
	for _, expires := range []time.Time{start.Add(-48 * time.Hour), start.Add(48 * time.Hour)} {
		for try := 0; ; try++ { // it may be pruned in between
			c := call.Cell{Name: name, Version: now.Version + 1, Expires: expires}
			after, ok, err := x.SetCell(x.ctx, c)
			if err != nil || (!ok && after.Version != 0) || try == mostTries {
				x.Errorf("version %d of a cell of one writer: ok %t, version %d, %v", c.Version, ok, after.Version, err)
				return
			}
			if now = after; ok {
				break
			}
		}
		runtime.Gosched() // so that somebody looks while it is expired
	}
	if got, err := x.Cell(x.ctx, name); err != nil || got.Version != now.Version {
		x.Errorf("version %d was renewed and version %d is there: %v", now.Version, got.Version, err)
	}
}

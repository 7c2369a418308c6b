package ledgertest

import (
	"bytes"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func cells() Suite {
	return Suite{Name: "Cells", cases: []exercise{
		{name: "a cell that does not exist has its name and nothing else", run: cellAbsent},
		{name: "a cell is written version after version", run: cellVersions},
		{name: "a lost compare changes nothing and returns the current cell", run: cellLostCompare},
		{name: "data and expiry come back as they were", run: cellDataComesBack},
		{name: "a cell shares no bytes with those who wrote and read it", run: cellSharesNothing},
		{name: "what no store may take is refused", run: cellRefused},
		{name: "cells are listed by prefix, page by page, in the order of bytes", run: cellsListed},
		{name: "an expired cell is pruned and begins anew", run: cellPruned},
		{name: "no more cells are pruned than asked for", run: cellsPrunedInParts},
		{name: "a cell that was renewed is not pruned", run: cellRenewed},
		{name: "a cell that is renewed while others prune stays", run: cellRenewedAtOnce},
		{name: "what was answered is there after the death of the process", run: cellSurvives},
		{name: "cells are no calls", run: cellsNoCalls},
		{name: "a write whose answer was lost is found by reading again", run: cellLostAnswer},
		{name: "of many first writes of a cell one wins", run: oneCellWins},
		{name: "many who count in one cell lose no count", run: cellCounted},
		{name: "histories of answered calls", run: func(x *exam) { x.cellHistories(nil) }},
		{name: "histories with lost, late and doubled writes", run: func(x *exam) {
			x.cellHistories([]Fate{Answered, Answered, Answered, AnswerLost, NeverArrived, Twice, Late})
		}},
	}}
}

// mustSet writes a version that must be the next one.
func (x *exam) mustSet(c call.Cell) {
	x.Helper()
	now, ok, err := x.SetCell(x.ctx, c)
	if err != nil || !ok {
		x.Fatalf("set version %d of cell %s: ok %t, %v", c.Version, c.Name, ok, err)
	}
	x.sameCell("the written cell", now, c)
}

func (x *exam) mustCell(name string) call.Cell {
	x.Helper()
	c, err := x.Cell(x.ctx, name)
	if err != nil {
		x.Fatalf("cell %s: %v", name, err)
	}
	return c
}

// sameCell compares two cells; no data and empty data are alike.
func (x *exam) sameCell(what string, got, want call.Cell) {
	x.Helper()
	if got.Name != want.Name || got.Version != want.Version || !bytes.Equal(got.Data, want.Data) || !got.Expires.Equal(want.Expires) {
		x.Errorf("%s is version %d of %q with %d bytes that expire at %s, want version %d of %q with %d bytes that expire at %s",
			what, got.Version, got.Name, len(got.Data), got.Expires, want.Version, want.Name, len(want.Data), want.Expires)
	}
}

func cellAbsent(x *exam) {
	x.sameCell("an unknown cell", x.mustCell("nobody"), call.Cell{Name: "nobody"})
	now, ok, err := x.SetCell(x.ctx, call.Cell{Name: "nobody", Version: 2, Data: []byte("x")})
	if err != nil || ok {
		x.Errorf("version 2 of a cell that does not exist: ok %t, %v", ok, err)
	}
	x.sameCell("the current cell", now, call.Cell{Name: "nobody"})
	x.sameCell("a cell that was not written", x.mustCell("nobody"), call.Cell{Name: "nobody"})
}

func cellVersions(x *exam) {
	x.mustSet(call.Cell{Name: "other", Version: 1, Data: []byte("untouched")})
	for version := int64(1); version <= 5; version++ {
		c := call.Cell{Name: "a", Version: version, Data: bytes.Repeat([]byte{'0' + byte(version)}, int(version))}
		if version == 3 {
			c.Expires = start
		}
		x.mustSet(c)
		x.sameCell("the cell", x.mustCell("a"), c)
	}
	x.sameCell("another cell", x.mustCell("other"), call.Cell{Name: "other", Version: 1, Data: []byte("untouched")})
}

func cellLostCompare(x *exam) {
	x.mustSet(call.Cell{Name: "a", Version: 1, Data: []byte("one")})
	current := call.Cell{Name: "a", Version: 2, Data: []byte("two"), Expires: start.Add(time.Hour)}
	x.mustSet(current)
	for _, version := range []int64{1, 2, 4, 100} {
		now, ok, err := x.SetCell(x.ctx, call.Cell{Name: "a", Version: version, Data: []byte("late")})
		if err != nil || ok {
			x.Errorf("version %d where 2 is current: ok %t, %v", version, ok, err)
		}
		x.sameCell("the current cell", now, current)
	}
	x.sameCell("the cell", x.mustCell("a"), current)
}

func cellDataComesBack(x *exam) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	long := bytes.Repeat(every, call.MaxCellBytes/len(every))
	for i, data := range [][]byte{nil, {}, {0}, every, []byte("読めない\n\n\x00"), long} {
		for n, expires := range []time.Time{{}, start, start.Add(100 * 365 * 24 * time.Hour), time.Unix(0, 1)} {
			c := call.Cell{Name: strings.Repeat("~ ", i) + "data", Version: int64(n + 1), Data: data, Expires: expires}
			x.mustSet(c)
			x.sameCell("the cell", x.mustCell(c.Name), c)
		}
	}
	longest := call.Cell{Name: strings.Repeat("n", call.MaxCellName), Version: 1, Data: long}
	x.mustSet(longest)
	x.sameCell("the cell with the longest name", x.mustCell(longest.Name), longest)
}

func cellSharesNothing(x *exam) {
	want := call.Cell{Name: "a", Version: 1, Data: []byte("kept")}
	written := want
	written.Data = bytes.Clone(want.Data)
	now, ok, err := x.SetCell(x.ctx, written)
	if err != nil || !ok {
		x.Fatalf("set: ok %t, %v", ok, err)
	}
	lost, _, err := x.SetCell(x.ctx, written)
	listed, listErr := x.ListCells(x.ctx, "", "", 1)
	if err != nil || listErr != nil || len(listed) != 1 {
		x.Fatalf("%d cells listed: %v, %v", len(listed), err, listErr)
	}
	for _, data := range [][]byte{written.Data, now.Data, lost.Data, listed[0].Data, x.mustCell("a").Data} {
		copy(data, "lost")
	}
	x.sameCell("the cell", x.mustCell("a"), want)
}

func cellRefused(x *exam) {
	x.mustSet(call.Cell{Name: "a", Version: 1})
	for what, c := range map[string]call.Cell{
		"no name":                  {Version: 1},
		"a long name":              {Name: strings.Repeat("n", call.MaxCellName+1), Version: 1},
		"a name with a line break": {Name: "a\nb", Version: 1},
		"a name beyond ASCII":      {Name: "日", Version: 1},
		"a name with DEL":          {Name: "a\x7f", Version: 1},
		"version 0":                {Name: "b", Version: 0},
		"a version below 0":        {Name: "b", Version: -1},
		"much data":                {Name: "b", Version: 1, Data: make([]byte, call.MaxCellBytes+1)},
		"an expiry long ago":       {Name: "b", Version: 1, Expires: time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)},
		"a far expiry":             {Name: "b", Version: 1, Expires: time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if _, ok, err := x.SetCell(x.ctx, c); ok || call.CodeOf(err) != call.CodeFieldValue {
			x.Errorf("%s: ok %t, %v", what, ok, err)
		}
	}
	for _, name := range []string{"", "a\nb", strings.Repeat("n", call.MaxCellName+1)} {
		if _, err := x.Cell(x.ctx, name); call.CodeOf(err) != call.CodeFieldValue {
			x.Errorf("a read of the name %q: %v", name, err)
		}
	}
	if list := x.listCells("", "", 10); list != "a" {
		x.Errorf("after what was refused: %q", list)
	}
}

func cellSurvives(x *exam) {
	counter := call.Cell{Name: "counter", Version: 1, Data: []byte("1"), Expires: start.Add(time.Hour)}
	x.mustSet(counter)
	x.mustSet(call.Cell{Name: "gone", Version: 1, Expires: start.Add(-48 * time.Hour)})
	counter.Version, counter.Data = 2, []byte("2")
	x.mustSet(counter)
	if removed, err := x.PruneCells(x.ctx, start, 10); err != nil || removed != 1 {
		x.Errorf("prune: %d, %v", removed, err)
	}
	dead := x.Ledger
	x.restart()
	if _, ok, err := dead.SetCell(x.ctx, call.Cell{Name: "counter", Version: 3}); ok || err == nil {
		x.Errorf("a dead ledger wrote a cell: ok %t, %v", ok, err)
	}
	x.sameCell("the cell after a restart", x.mustCell("counter"), counter)
	x.sameCell("a pruned cell after a restart", x.mustCell("gone"), call.Cell{Name: "gone"})
	counter.Version = 3
	x.mustSet(counter)
	x.restart()
	x.sameCell("the cell after another restart", x.mustCell("counter"), counter)
}

func cellsNoCalls(x *exam) {
	w := x.first("a")
	x.mustCreate(w)
	before := x.identity()
	for _, name := range []string{"a", "b", "c"} {
		x.mustSet(call.Cell{Name: name, Version: 1, Data: []byte("{}"), Expires: start.Add(-48 * time.Hour)})
	}
	x.due(start.Add(time.Hour), 10, "a")
	if page, _, err := x.List(x.ctx, call.Filter{}); err != nil || len(page) != 1 || page[0].ID != "a" {
		x.Errorf("list: %+v, %v", page, err)
	}
	if ids, _, err := x.Unfinished(x.ctx, "", 10); err != nil || strings.Join(ids, " ") != "a" {
		x.Errorf("unfinished: %v, %v", ids, err)
	}
	rows := 0
	if err := x.Each(x.ctx, func(call.Call, []call.Entry) error { rows++; return nil }); err != nil || rows != 1 {
		x.Errorf("each: %d rows, %v", rows, err)
	}
	if waiting, err := x.ListParked(x.ctx, 10); err != nil || len(waiting) != 0 {
		x.Errorf("parked: %d, %v", len(waiting), err)
	}
	if _, err := x.Get(x.ctx, "b"); err == nil {
		x.Errorf("a cell is a row")
	}
	if after := x.identity(); after.HighWater != before.HighWater || !after.LastWrite.Equal(before.LastWrite) {
		x.Errorf("the cells changed the identity from %+v to %+v", before, after)
	}
	if removed, err := x.PruneCells(x.ctx, start, 10); err != nil || removed != 3 {
		x.Errorf("prune: %d, %v", removed, err)
	}
	x.holds("a", w)
}

func cellLostAnswer(x *exam) {
	lossy := Lose(x.Ledger, NeverArrived, AnswerLost, Twice)
	c := call.Cell{Name: "a", Version: 1, Data: []byte("mine")}
	for _, arrives := range []bool{false, true} {
		if _, ok, err := lossy.SetCell(x.ctx, c); ok || err == nil {
			x.Errorf("a lost write was answered: ok %t, %v", ok, err)
		}
		if now := x.mustCell("a"); (now.Version == 1) != arrives {
			x.Errorf("version %d is there after a write that arrived: %t", now.Version, arrives)
		}
	}
	next := call.Cell{Name: "a", Version: 2, Data: []byte("next")}
	now, ok, err := lossy.SetCell(x.ctx, next)
	if err != nil || ok {
		x.Errorf("the second arrival of a write: ok %t, %v", ok, err)
	}
	x.sameCell("the current cell, which is its own", now, next)
}

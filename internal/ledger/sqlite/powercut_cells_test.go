package sqlite_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// count writes the next version of the writer's own counter, and a cell that is pruned at once.
func (k *work) count(l *sqlite.Ledger, n, i int) bool {
	counter := call.Cell{Name: fmt.Sprintf("counter-%d", n), Version: int64(i + 1), Data: bytes.Repeat([]byte{byte(i), 0}, 100*(i+1))}
	if !k.setCell(l, counter) {
		return false
	}
	if i%2 == 1 {
		return true
	}
	if !k.setCell(l, call.Cell{Name: fmt.Sprintf("expired-%d-%d", n, i), Version: 1, Expires: noon.Add(-1)}) {
		return false
	}
	_, err := l.PruneCells(context.Background(), noon, 100)
	return err == nil
}

func (k *work) setCell(l *sqlite.Ledger, c call.Cell) bool {
	k.mu.Lock()
	k.setting[c.Name] = c
	k.mu.Unlock()
	_, ok, err := l.SetCell(context.Background(), c)
	if err != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !ok {
		k.t.Errorf("version %d of cell %s lost against nobody", c.Version, c.Name)
	}
	delete(k.setting, c.Name)
	if c.Expires.IsZero() {
		k.cells[c.Name] = c
	}
	return true
}

// lostCells looks for every cell that was answered and that nobody may have pruned.
func (k *work) lostCells(l *sqlite.Ledger, say func(string, ...any)) {
	for name, want := range k.cells {
		got, err := l.Cell(context.Background(), name)
		if open, sent := k.setting[name]; sent && got.Version == open.Version {
			want = open // it arrived, unanswered
		}
		if err != nil || got.Version != want.Version || !bytes.Equal(got.Data, want.Data) {
			say("cell %s: version %d was answered and %d is there, with %d of %d bytes: %v", name, want.Version, got.Version, len(got.Data), len(want.Data), err)
		}
	}
}

func TestThePowerCutsNoticeALostCell(t *testing.T) {
	t.Parallel()
	noticed := 0
	cuts(t, fewCuts, weakness{weaken: (*sqlite.Ledger).Weaken}, func(_ shape, _ uint64, _ string, lost []string) {
		if slices.ContainsFunc(lost, func(what string) bool { return strings.HasPrefix(what, "cell ") }) {
			noticed++
		}
	})
	if noticed == 0 {
		t.Error("without a sync no cell was lost, so these cuts prove nothing")
	}
}

package sqlite_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/disktest"
)

// revived cuts the power after a recipient was forgotten and scrubbed, and returns in which of many cuts the number is on the disk again.
func revived(t *testing.T, ignores func(string) bool) (seeds []uint64) {
	t.Helper()
	ctx := context.Background()
	for seed := range uint64(40) {
		p := &powered{t: t, disk: disktest.New("/ledger", "/state")}
		l, closeAll, err := p.open()
		if err != nil {
			t.Fatal(err)
		}
		c := create(t, l, "a")
		w := placedOn(t, l, c.ID)
		_, updateErr := l.Update(ctx, w)
		event, err := call.Forgotten(w.Row, c.ID, noon.Add(time.Hour), "kim", "request 7")
		if err != nil {
			t.Fatal(err)
		}
		_, eraseErr := l.Erase(ctx, write(t, w.Row, event, "op-erased"))
		p.disk.IgnoreSyncs(ignores)
		scrubErr := l.Scrub(ctx, call.Naming{}.Recipient("", "recipient"), []string{c.ID})
		if updateErr != nil || eraseErr != nil || scrubErr != nil {
			t.Fatal(updateErr, eraseErr, scrubErr)
		}
		p.disk.Cut(len(p.disk.Effects())+1000, seed)
		after := p.disk.Restart()
		for _, name := range []string{ledgerFile, ledgerFile + "-wal"} {
			if content, err := after.Read(name); err == nil && bytes.Contains(content, []byte("12025550101")) {
				seeds = append(seeds, seed)
			}
		}
		_ = closeAll() // it has no power
	}
	return seeds
}

// What a scrub has destroyed must not come back with the power. Emptying the log is only a new size, which is not on disk before a sync.
func TestAPowerCutBringsNothingBackThatWasScrubbed(t *testing.T) {
	t.Parallel()
	if seeds := revived(t, nil); len(seeds) > 0 {
		t.Errorf("the number is on the disk again after the cuts of the seeds %d", seeds)
	}
	if seeds := revived(t, func(name string) bool { return strings.HasSuffix(name, "-wal") }); len(seeds) == 0 {
		t.Error("a log that is not synced brings nothing back, so this test proves nothing")
	}
}

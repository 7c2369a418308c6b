package sqlite_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// refusals cuts the power after a recovery has begun, and returns how often its ledger is refused then.
func refusals(t *testing.T, ignores func(string) bool) (refused int) {
	t.Helper()
	base := made(t)
	for seed := range uint64(30) {
		p := &powered{t: t, disk: base.Copy()}
		l, closeAll, err := p.open()
		if err != nil {
			t.Fatal(err)
		}
		p.disk.IgnoreSyncs(ignores)
		if err := l.BeginRecovery(context.Background(), call.Recovery{Backup: noon, Restored: noon}); err != nil {
			t.Fatal(err)
		}
		p.disk.Cut(len(p.disk.Effects())+1000, seed)
		after := &powered{t: t, disk: p.disk.Restart()}
		_ = closeAll() // it has no power
		l, closeAll, err = after.open()
		if errors.Is(err, call.ErrWentBack) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		} else if identity, err := l.Identity(context.Background()); err != nil || identity.Epoch != 2 || identity.Recovery == nil {
			t.Errorf("seed %d: epoch %d, recovery %v, %v", seed, identity.Epoch, identity.Recovery, err)
		}
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	}
	return refused
}

func TestALedgerWhoseRecoveryHasBegunIsNotRefusedAfterAPowerCut(t *testing.T) {
	t.Parallel()
	if refused := refusals(t, nil); refused > 0 {
		t.Errorf("%d of 30 ledgers were refused", refused)
	}
	if refusals(t, func(name string) bool { return name == witnessFile }) == 0 {
		t.Error("a witness that is not synced refuses no ledger, so this test proves nothing")
	}
}

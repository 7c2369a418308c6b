package cli

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestASecondRestoreStillCountsFromWhatTheFirstForgot(t *testing.T) {
	t.Parallel()
	a := &app.App{Clock: app.SystemClock{}}
	now := a.Clock.Now()
	first := call.Recovery{Backup: now.Add(-5 * 24 * time.Hour), Restored: now.Add(-time.Hour)}
	identity := call.LedgerIdentity{LastWrite: now.Add(-time.Minute), Recovery: &first}
	for _, x := range []recoverCommand{{}, {BackupTime: now.Add(-time.Minute).Format(time.RFC3339)}} {
		r, begun, err := x.stretch(a, identity, true)
		if err != nil || begun || !r.Backup.Equal(first.Backup) {
			t.Errorf("%+v: backup %s, begun %v, %v; want the first backup %s", x, r.Backup, begun, err, first.Backup)
		}
	}
}

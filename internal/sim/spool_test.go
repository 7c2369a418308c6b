package sim_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/spool"
	"github.com/ringonce/ringonce/internal/sim"
)

// play does acts, written as in a transcript.
func play(t *testing.T, w *sim.World, lines ...string) {
	t.Helper()
	for _, line := range lines {
		a, err := sim.ParseAct(line)
		if err == nil {
			err = w.Do(t.Context(), a)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStartMergesTheSpoolWhereNoSweeperRuns(t *testing.T) {
	dir := t.TempDir()
	cryptotest.SetGlobalRandom(t, 1)
	synctest.Test(t, func(t *testing.T) {
		setting, err := sim.ParseSetting("world full resend=never sweeper=false")
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(setting, sim.Options{Seed: 1, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		play(t, w, "publish m1 r1 key=n1", "deliver m1; phone place-then-reset")
		if text, err := w.Show("ledger"); err != nil || !strings.HasPrefix(text, "n1 dialing, 1 attempt") || len(w.Contacts()) != 1 {
			t.Fatalf("the answer was not lost: %s, %d contacts, %v", text, len(w.Contacts()), err)
		}
		row := call.Naming{}.Row(call.Key{Kind: call.KindVoice, NotificationID: "n1", RecipientID: "user-67890"}, 0)
		err = spool.Open(filepath.Join(dir, "spool")).Keep(call.Fact{RowID: row, Op: "fact-1", Event: call.Event{
			Kind: call.EventContact, At: time.Now().UTC(), ContactID: w.Contacts()[0], From: "answer",
		}})
		if err != nil {
			t.Fatal(err)
		}
		play(t, w, "restart")
		if text, err := w.Show("ledger"); err != nil || !strings.HasPrefix(text, "n1 placed") || !strings.Contains(text, "contact 1 by answer") {
			t.Errorf("although the spool knew its contact: %s, %v", text, err)
		}
	})
}

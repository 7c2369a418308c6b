package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/sim"
)

// dying lives a full world in which a process dies after it has rung and answered, and returns what the oracle has to say.
func dying(t *testing.T, plant sim.Plant) (ledger string, findings []string) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, 1)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		setting, err := sim.ParseSetting("world full")
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(setting, sim.Options{Seed: 1, Dir: dir, Plant: plant})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = recover() // a process that does not start is no process
			findings = w.Findings()
		}()
		play(t, w, "publish m1 r1 key=n1", "deliver m1", "publish m2 r2 key=n2", "deliver m2; crash after result")
		if ledger, err = w.Show("ledger"); err != nil {
			t.Fatal(err)
		}
		play(t, w, "judge")
		w.Close()
	})
	return ledger, findings
}

func TestADeadProcessLeavesItsLogToTheNext(t *testing.T) {
	var log int64
	ledger, findings := dying(t, sim.Plant{Died: func(path string) {
		if info, err := os.Stat(path + "-wal"); err == nil {
			log = info.Size()
		}
	}})
	if log == 0 || len(findings) > 0 || strings.Count(ledger, "placed") != 2 {
		t.Errorf("a log of %d bytes was left, then the ledger is\n%s\n%v", log, ledger, findings)
	}
}

// TestALogThatIsLostIsSeen plants the defect that a crash which ended in an orderly close never showed: the next start does not read the log.
func TestALogThatIsLostIsSeen(t *testing.T) {
	_, findings := dying(t, sim.Plant{Died: func(path string) {
		for _, file := range []string{path + "-wal", path + "-shm"} {
			if err := os.Remove(file); err != nil {
				t.Error(err)
			}
		}
	}})
	if text := strings.Join(findings, "\n"); !strings.Contains(text, "a worker does not start") || !strings.Contains(text, "went back in time") {
		t.Errorf("a start that forgets the log is not noticed: %s", text)
	}
}

// TestALogThatIsLostWithItsWitnessIsSeen plants the same beside a witness that is gone, so that the oracle alone can see it.
func TestALogThatIsLostWithItsWitnessIsSeen(t *testing.T) {
	_, findings := dying(t, sim.Plant{Died: func(path string) {
		for _, file := range []string{path, path + "-wal", path + "-shm", filepath.Join(filepath.Dir(filepath.Dir(path)), "witness")} {
			if err := os.Remove(file); err != nil {
				t.Error(err)
			}
		}
	}})
	if text := strings.Join(findings, "\n"); !strings.Contains(text, "was written and is not in the ledger") {
		t.Errorf("a ledger that forgets its log is not noticed: %s", text)
	}
}

package crashtest

import (
	"strings"
	"testing"
	"time"
)

// slow makes most requests of a batch wait for a slot, so that they are acknowledged before they are dialed.
const slow = "{per_second: 20, burst: 1, patience: 0s}"

// TestAnIntentThatIsWrittenAfterTheSendIsNoticed plants R4's mutant: the process dies with the answer in its hands, and nothing durable says that it
// has dialed. Inside the token's validity the telephone hides that, and the audit finds requests older than their first signature; after it the
// phone rings again.
func TestAnIntentThatIsWrittenAfterTheSendIsNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		until time.Duration
		sign  string
	}{
		{"redelivered at once", time.Minute, "I6"},
		{"redelivered after eight days", 8 * 24 * time.Hour, "a second ring"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{seed: 3, pacing: "{per_second: 200, burst: 8, patience: 0s}", defect: defectIntentAfterSend})
			w.publish(6, kindPlain)
			w.dies("dial:after", 1)
			w.pass(c.until)
			w.settle()
			mustFind(t, w.verdict(), c.sign)
		})
	}
}

// TestARowThatIsWrittenAfterItsAcknowledgmentIsMissed plants N7: the queue was told that the request is durable, and the process dies.
func TestARowThatIsWrittenAfterItsAcknowledgmentIsMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 4, pacing: slow, defect: defectAckBeforeRow})
	w.publish(10, kindPlain)
	w.dies(pointResponseRead, 1)
	w.settle()
	mustFind(t, w.verdict(), "lost: 0 rings instead of 1")
}

// TestARecordThatIsAnsweredAsParkedAndIsNotIsMissed plants what parking promises: what is acknowledged is kept.
func TestARecordThatIsAnsweredAsParkedAndIsNotIsMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 5, pacing: slow, defect: defectParksNothing})
	w.litter(2)
	w.settle()
	mustFind(t, w.verdict(), "0 records are parked: 2 could not be read")
}

// TestARecipientWhoIsAnsweredAsForgottenAndIsNotIsFound plants an erasure that does nothing.
func TestARecipientWhoIsAnsweredAsForgottenAndIsNotIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 6, pacing: slow, defect: defectForgetsNothing})
	w.asks("gone-1", kindPlain)
	w.settle()
	w.keeps("gone-1", true)
	w.acts("calls", "forget", "--reason", "they asked for it", "gone-1")
	w.keeps("gone-1", false)
	mustFind(t, w.verdict(), `"gone-1" is in the files of the ledger: true`)
}

// TestAPassageThatNoListNamesEndsTheRun takes an effect out of the list.
func TestAPassageThatNoListNamesEndsTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 7, pacing: slow, defect: defectUnlisted})
	w.publish(1, kindPlain)
	w.diesAt("dial:after")
	mustFind(t, w.findings, `"dial:before" is in no list of effects`)
}

// TestTheSameKillsWithoutADefectFindNothing is what the tests above are compared with.
func TestTheSameKillsWithoutADefectFindNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 3, pacing: slow})
	w.asks("gone-1", kindPlain)
	w.litter(2)
	for _, name := range []string{"dial:after", pointResponseRead} {
		w.publish(10, kindPlain)
		w.dies(name, 1)
		w.pass(time.Minute)
	}
	w.settle()
	w.keeps("gone-1", true)
	w.acts("calls", "forget", "--reason", "they asked for it", "gone-1")
	w.keeps("gone-1", false)
	for _, found := range w.verdict() {
		t.Error(found)
	}
}

func mustFind(t *testing.T, found []string, sign string) {
	t.Helper()
	for _, f := range found {
		if strings.Contains(f, sign) {
			return
		}
	}
	t.Errorf("nothing says %q, only: %s", sign, strings.Join(found, "\n"))
}

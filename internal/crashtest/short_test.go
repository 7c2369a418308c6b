package crashtest

import (
	"math/rand/v2"
	"testing"
	"time"
)

// seeded is a source of bytes for what needs one and writes nothing.
type seeded struct{ rng *rand.Rand }

// Read implements io.Reader.
func (s seeded) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.rng.Uint32())
	}
	return len(p), nil
}

// TestAFewKillsLeaveOneRingForEachRequest is the short form of what `make crash` does at length.
func TestAFewKillsLeaveOneRingForEachRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 1, pacing: "{per_second: 200, burst: 8, patience: 0s}", faults: lossy, refuse: true})
	for _, name := range []string{
		"create with intent:before", "create with intent:after", "commit:after", "dial:before", "dial:after", pointRequestSent, pointAnswerLost, pointResponseUnread,
		pointResponseRead, "write result:before", "write result:after", "beat:after",
	} {
		w.publish(2, kindAny)
		w.publish(2, kindPlain)
		w.dies(name, 1)
		w.pass(time.Duration(w.rng.IntN(90)) * time.Second)
	}
	w.settle()
	for _, found := range w.verdict() {
		t.Error(found)
	}
	w.figures()
}

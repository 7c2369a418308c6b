package crashtest

import (
	"maps"
	"slices"
)

// figures logs what a run did, so that nobody takes an empty one for a proof.
func (w *world) figures() {
	w.t.Helper()
	w.t.Logf("seed %d: %d kills, %d keys, %d rings, %d deliveries, %d of them repeated", w.setting.seed, len(w.kills), len(w.subjects), w.emulator.RingCount(), w.queue.received, w.queue.again)
	for _, name := range slices.Sorted(maps.Keys(w.hits)) {
		w.t.Logf("  %4d killed: %s", w.hits[name], name)
	}
	for _, name := range slices.Sorted(maps.Keys(w.missed)) {
		w.t.Logf("  %4d not reached: %s", w.missed[name], name)
	}
}

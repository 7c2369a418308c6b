package simrun

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// collectAfter is what lives may leave before it is collected: less makes collections felt, and more of it lies in no cache of the processor.
	collectAfter = 64 << 20
	// memoryLimit is what a life that is larger than any other may fill before it is collected in its middle.
	memoryLimit = 512 << 20
)

// collectBetweenLives takes the collector out of lives. In the middle of one it would mark a whole world and slow down every write to it; between
// two there is next to nothing to mark.
func collectBetweenLives() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
}

// leftovers knows how much the lives since the last collection have left.
type leftovers struct{ collected uint64 }

// collect is called between lives.
func (l *leftovers) collect() {
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	if all := allocated[0].Value.Uint64(); all-l.collected > collectAfter {
		runtime.GC()
		l.collected = all
	}
}

package simrun

import "runtime"

// sleepers is how many goroutines a process parks for [deepStacks]: enough to make the average, whatever the others of the process are.
const sleepers = 64

// deepStacks lets the goroutines of this process begin with stacks that need not grow. A delivery runs in a goroutine of its own, which goes
// deep: rows are passed by value. To copy its stack at each doubling took a tenth of a life's time. The runtime begins stacks with the average
// of what the last collection found in use, so goroutines that are parked with deep stacks are all it takes; they end with the process.
func deepStacks() {
	parked := make(chan struct{})
	for range sleepers {
		go sleepDeep(parked)
		<-parked
	}
	runtime.GC()
}

// sleepDeep says that it is parked, and stays so with most of 128 KiB of stack in use.
//
//go:noinline
func sleepDeep(parked chan<- struct{}) byte {
	var deep [108 << 10]byte
	deep[len(parked)] = 1
	parked <- struct{}{}
	<-make(chan struct{})
	return deep[cap(parked)]
}

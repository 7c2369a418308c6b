package cli

const (
	// memoryVariable is the runtime's own setting (package runtime), which comes first.
	memoryVariable  = "GOMEMLIMIT"
	garbageVariable = "GOGC"
	// softMemory is what the runtime of a service may use before it collects garbage more often than it would: with the program and the caches of SQLite
	// beside it a service on a ledger of a million calls stays below 150 MB (docs/benchmarks.md). What is really needed is had above it too, for
	// processor time.
	softMemory = 80 << 20
	// lazyGarbage is how much garbage, in percent of what lives, a service makes before it collects, while it is below the soft limit. Collecting at 100,
	// the runtime's own, took a tenth of the processor time of a service under load.
	lazyGarbage = 300
)

// limitMemory sets the soft limit of a service and, below it, how lazily garbage is collected, unless whoever starts it has set them. Without the limit
// nothing would bound the garbage, so that is left alone then.
func (e *environment) limitMemory() {
	if text, _ := e.LookupEnv(memoryVariable); text != "" || e.LimitMemory == nil {
		return
	}
	e.LimitMemory(softMemory)
	if text, _ := e.LookupEnv(garbageVariable); text == "" && e.CollectAt != nil {
		e.CollectAt(lazyGarbage)
	}
}

package cli

const (
	// memoryVariable is the runtime's own setting (package runtime), which comes first.
	memoryVariable = "GOMEMLIMIT"
	// softMemory is what the runtime of a service may use before it collects garbage more often than it would: with the program and the caches of SQLite
	// beside it a service on a ledger of a million calls stays below 150 MB (docs/benchmarks.md). What is really needed is had above it too, for
	// processor time.
	softMemory = 80 << 20
)

// limitMemory sets the soft limit of a service, unless whoever starts it has set one.
func (e *environment) limitMemory() {
	if text, _ := e.LookupEnv(memoryVariable); text == "" && e.LimitMemory != nil {
		e.LimitMemory(softMemory)
	}
}

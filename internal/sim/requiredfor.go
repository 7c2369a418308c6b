package sim

import (
	"slices"
	"strings"
)

// RequiredFull lists what 1,000 lives of full worlds must have reached together: what those of light worlds must, but for what one of 100 full lives
// reaches or fewer.
func RequiredFull() []string {
	return without(Required(),
		"two workers", // one process opens a SQLite ledger
		"cause token-age", "cause repin", "event superseded", "event released", "released", "check-in canceled", "check-in forgotten",
		"held paused_producer", "held paused_prefix", "held gate_unavailable", "paused producer", "strike fail intent",
		"strike crash before intent", "strike crash after intent", "strike crash before held", "strike crash after held", "strike crash before followed",
		"strike crash before ring-opened", "strike crash after ring-opened", "strike crash before escalated", "strike crash before turn-confirmed",
		"strike crash before stop", "strike crash before spool", "strike crash before forgotten", "strike crash after forgotten",
		ExcusedPause,
	)
}

// RequiredPlain lists what 2,000 plain lives of light worlds must have reached together, whatever the number of their requests: nothing comes after a
// ring, and nothing keeps one.
func RequiredPlain() []string {
	names := without(Required(), requiredAfter()...)
	names = without(names,
		"cause rule", "cause escalation", "event seen", "event released", "event followed", "event escalated", "event turn-confirmed", "event joined",
		"strike crash before seen", "strike crash after seen", "strike crash before followed", "strike crash before escalated",
		"strike crash before turn-confirmed", "strike fail seen", "strike lose seen",
		"check-in", "confirmed", "list goes on", "paused all", "paused profile", "paused prefix", "paused producer", "resumed", "released",
		"do-not-call add", "do-not-call rm", "tracked", ExcusedPause,
		"event superseded", "strike crash before ring-opened", "strike crash before stop", // too rare to be sure of
	)
	return names
}

// without returns the names that are not among those left out. One that is left out and not there is a mistake of this page.
func without(names []string, left ...string) []string {
	for _, name := range left {
		if !slices.Contains(names, name) {
			panic("not required: " + name)
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(left, name) })
}

// Missing returns what a run must reach, and this one did not: an oracle that nothing reaches proves nothing.
func (t *Tally) Missing(required []string) (names []string) {
	for _, name := range required {
		if t.Counts[name] == 0 && t.Faults[strings.TrimPrefix(name, "fault ")] == 0 {
			names = append(names, name)
		}
	}
	return names
}

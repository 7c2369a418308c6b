package crashtest

import "strings"

// outsidePoints kill the process from outside, and so the shipped binary too.
func outsidePoints() []string {
	return []string{
		pointHandedOver, pointRequestCut, pointRequestSent, pointAnswerLost, pointAnswerOnWire, pointResponseUnread, pointResponseRead,
	}
}

// effects are what a process does that lasts, by the name in its trap. Each can be died before and after.
func effects() []string {
	return []string{
		"create with intent", "create accepted", "create tombstone", "create next ring",
		"write intent", "write held", "write result", "write contact", "write looked", "write cancel-requested",
		"write body-attached", "write ring-opened", "write ring-confirmed",
		"commit", // after it: durable, before its witness
		"dial", "search", "stop", "beat", "note", "spool keep", "spool done",
	}
}

// insidePoints are all passages of a victim.
func insidePoints() []string {
	var all []string
	for _, e := range effects() {
		all = append(all, e+":before", e+":after")
	}
	return all
}

// need is what a passage needs besides the usual load.
type need int

const (
	nothing      need = iota
	openAttempts      // calls whose fate is open, and whose lease has ended
	crowd             // more requests than the pace allows, so that some are held; and many answers, of which some are spooled
	cancels
	reopenings
)

// needs says what makes a passage likely.
func needs(name string) need {
	effect, _, _ := strings.Cut(name, ":")
	switch effect {
	case "search", "write contact", "write looked", "stop":
		return openAttempts
	case "create accepted", "write intent", "write held", "spool keep", "spool done":
		return crowd
	case "create tombstone", "write cancel-requested", "write body-attached":
		return cancels
	case "create next ring", "write ring-opened", "write ring-confirmed":
		return reopenings
	}
	return nothing
}

package crashtest

import "slices"

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
		"write intent", "write held", "write result", "write contact", "write looked", "write cancel-requested", "write canceled",
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

// rare are passages that need an accident of their own besides the load: a run of 300 kills meets most of them, not surely all.
func rare(name string) bool {
	return slices.Contains([]string{"stop:before", "stop:after", "write canceled:before", "write canceled:after"}, name)
}

package crashtest

import "strings"

// outsidePoints kill the process from outside, and so the shipped binary too.
func outsidePoints() []string {
	return []string{
		pointHandedOver, pointRequestCut, pointRequestSent, pointAnswerLost, pointAnswerOnWire, pointResponseUnread, pointResponseRead,
	}
}

// insidePoints are all passages of a victim.
func insidePoints() []string { return passages(func(effect) bool { return true }) }

// mixedPoints are those that a process passes among all kinds of load; the others have a chapter of their own.
func mixedPoints() []string { return passages(func(e effect) bool { return e.need != chapter }) }

func passages(of func(effect) bool) []string {
	var all []string
	for _, e := range effects() {
		if of(e) {
			all = append(all, e.name+before, e.name+after)
		}
	}
	return all
}

// Each effect can be died before and after.
const (
	before = ":before"
	after  = ":after"
)

// need is what a passage needs besides the usual load.
type need int

const (
	nothing      need = iota
	openAttempts      // calls whose fate is open, and whose lease has ended
	crowd             // more requests than the pace allows, so that some are held; and many answers, of which some are spooled
	cancels
	reopenings
	followers // rings that have ended, and that a rule or a list follows
	limited   // calls that a limit counts
	garbage   // records that no request can be read from
	chapter   // a history of its own, in which nothing else happens
)

// needs says what makes a passage likely.
func needs(name string) need {
	of, _, _ := strings.Cut(name, ":")
	for _, e := range effects() {
		if e.name == of {
			return e.need
		}
	}
	return nothing
}

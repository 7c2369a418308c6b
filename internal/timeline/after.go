package timeline

import "github.com/ringonce/ringonce/internal/call"

// afterwards says what an event of the life after a ring means to an operator, and what a person did to a held call.
func afterwards(e call.Event) string {
	switch e.Kind { //nolint:exhaustive // the others are told by sentence
	case call.EventSeen:
		return saw(e)
	case call.EventReleased:
		return "released: it may ring now, whatever the hours, the caps and a pause of its profile" + Why(e.Reason)
	}
	return string(e.Kind)
}

package envelope

import "strings"

// hasPlaceholder finds a template variable that nobody replaced: EventBridge and Scheduler leave <name> as it is when the name
// is unknown, and all requests of such a template would become one.
func hasPlaceholder(value string) bool {
	_, rest, found := strings.Cut(value, "<")
	name, _, closed := strings.Cut(rest, ">")
	if !found || !closed || name == "" {
		return false
	}
	for _, b := range []byte(name) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_', b == '.':
		default:
			return false
		}
	}
	return true
}

package sim

import (
	"fmt"
	"maps"
	"slices"
)

// Tokens returns the client token of every contact, in the order in which they were made.
func (w *World) Tokens() (tokens []string) {
	for _, r := range w.phone.rings() {
		tokens = append(tokens, r.token)
	}
	return tokens
}

// Contacts returns the id of every contact, in the same order.
func (w *World) Contacts() (ids []string) {
	for _, r := range w.phone.rings() {
		ids = append(ids, r.contact)
	}
	return ids
}

// Metrics returns the names of what the living workers have counted, in an order of their own.
func (w *World) Metrics() (names []string) {
	all := map[string]bool{}
	for _, k := range w.workers {
		for metric := range k.app.Observer.Counts() {
			all[fmt.Sprintf("%+v", metric)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Show returns what a transcript shows under the name, "ledger" or "history"; words say what of it.
func (w *World) Show(name string, words ...string) (string, error) {
	show, known := shows[name]
	if !known {
		return "", fmt.Errorf("there is nothing to show under the name %q", name)
	}
	return show(w, words), nil
}

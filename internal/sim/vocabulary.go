package sim

import (
	"maps"
	"slices"
)

// strikeWords are what can go wrong in an act.
var strikeWords = []string{"crash", "fail", "lose", "pause", "phone", "deadline", "meanwhile"}

// Vocabulary returns the words of a transcript in alphabetical order: the verbs of acts, what goes wrong in them ([Strike]), what a transcript
// can ask to see, and the switches of its first line. docs/simulation.md explains each.
func Vocabulary() (acts, strikes, shown, switches []string) {
	for _, f := range fields() {
		switches = append(switches, f.name)
	}
	slices.Sort(switches)
	return slices.Sorted(maps.Keys(verbs)), slices.Sorted(slices.Values(strikeWords)), slices.Sorted(maps.Keys(shows)), switches
}

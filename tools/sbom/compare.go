package main

import (
	"bytes"
	"slices"
)

// compare returns the lines that only one of two lists has, without the commas between components: those of the committed one after a minus, of the
// new one after a plus, neighbors by name beside each other.
func compare(committed, made []byte) (changes []string) {
	before, after := linesOf(committed), linesOf(made)
	for _, line := range before {
		if !slices.Contains(after, line) {
			changes = append(changes, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			changes = append(changes, "+ "+line)
		}
	}
	slices.SortStableFunc(changes, func(a, b string) int { return bytes.Compare(nameOf(a), nameOf(b)) })
	return changes
}

func linesOf(list []byte) (lines []string) {
	for line := range bytes.Lines(list) {
		if text := string(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// nameOf returns what a change is sorted by: the line up to its version.
func nameOf(change string) []byte {
	name, _, _ := bytes.Cut([]byte(change[2:]), []byte(`","version"`))
	return name
}

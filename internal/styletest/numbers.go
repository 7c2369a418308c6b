package styletest

import (
	"regexp"
	"strings"
)

// phoneLike is a plus sign and a run of digits that may be grouped by single spaces or hyphens.
var phoneLike = regexp.MustCompile(`\+[1-9](?:[ -]?[0-9]){9,}`)

// E.164 allows at most 15 digits, so a longer run is no phone number that could ring.
const mostDigits = 15

// fictitious are the ranges no subscriber ever gets: the 555-01 line numbers of North America, the drama range of the
// United Kingdom's mobiles, and a block of Japan's 090 numbers that begins with zeros.
var fictitious = regexp.MustCompile(`^\+(120255501[0-9]{2}|447700900[0-9]{3}|819000000[0-9]{3})$`)

// noNumbers lists files whose digits are no numbers that could ring, each with its reason.
var noNumbers = map[string]string{
	"internal/envelope/testdata/events/bad-phone-05.json": "the last digit of a fictitious number is full-width, which has to be refused",
	"go.sum": "checksums are base64, where a plus sign and digits mean nothing",
}

func phoneNumbers() Check {
	return Check{
		Name: "phone-numbers",
		Why:  "a real number in a test or an example is somebody's telephone",
		Find: func(t *Tree) []Finding {
			var found []Finding
			for _, f := range t.Files {
				if noNumbers[f.Path] != "" {
					continue
				}
				for i, line := range f.lines() {
					for _, match := range phoneLike.FindAllString(string(line), -1) {
						digits := strings.NewReplacer(" ", "", "-", "").Replace(match)
						if len(digits)-1 <= mostDigits && !fictitious.MatchString(digits) {
							found = append(found, at(f.Path, i+1, "%s… is outside the fictitious ranges (+1 202 555 01xx, +44 7700 900xxx, +81 90 0000 0xxx)", digits[:5]))
						}
					}
				}
			}
			return found
		},
	}
}

package main

import (
	"maps"
	"slices"

	"github.com/ringonce/ringonce/internal/rules"
)

// Area codes are the only prefixes below a region that become entries, and only those of +1. Elsewhere the metadata cannot be relied on for
// an hour: it names zones by their winter, so that Queensland has Sydney's summer time, Kaliningrad that of Bucharest and Chihuahua the clock
// it had until 2022, and it gives mobile numbers, which live anywhere, the zone of the capital.
const (
	areaCode   = "1"
	areaDigits = 4
)

// divided are area codes that the metadata gives one zone although their numbers have several.
var divided = map[string]string{
	"1236": "British Columbia, whose east and north have Mountain time", "1257": "as 236", "1672": "as 236", "1778": "as 236",
	"1306": "Saskatchewan, whose Lloydminster has Alberta's summer time", "1474": "as 306", "1639": "as 306",
	"1364": "the other code of 270, Kentucky", "1367": "the other code of 418, Quebec with the Magdalen Islands", "1581": "as 367",
	"1448": "the other code of 850, Florida", "1458": "the other code of 541, Oregon", "1729": "the other code of 423, Tennessee",
	"1879": "the other code of 709, Newfoundland and Labrador", "1930": "the other code of 812, Indiana", "1986": "the other code of 208, Idaho",
}

// areas returns the zones of area codes all of whose known prefixes have the same clock, in the regions that have several zones.
func areas(known, many map[string][]string) (map[string]string, error) {
	all := map[string][]string{} // the zones of an area code and of every longer prefix
	for prefix, zones := range known {
		if len(prefix) >= areaDigits && prefix[:1] == areaCode {
			all[prefix[:areaDigits]] = append(all[prefix[:areaDigits]], zones...)
		}
	}
	found := map[string]string{}
	for _, area := range slices.Sorted(maps.Keys(all)) {
		if divided[area] != "" || len(known[area]) != 1 {
			continue
		}
		number := rules.Lookup("+" + area + "2000000") // nobody's: an exchange of zeros
		zones := many[number.Region]
		if len(zones) == 0 || number.Kind != rules.Ordinary || !slices.Contains(zones, known[area][0]) {
			continue
		}
		same, err := alike(all[area])
		if err != nil {
			return nil, err
		}
		if same {
			found[area] = known[area][0]
		}
	}
	return found, nil
}

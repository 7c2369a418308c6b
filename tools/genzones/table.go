package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table returns the text of the table: what it was made of, then one line for each zone, with the regions and the prefixes that have it.
func table() (string, error) {
	version, dir, err := module()
	if err != nil {
		return "", err
	}
	known, err := prefixZones(dir)
	if err != nil {
		return "", err
	}
	one, many, err := regions()
	if err != nil {
		return "", err
	}
	prefixes, err := areas(known, many)
	if err != nil {
		return "", err
	}
	byZone := map[string][]string{}
	for _, entries := range []map[string]string{one, prefixes} {
		for entry, zone := range entries {
			byZone[zone] = append(byZone[zone], entry)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# tz database %s, %s %s, same clocks from %d to %d\n", regionsSource, library, version, firstYear, lastYear)
	for _, zone := range slices.Sorted(maps.Keys(byZone)) {
		slices.Sort(byZone[zone])
		fmt.Fprintf(&b, "%s %s\n", zone, strings.Join(byZone[zone], " "))
	}
	return b.String(), nil
}

package main

import (
	_ "embed" // the zones of each region
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // the same rules on every machine
)

// regionsText is a region (ISO 3166-1) and its zones a line, from zone.tab of the tz database.
//
//go:embed regions.txt
var regionsText string

// regionsSource names the release of the tz database that regions.txt was made from.
const regionsSource = "2026f"

// regionsOf reads zone.tab: region, coordinates, zone, remark, with tabs between them. The first zone of a region is its best known one.
func regionsOf(zoneTab string) string {
	zones := map[string][]string{}
	for line := range strings.Lines(zoneTab) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") && len(fields) >= 3 {
			zones[fields[0]] = append(zones[fields[0]], fields[2])
		}
	}
	var b strings.Builder
	for _, region := range slices.Sorted(maps.Keys(zones)) {
		fmt.Fprintf(&b, "%s %s\n", region, strings.Join(zones[region], " "))
	}
	return b.String()
}

// official are zones that hold for everybody with a number of the region, whatever the tz database tells apart there: local usage beside the
// time of the law (Xinjiang), and a territory whose telephones are reached by another calling code (Crimea).
var official = map[string]string{"CN": "Asia/Shanghai", "UA": "Europe/Kyiv"}

// regions returns the one zone of each region that has one, and the zones of the others.
func regions() (one map[string]string, many map[string][]string, err error) {
	one, many = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(regionsText) {
		fields := strings.Fields(line)
		region, zones := fields[0], fields[1:]
		same, err := alike(zones)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", region, err)
		case official[region] != "":
			one[region] = official[region]
		case same:
			one[region] = zones[0]
		default:
			many[region] = zones
		}
	}
	return one, many, nil
}

// The years in which zones are compared. Earlier ones no longer ring anybody.
const firstYear, lastYear = 2026, 2035

// clock returns what tells the clocks of two zones apart: every offset and its beginning.
func clock(name string) (string, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	last := -1
	end := time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC)
	for at := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).In(zone); at.Before(end); {
		if _, offset := at.Zone(); offset != last {
			fmt.Fprintf(&b, "%d:%d ", at.Unix(), offset)
			last = offset
		}
		_, next := at.ZoneBounds()
		if next.IsZero() {
			break
		}
		at = next
	}
	return b.String(), nil
}

// alike reports whether the clocks of all zones are the same.
func alike(zones []string) (bool, error) {
	var first string
	for i, name := range zones {
		c, err := clock(name)
		if err != nil {
			return false, err
		}
		if i == 0 {
			first = c
		}
		if c != first {
			return false, nil
		}
	}
	return len(zones) > 0, nil
}

package rules

import (
	_ "embed" // the zones of numbers
	"fmt"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones load on machines that have none, such as a Lambda function's

	"github.com/ringonce/ringonce/internal/call"
)

//go:generate go run ../../tools/genzones zones.txt zonenames.txt

// zonesText is a line that says what the table was made of, then one line for each zone: its name, and the regions (ISO 3166-1) and area
// codes (digits with the calling code) whose numbers are there. Regions with several zones have no entry.
//
//go:embed zones.txt
var zonesText string

// areaDigits is the length of the table's area codes.
const areaDigits = 4

// zones holds the table once a number was asked for.
var zones struct {
	sync.Once

	of map[string]string // by region or area code
}

// ZoneOfNumber returns the time zone that an E.164 number belongs to, an IANA name: where its region has one zone, or its area code has. It
// is false where the digits leave that open, and for numbers that belong to no region. A number can be far from home: docs/hours.md says
// what that means.
func ZoneOfNumber(e164 string) (zone string, ok bool) {
	zones.Do(func() {
		zones.of = map[string]string{}
		for line := range strings.Lines(zonesText) {
			fields := strings.Fields(line)
			if fields[0] == "#" {
				continue
			}
			for _, entry := range fields[1:] {
				zones.of[entry] = fields[0]
			}
		}
	})
	n := Lookup(e164)
	if zone, ok = zones.of[n.Region]; ok {
		return zone, true
	}
	digits := strings.TrimPrefix(e164, "+")
	if len(digits) < areaDigits || n.Kind != Ordinary {
		return "", false
	}
	zone, ok = zones.of[digits[:areaDigits]]
	return zone, ok
}

// ZoneSource says what the table of [ZoneOfNumber] was made of: the release of the tz database and the version of the phone metadata.
func ZoneSource() string {
	line, _, _ := strings.Cut(zonesText, "\n")
	return strings.TrimPrefix(line, "# ")
}

// ZoneFrom says what a zone was chosen by.
type ZoneFrom string

// The ways to know where a recipient is, the surest first.
const (
	ZoneOfRequest ZoneFrom = "request" // the request names it
	ZoneOfDigits  ZoneFrom = "number"  // the number leaves no doubt
	ZoneOfProfile ZoneFrom = "profile" // the configuration says what holds otherwise
)

// Zone returns the time zone of a call's recipient and what it was chosen by. Its error says that the name cannot be loaded, which checked
// requests and configurations never cause.
func Zone(c call.Call, profileZone string) (*time.Location, ZoneFrom, error) {
	name, from := c.Zone, ZoneOfRequest
	if name == "" {
		name, from = zoneOfDestination(c), ZoneOfDigits
	}
	if name == "" {
		name, from = profileZone, ZoneOfProfile
	}
	if err := CheckZone(name); err != nil {
		return nil, from, fmt.Errorf("time zone by the %s: %w", from, err)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, from, fmt.Errorf("time zone by the %s: %w", from, err)
	}
	return zone, from, nil
}

func zoneOfDestination(c call.Call) string {
	zone, _ := ZoneOfNumber(c.Destination)
	return zone
}

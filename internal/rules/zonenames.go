package rules

import (
	_ "embed" // the names of time zones
	"slices"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// zoneNamesText is one name a line, in the order of their bytes: the names of the tz database that have an area, and UTC.
//
//go:embed zonenames.txt
var zoneNamesText string

var zoneNames struct {
	sync.Once

	list []string
}

func zoneList() []string {
	zoneNames.Do(func() { zoneNames.list = strings.Fields(zoneNamesText) })
	return zoneNames.list
}

// CheckZone says whether a name is that of a time zone, exactly as the tz database writes it. Abbreviations (JST, EST), Local and names
// without an area (Japan) are refused: nobody can tell which clock they mean, or they change with the machine. Its errors are refusals of
// the field timeZone that suggest the nearest name. It loads no zone.
func CheckZone(name string) error {
	if _, found := slices.BinarySearch(zoneList(), name); found {
		return nil
	}
	message := "The field timeZone names no time zone of the tz database."
	if name == "" {
		message = "The field timeZone is empty."
	}
	fix := "Use an IANA name such as Asia/Tokyo."
	if nearest := SuggestZone(name); nearest != "" {
		fix = "Use an IANA name: " + nearest + " is the nearest."
	}
	return &call.Error{Code: call.CodeFieldValue, Field: "timeZone", Message: message, Fix: fix}
}

// meant are the zones that people have in mind when they write what is none. Where one text stands for several places none is suggested.
var meant = map[string]string{
	"jst": "Asia/Tokyo", "japan": "Asia/Tokyo", "kst": "Asia/Seoul", "rok": "Asia/Seoul", "prc": "Asia/Shanghai", "roc": "Asia/Taipei",
	"hongkong": "Asia/Hong_Kong", "hkt": "Asia/Hong_Kong", "sgt": "Asia/Singapore", "wib": "Asia/Jakarta", "pht": "Asia/Manila", "ict": "Asia/Bangkok",
	"gmt": "Europe/London", "bst": "Europe/London", "gb": "Europe/London", "eire": "Europe/Dublin", "wet": "Europe/Lisbon", "portugal": "Europe/Lisbon",
	"cet": "Europe/Berlin", "cest": "Europe/Berlin", "met": "Europe/Berlin", "eet": "Europe/Athens", "eest": "Europe/Athens", "msk": "Europe/Moscow",
	"poland": "Europe/Warsaw", "turkey": "Europe/Istanbul", "israel": "Asia/Jerusalem", "iran": "Asia/Tehran", "egypt": "Africa/Cairo", "cat": "Africa/Maputo",
	"eat": "Africa/Nairobi", "sast": "Africa/Johannesburg", "wat": "Africa/Lagos", "est": "America/New_York", "edt": "America/New_York", "et": "America/New_York",
	"est5edt": "America/New_York", "cdt": "America/Chicago", "ct": "America/Chicago", "cst6cdt": "America/Chicago", "mst": "America/Denver", "mdt": "America/Denver",
	"mt": "America/Denver", "mst7mdt": "America/Denver", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pt": "America/Los_Angeles",
	"pst8pdt": "America/Los_Angeles", "akst": "America/Anchorage", "hst": "Pacific/Honolulu", "jamaica": "America/Jamaica", "cuba": "America/Havana",
	"brt": "America/Sao_Paulo", "art": "America/Argentina/Buenos_Aires", "aest": "Australia/Sydney", "aedt": "Australia/Sydney", "acst": "Australia/Adelaide",
	"awst": "Australia/Perth", "nz": "Pacific/Auckland", "nzst": "Pacific/Auckland", "nzdt": "Pacific/Auckland", "z": "UTC", "zulu": "UTC", "utc": "UTC",
	"uct": "UTC", "universal": "UTC",
}

// longestZone bounds the names that are compared with others; real ones are shorter.
const longestZone = 64

// SuggestZone returns the name of the time zone that a wrong name most likely means; empty when none is near.
func SuggestZone(wrong string) string {
	wrong = strings.ToLower(strings.TrimSpace(wrong))
	if zone := meant[wrong]; zone != "" || wrong == "" || len(wrong) > longestZone {
		return zone
	}
	wrong = strings.ReplaceAll(wrong, " ", "_")
	best, least := "", 1+len(wrong)/6 // edits
	for _, name := range zoneList() {
		candidate := strings.ToLower(name)
		if !strings.Contains(wrong, "/") {
			candidate = candidate[strings.LastIndexByte(candidate, '/')+1:] // a city alone
		}
		if d := distance(wrong, candidate); d <= least && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// distance counts the characters that must be put in, taken out or replaced to make one text the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

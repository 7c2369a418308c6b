package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestTheZoneOfANumberIsThatOfItsRegionOrAreaCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ digits, zone string }{
		"Japan":                                {"8190", "Asia/Tokyo"},
		"the United Kingdom":                   {"4477", "Europe/London"},
		"Algeria, which has no summer time":    {"2135", "Africa/Algiers"},
		"Morocco":                              {"2126", "Africa/Casablanca"},
		"Nicaragua, which has no summer time":  {"5058", "America/Managua"},
		"Kazakhstan, one zone since 2024":      {"7701", "Asia/Almaty"},
		"Argentina, many zones with one clock": {"5411", "America/Argentina/Buenos_Aires"},
		"China, one time by law":               {"8613", "Asia/Shanghai"},
		"Reunion":                              {"262692", "Indian/Reunion"},
		"Mayotte, beside it":                   {"262639", "Indian/Mayotte"},
		"Bermuda, which has an area code":      {"1441", "Atlantic/Bermuda"},
		"Puerto Rico":                          {"1787", "America/Puerto_Rico"},
		"Washington":                           {"1202", "America/New_York"},
		"Chicago":                              {"1312", "America/Chicago"},
		"Phoenix":                              {"1602", "America/Phoenix"},
		"Vancouver":                            {"1604", "America/Vancouver"},
		"British Columbia, two zones":          {"1250", ""},
		"its other code":                       {"1778", ""},
		"Kentucky, two zones":                  {"1270", ""},
		"Saskatchewan, with a town of another clock": {"1306", ""},
		"the Navajo in Arizona":                      {"1928", ""},
		"the Yukon and two more territories":         {"1867", ""},
		"freephone of North America":                 {"1800", ""},
		"personal numbers of North America":          {"1500", ""},
		"a mobile of Russia, eleven zones":           {"7916", ""},
		"a mobile of Australia":                      {"614", ""},
		"Queensland":                                 {"617", ""},
		"Brazil":                                     {"5511", ""},
		"a mobile of Spain, with the Canary Islands": {"346", ""},
		"Papua, with Bougainville":                   {"6757", ""},
		"satellites":                                 {"8816", ""},
		"a calling code that nobody has":             {"2100", ""},
		"nothing":                                    {"", ""},
	} {
		zone, ok := ZoneOfNumber(padded(c.digits))
		if zone != c.zone || ok != (c.zone != "") {
			t.Errorf("%s: %q, %t; want %q", name, zone, ok, c.zone)
		}
	}
	if source := ZoneSource(); !strings.Contains(source, "tz database 20") || !strings.Contains(source, "phonenumbers v") {
		t.Errorf("the source is %q", source)
	}
}

func TestTheTableIsSmallAndEveryZoneInItLoads(t *testing.T) {
	t.Parallel()
	if size := len(zonesText) + len(zoneNamesText); size > 60_000 {
		t.Errorf("%d bytes", size)
	}
	if _, ok := ZoneOfNumber(padded("81")); !ok {
		t.Fatal("the table is not read")
	}
	for entry, zone := range zones.of {
		if _, err := time.LoadLocation(zone); err != nil || CheckZone(zone) != nil {
			t.Errorf("%s: %s does not load: %v", entry, zone, err)
		}
		if !KnownRegion(entry) && len(entry) != areaDigits && !unplanned[entry] {
			t.Errorf("%s is no region and no area code", entry)
		}
	}
}

// unplanned are regions that the numbering plans do not tell from the main region of their calling code, or that have no telephones.
var unplanned = map[string]bool{"GS": true, "TF": true, "PN": true, "MF": true, "BL": true, "EH": true, "CC": true, "CX": true, "VA": true}

func TestTheZoneOfARecipientIsTheRequestsElseTheNumbersElseTheProfiles(t *testing.T) {
	t.Parallel()
	clear, open := strings.TrimPrefix(padded("8190"), "+"), strings.TrimPrefix(padded("7916"), "+")
	for name, c := range map[string]struct {
		asked, digits, profile, zone string
		from                         ZoneFrom
	}{
		"the request's":  {"America/New_York", clear, "Europe/Berlin", "America/New_York", ZoneOfRequest},
		"the number's":   {"", clear, "Europe/Berlin", "Asia/Tokyo", ZoneOfDigits},
		"the profile's":  {"", open, "Europe/Berlin", "Europe/Berlin", ZoneOfProfile},
		"without number": {"", "", "Europe/Berlin", "Europe/Berlin", ZoneOfProfile},
	} {
		zone, from, err := Zone(call.Call{Zone: c.asked, Destination: c.digits}, c.profile)
		if err != nil || zone.String() != c.zone || from != c.from {
			t.Errorf("%s: %v by the %s: %v", name, zone, from, err)
		}
	}
	for name, c := range map[string]call.Call{"none at all": {Destination: open}, "a name that was never checked": {Zone: "Local"}} {
		if zone, from, err := Zone(c, ""); err == nil {
			t.Errorf("%s: %v by the %s", name, zone, from)
		}
	}
}

func TestANameThatIsNoZoneIsRefusedWithTheNearest(t *testing.T) {
	t.Parallel()
	for wrong, nearest := range map[string]string{
		"JST": "Asia/Tokyo", "Asia/Tokio": "Asia/Tokyo", "asia/tokyo": "Asia/Tokyo", "Tokyo": "Asia/Tokyo", " Asia/Tokyo": "Asia/Tokyo", "Japan": "Asia/Tokyo",
		"EST": "America/New_York", "America/NewYork": "America/New_York", "America/New York": "America/New_York", "New York": "America/New_York",
		"Europe/Londn": "Europe/London", "utc": "UTC", "GMT": "Europe/London", "PST8PDT": "America/Los_Angeles",
		"": "", "Local": "", "CST": "", "IST": "", "+09:00": "", "UTC+9": "", "../../etc/passwd": "", "/etc/localtime": "", "posixrules": "",
		strings.Repeat("A", 2000): "", "Mars/Olympus_Mons": "",
	} {
		err := CheckZone(wrong)
		refusal, ok := errors.AsType[*call.Error](err)
		if !ok || refusal.Field != "timeZone" || refusal.Code != call.CodeFieldValue || SuggestZone(wrong) != nearest ||
			!strings.Contains(refusal.Fix, nearest) || len(wrong) > longestZone && strings.Contains(refusal.Error()+refusal.Fix, wrong) {
			t.Errorf("%.40q: %v, suggests %q", wrong, err, SuggestZone(wrong))
		}
	}
	for _, right := range []string{"Asia/Tokyo", "UTC", "Etc/UTC", "America/Argentina/Buenos_Aires", "Asia/Calcutta", "Asia/Kolkata"} {
		if err := CheckZone(right); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
}

func TestEveryNameThatIsAcceptedLoads(t *testing.T) {
	t.Parallel()
	for _, name := range zoneList() {
		if _, err := time.LoadLocation(name); err != nil {
			t.Error(err)
		}
		if name != SuggestZone(name) && SuggestZone(name) == "" {
			t.Errorf("%s is not near itself", name)
		}
	}
	for _, wrong := range meant {
		if err := CheckZone(wrong); err != nil {
			t.Errorf("%s is suggested and refused", wrong)
		}
	}
}

package rules

import (
	"strings"
	"testing"
	"time"
)

func hours(t *testing.T, windows ...string) *Hours {
	t.Helper()
	h, err := ParseHours(windows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func zoneNamed(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

const office = "mon-fri 09:00-20:00|sat 10:00-17:00"

func TestTheNextRingIsAtTheBeginningOfTheNextWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ windows, closed, zone, now, next string }{
		"inside":                                 {office, "", "Asia/Tokyo", "2026-11-27T12:00:00+09:00", "2026-11-27T12:00:00+09:00"},
		"at the first instant":                   {office, "", "Asia/Tokyo", "2026-11-27T09:00:00+09:00", "2026-11-27T09:00:00+09:00"},
		"an instant before":                      {office, "", "Asia/Tokyo", "2026-11-27T08:59:59.999999999+09:00", "2026-11-27T09:00:00+09:00"},
		"an instant before the end":              {office, "", "Asia/Tokyo", "2026-11-27T19:59:59.999999999+09:00", "2026-11-27T19:59:59.999999999+09:00"},
		"at the end":                             {office, "", "Asia/Tokyo", "2026-11-27T20:00:00+09:00", "2026-11-28T10:00:00+09:00"},
		"after the end of Saturday":              {office, "", "Asia/Tokyo", "2026-11-28T17:00:00+09:00", "2026-11-30T09:00:00+09:00"},
		"in the recipient's zone, not in ours":   {office, "", "America/New_York", "2026-11-27T12:00:00+09:00", "2026-11-27T14:00:00Z"},
		"until midnight":                         {"18:00-24:00", "", "UTC", "2026-11-27T23:59:59Z", "2026-11-27T23:59:59Z"},
		"at midnight":                            {"18:00-24:00", "", "UTC", "2026-11-28T00:00:00Z", "2026-11-28T18:00:00Z"},
		"over midnight":                          {"fri 22:00-02:00", "", "UTC", "2026-11-28T01:59:59Z", "2026-11-28T01:59:59Z"},
		"over midnight, at the end":              {"fri 22:00-02:00", "", "UTC", "2026-11-28T02:00:00Z", "2026-12-04T22:00:00Z"},
		"over midnight, on another day":          {"fri 22:00-02:00", "", "UTC", "2026-11-27T01:00:00Z", "2026-11-27T22:00:00Z"},
		"the whole day":                          {"00:00-24:00", "", "UTC", "2026-11-27T00:00:00Z", "2026-11-27T00:00:00Z"},
		"a pause at noon":                        {"mon-fri 09:00-12:00,13:00-20:00", "", "UTC", "2026-11-27T12:30:00Z", "2026-11-27T13:00:00Z"},
		"the earlier of two that are out of row": {"15:00-16:00|09:00-10:00", "", "UTC", "2026-11-27T08:00:00Z", "2026-11-27T09:00:00Z"},
		"days over the end of the week":          {"sat-mon 09:00-10:00", "", "UTC", "2026-11-24T08:00:00Z", "2026-11-28T09:00:00Z"},
		"a closed day":                           {office, "2026-11-27", "Asia/Tokyo", "2026-11-27T12:00:00+09:00", "2026-11-28T10:00:00+09:00"},
		"closed days over the end of the year":   {office, "12-29..01-03", "Asia/Tokyo", "2026-12-29T12:00:00+09:00", "2027-01-04T09:00:00+09:00"},
		"a day closed every year":                {"09:00-10:00", "01-01", "UTC", "2031-01-01T09:30:00Z", "2031-01-02T09:00:00Z"},
		"the leap day":                           {"09:00-10:00", "02-29", "UTC", "2028-02-29T09:30:00Z", "2028-03-01T09:00:00Z"},
		"a closed day cuts what began before":    {"fri 22:00-02:00", "2026-11-28", "UTC", "2026-11-28T00:00:00Z", "2026-12-04T22:00:00Z"},
		"a closed day begins nothing":            {"fri 22:00-02:00", "2026-11-27", "UTC", "2026-11-28T01:00:00Z", "2026-12-04T22:00:00Z"},
		"closed days alone":                      {"", "2026-11-27", "Asia/Tokyo", "2026-11-27T12:00:00+09:00", "2026-11-28T00:00:00+09:00"},
		"closed days alone, on another day":      {"", "2026-11-27", "Asia/Tokyo", "2026-11-26T03:00:00+09:00", "2026-11-26T03:00:00+09:00"},
		"never":                                  {"09:00-10:00", "01-01..12-31", "UTC", "2026-11-27T09:30:00Z", ""},
		"not within two years":                   {"09:00-10:00", "2026-01-01..9999-12-31", "UTC", "2026-11-27T09:30:00Z", ""},
	} {
		h, err := ParseHours(list(c.windows), list(c.closed))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		now, zone := instant(t, c.now), zoneNamed(t, c.zone)
		at, ok := h.Next(now, zone)
		if ok != (c.next != "") || ok && !at.Equal(instant(t, c.next)) {
			t.Errorf("%s: next at %v, %t; want %q", name, at, ok, c.next)
		}
		if open := h.Open(now, zone); open != (c.next == c.now) {
			t.Errorf("%s: open %t", name, open)
		}
	}
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "|")
}

func TestWithoutHoursEveryTimeIsAllowed(t *testing.T) {
	t.Parallel()
	now := instant(t, "2026-11-27T03:00:00Z")
	none, err := ParseHours(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*Hours{"nil": nil, "empty": none} {
		if at, ok := h.Next(now, time.UTC); !ok || !at.Equal(now) || !h.Open(now, time.UTC) {
			t.Errorf("%s: %v, %t", name, at, ok)
		}
	}
}

func TestHoursThatCannotBeReadSayWhatToWrite(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"":                            "write days and times",
		"mon to fri 09:00-20:00":      "write days and times",
		"mon-fri":                     "no time of the day",
		"mon-fri 9:00-20:00":          "two digits",
		"mon-fri 09.00-20.00":         "two digits",
		"mon-fri 09:00":               "stretch of time",
		"mon-fri 09:00-":              "no time of the day",
		"mon-fri 09:00-25:00":         "00:00 to 24:00",
		"mon-fri 09:00-24:01":         "00:00 to 24:00",
		"mon-fri 09:60-20:00":         "00:00 to 24:00",
		"mon-fri +9:00-20:00":         "two digits",
		"mon-fri 24:00-08:00":         "00:00 of the day after",
		"mon-fri 09:00-09:00":         "00:00-24:00",
		"mon-fri 09:00-12:00,":        "stretch of time",
		"monday 09:00-20:00":          "names no days",
		"mon-tues 09:00-20:00":        "names no days",
		"mon,,fri 09:00-20:00":        "names no days",
		"mon-fri 09:00-20:00 (Tokyo)": "write days and times",
	} {
		if _, err := ParseHours([]string{entry}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", entry, err, want)
		}
	}
	for entry, want := range map[string]string{
		"": "no day", "2026-13-01": "no day", "2026-02-29": "no day", "29-12-2026": "no day", "0000-01-01": "no day", "12/29": "no day",
		"2026-12-29..01-03": "both days a year", "2026-12-29..2026-01-03": "before the first", "12-29..": "no day", "2026-1-1": "no day",
	} {
		if _, err := ParseHours(nil, []string{entry}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", entry, err, want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

func TestTheTablesAreWhatTheGeneratorMakes(t *testing.T) {
	t.Parallel()
	for file, make := range map[string]func() (string, error){"zones.txt": table, "zonenames.txt": names} {
		kept, err := os.ReadFile(filepath.Join("..", "..", "internal", "rules", file))
		if err != nil {
			t.Fatal(err)
		}
		made, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if made != string(kept) {
			t.Errorf("%s is not what its sources say: run go generate ./internal/rules and look at the difference", file)
		}
	}
}

// TestThePrefixesAreReadAsTheLibraryReadsThem asks the library's lookup for every prefix of its file.
func TestThePrefixesAreReadAsTheLibraryReadsThem(t *testing.T) {
	t.Parallel()
	_, dir, err := module()
	if err != nil {
		t.Fatal(err)
	}
	known, err := prefixZones(dir)
	if err != nil || len(known) < 3000 {
		t.Fatalf("%d prefixes: %v", len(known), err)
	}
	for prefix, zones := range known {
		theirs, err := phonenumbers.GetTimezonesForPrefix(prefix)
		if err != nil || strings.Join(theirs, " ") != strings.Join(zones, " ") {
			t.Errorf("%s: %v, and the library says %v", prefix, zones, theirs)
		}
	}
}

func TestZonesAreAlikeOnlyWhenTheirClocksNeverDiffer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zones []string
		alike bool
	}{
		"one":                          {[]string{"Asia/Tokyo"}, true},
		"names of one place":           {[]string{"Asia/Kolkata", "Asia/Calcutta"}, true},
		"islands":                      {[]string{"Europe/London", "Europe/Jersey", "Europe/Isle_of_Man"}, true},
		"the same until summer":        {[]string{"America/Denver", "America/Phoenix"}, false},
		"half an hour of summer":       {[]string{"Australia/Sydney", "Australia/Lord_Howe"}, false},
		"the same again since 2024":    {[]string{"Asia/Almaty", "Asia/Aqtobe"}, true},
		"none":                         {nil, false},
		"another day of the change":    {[]string{"Asia/Beirut", "Asia/Nicosia"}, false},
		"a third one that differs":     {[]string{"Europe/Berlin", "Europe/Paris", "Africa/Algiers"}, false},
		"the other half of the planet": {[]string{"Pacific/Kiritimati", "Pacific/Honolulu"}, false},
	} {
		if same, err := alike(c.zones); err != nil || same != c.alike {
			t.Errorf("%s: %t, %v", name, same, err)
		}
	}
	if _, err := alike([]string{"Asia/Tokio"}); err == nil {
		t.Error("a zone that does not exist")
	}
}

func TestZoneTabIsReadByItsColumns(t *testing.T) {
	t.Parallel()
	got := regionsOf("# a remark\nJP\t+353916+1394441\tAsia/Tokyo\nAU\t-3133+15905\tAustralia/Lord_Howe\tLord Howe Island\nAU\t-3352+15113\tAustralia/Sydney\n")
	if got != "AU Australia/Lord_Howe Australia/Sydney\nJP Asia/Tokyo\n" {
		t.Errorf("%q", got)
	}
}

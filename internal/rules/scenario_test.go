package rules

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// japanese returns a number of Japan by its national beginning without the zero, ten digits in all: nobody's, since it ends in zeros.
func japanese(national string) string {
	return "+" + "81" + national + strings.Repeat("0", 10-len(national))
}

func TestScenarioV64ElevenDigitNumbersOfJapanAreNumbers(t *testing.T) {
	t.Parallel()
	d := destinations(t, []string{"JP"}, nil, []string{"pager"}) // 020 are pagers and machines, which nobody rings by accident
	for written, national := range map[string]string{"020": "201", "050": "501", "060": "60100", "070": "701", "080": "801", "090": "901"} {
		number := japanese(national)
		if _, err := call.ParsePhone(number); err != nil || len(number) != 13 {
			t.Errorf("%s: %v", written, err)
		}
		if v := d.Judge(number); !v.Allowed {
			t.Errorf("%s is refused: %+v", written, v)
		}
	}
}

func TestScenarioV65APrefixThatThePlanDoesNotKnowYetCanBeAllowed(t *testing.T) {
	t.Parallel()
	number := japanese("602") // the range 060 is younger than most lists of prefixes
	if v := destinations(t, []string{"JP"}, nil, nil).Judge(number); v.Allowed || v.Rule == "" {
		t.Errorf("by default: %+v", v) // refused with its reason, and returned to its source: not dropped
	}
	if v := destinations(t, []string{"JP", "+8160"}, nil, nil).Judge(number); !v.Allowed || v.Rule != "+8160" {
		t.Errorf("allowed by its digits: %+v", v)
	}
}

// The zones of the distribution are linked in: an empty machine, such as a Lambda function's, reads the same clocks.
func TestScenarioV58ZonesLoadWithoutAMachineThatHasThem(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../cmd/ringonce", "../../cmd/ringonce-lambda").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(list))
	if !slices.Contains(packages, "time/tzdata") {
		t.Error("the zones are not in the binaries")
	}
	lambda, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../cmd/ringonce-lambda").Output()
	if err != nil || !strings.Contains(string(lambda), "time/tzdata") || strings.Contains(string(lambda), "phonenumbers") {
		t.Errorf("the function's packages: tzdata %t, phone metadata %t, %v",
			strings.Contains(string(lambda), "time/tzdata"), strings.Contains(string(lambda), "phonenumbers"), err)
	}
}

func TestScenarioV61HalfPastTwoComesOnceOnEachDay(t *testing.T) {
	t.Parallel()
	zone := zoneNamed(t, "America/New_York")
	for name, c := range map[string]struct{ windows, from, opens string }{
		"spring: there is no 02:30":               {"02:30-20:00", "2026-03-08T00:00:00-05:00", "2026-03-08T03:00:00-04:00"},
		"spring: a window in the gap alone":       {"02:00-02:45", "2026-03-08T00:00:00-05:00", "2026-03-09T02:00:00-04:00"},
		"autumn: 02:30 comes after the two hours": {"02:30-20:00", "2026-11-01T00:00:00-04:00", "2026-11-01T02:30:00-05:00"},
		"autumn: 01:30 comes twice":               {"01:30-20:00", "2026-11-01T00:00:00-04:00", "2026-11-01T01:30:00-04:00"},
		"autumn: an end that comes twice":         {"01:00-01:30", "2026-11-01T01:30:00-04:00", "2026-11-02T01:00:00-05:00"},
	} {
		h, start := hours(t, c.windows), instant(t, c.from)
		if at, ok := h.Next(start, zone); !ok || !at.Equal(instant(t, c.opens)) {
			t.Errorf("%s: opens at %s", name, at.In(zone))
		}
	}
	for _, day := range []string{"2026-03-07T00:00:00-05:00", "2026-03-08T00:00:00-05:00", "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00"} {
		for _, window := range []string{"02:30-20:00", "02:30-02:31", "01:30-20:00", "01:30-03:00"} {
			h, start, opened, was := hours(t, window), instant(t, day), 0, false
			for at := start; at.In(zone).Day() == start.Day(); at = at.Add(time.Minute) {
				open := h.Open(at, zone)
				if open && !was {
					opened++
				}
				was = open
			}
			want := 1
			if window == "02:30-02:31" && start.In(zone).Month() == time.March && start.Day() == 8 {
				want = 0 // nothing of this window exists on that day
			}
			if opened != want {
				t.Errorf("%s on %s: opened %d times", window, day, opened)
			}
		}
	}
}

package rules

import (
	"strings"
	"testing"

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

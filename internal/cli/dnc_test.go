package cli

import (
	"strings"
	"testing"
)

func TestNumbersOfTheDoNotCallListComeFromAFileOrStandardInputAndAreNeverPrinted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009") // makes the ledger
	file := d.write("numbers.txt", "\ufeff# people who asked\n+819000000001\n\n +819000000002 \n+819000000001\n")
	stdout, _ := d.run(ExitOK, "dnc", "add", "--number-file", file, "--reason", "they asked", "--actor", "kim")
	says(t, stdout, "+81******0001: on the list since 20", "they asked (operator) (by kim)", "+81******0002: on the list since 20")
	if n := strings.Count(stdout, "on the list"); n != 2 {
		t.Errorf("%d numbers, not 2", n)
	}
	d.stdin = "+819000000001\n+819000000003\n"
	stdout, _ = d.run(ExitRefused, "dnc", "check", "--json")
	answers := each[dncAnswer](t, stdout)
	if len(answers) != 2 || !answers[0].Listed || answers[0].By != "kim" || answers[0].Reason != "they asked" || answers[1].Listed || answers[1].Number != "+81******0003" {
		t.Errorf("%+v", answers)
	}
	stdout, _ = d.run(ExitOK, "dnc", "add", "--number-file", "-", "--reason", "once more", "--source", "register", "--json")
	answers = each[dncAnswer](t, stdout)
	if answers[0].Changed || answers[0].Reason != "they asked" || !answers[1].Changed || answers[1].Source != "register" {
		t.Errorf("the first entry stays: %+v", answers)
	}
	stdout, _ = d.run(ExitOK, "dnc", "list")
	says(t, stdout, "NUMBER SINCE SOURCE BY WHY", "+81******0001 20", "operator kim they asked", "+81******0003 20", "register - once more")
	stdout, _ = d.run(ExitOK, "dnc", "list", "--limit", "1")
	says(t, stdout, "there are more; --limit shows more than 1")
}

func TestANumberThatIsTakenOffTheDoNotCallListMayRingAndItsEntryStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009")
	stdout, _ := d.run(ExitOK, "dnc", "list")
	says(t, stdout, "the do-not-call list is empty")
	d.run(ExitOK, "dnc", "add", "+819000000001", "--reason", "they asked")
	stdout, _ = d.run(ExitOK, "dnc", "rm", "+819000000001", "--reason", "they changed their mind", "--actor", "kim")
	says(t, stdout, "+81******0001: not on the list: taken off at 20", ": they changed their mind (by kim)")
	stdout, _ = d.run(ExitOK, "dnc", "check", "+819000000001")
	says(t, stdout, "not on the list: taken off at 20")
	stdout, _ = d.run(ExitOK, "dnc", "list")
	says(t, stdout, "the do-not-call list is empty")
	stdout, _ = d.run(ExitOK, "dnc", "list", "--removed")
	says(t, stdout, "TAKEN OFF WHY", "they changed their mind (by kim)")
	d.stdin = "+819000000002"
	stdout, _ = d.run(ExitOK, "dnc", "rm", "--reason", "nothing")
	says(t, stdout, "+81******0002: not on the list")
}

func TestALineThatIsNoNumberIsRefusedByItsPlaceBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009")
	d.stdin = "+819000000001\n+81 90 0000 0002\n"
	stdout, stderr := d.run(ExitUsage, "dnc", "add", "--reason", "they asked")
	says(t, stderr, "Line 2 is no phone number; nothing was done.", "Write it as + and 2 to 15 digits")
	if stdout != "" || strings.Contains(stderr, "0002") {
		t.Errorf("%s%s", stdout, stderr)
	}
	stdout, _ = d.run(ExitOK, "dnc", "list")
	says(t, stdout, "the do-not-call list is empty")
	d.stdin = ""
	for want, args := range map[string][]string{
		"No number is given.":        {},
		"Give them in one way.":      {"+819000000001", "--number-file", "x"},
		"Argument 1 is no phone":     {"819000000001"},
		"Missing flags: --reason":    nil,
		"--limit is not positive.":   nil,
		"The file of --number-file ": {"--number-file", "nowhere"},
	} {
		line := append([]string{"dnc", "add", "--reason", "x"}, args...)
		code := ExitUsage
		switch {
		case strings.HasPrefix(want, "Missing"):
			line = []string{"dnc", "rm", "+819000000001"}
		case strings.HasPrefix(want, "--limit"):
			line = []string{"dnc", "list", "--limit", "0"}
		case strings.HasPrefix(want, "The file"):
			code = ExitEnvironment
		}
		_, stderr := d.run(code, line...)
		says(t, stderr, strings.TrimSpace(want))
	}
}

package cli

import (
	"testing"

	"github.com/ringonce/ringonce/internal/rules"
)

func TestAPauseIsListedWithWhoAndWhyAndTheFirstStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009")
	stdout, _ := d.run(ExitOK, "pause", "--list")
	says(t, stdout, "nothing is paused")
	stdout, _ = d.run(ExitOK, "pause", "--profile", "alert", "--reason", "a flood of alerts", "--actor", "kim")
	says(t, stdout, "paused: profile alert, since 20", ": a flood of alerts (by kim)", "every process stops dialing them within a second", "ringonce resume --profile alert --reason TEXT")
	stdout, _ = d.run(ExitOK, "pause", "--profile", "alert", "--reason", "me too", "--actor", "lee", "--json")
	if p := each[paused](t, stdout)[0]; p.Changed || !p.Paused || p.By != "kim" || p.Reason != "a flood of alerts" {
		t.Errorf("%+v", p)
	}
	d.run(ExitOK, "pause", "--all", "--reason", "drill")
	d.run(ExitOK, "pause", "--prefix", "+8190", "--reason", "fraud")
	_, stderr := d.run(ExitOK, "pause", "--producer", "shop", "--reason", "they repeat themselves")
	says(t, stderr, "warning: the configuration names no producer shop")
	stdout, _ = d.run(ExitOK, "pause", "--list")
	says(t, stdout, "PAUSED SINCE BY WHY", "profile alert 20", "kim a flood of alerts", "every call 20", "- drill", "producer shop 20", "prefix +8190 20")
	stdout, _ = d.run(ExitOK, "pause", "--list", "--json")
	if all := each[paused](t, stdout); len(all) != 4 || all[0].Name != "alert" || all[1].Target != "all" {
		t.Errorf("%+v", all)
	}
	stdout, _ = d.run(ExitOK, "resume", "--all", "--reason", "the drill is over", "--actor", "kim")
	says(t, stdout, "resumed: every call, since 20", ": the drill is over (by kim)")
	_, stderr = d.run(ExitRefused, "resume", "--all", "--reason", "again")
	says(t, stderr, "Every call is not paused. See what is with ringonce pause --list")
	stdout, _ = d.run(ExitOK, "resume", "--prefix", "+8190", "--reason", "checked", "--json")
	if p := each[paused](t, stdout)[0]; !p.Changed || p.Paused || p.Name != "+8190" {
		t.Errorf("%+v", p)
	}
}

func TestAPauseThatSaysNotOneThingIsMisused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009")
	for want, args := range map[string][]string{
		"One of --all, --profile, --producer and --prefix is needed.": {"pause", "--reason", "x"},
		"Name one; pause several with several commands.":              {"pause", "--all", "--profile", "alert", "--reason", "x"},
		"A pause needs --reason.":                                     {"pause", "--all"},
		"The configuration knows no profile other.":                   {"pause", "--profile", "other", "--reason", "x"},
		"--prefix is no beginning of a number.":                       {"pause", "--prefix", "8190", "--reason", "x"},
		"--list is given beside what to pause.":                       {"pause", "--list", "--all"},
		"Missing flags: --reason":                                     {"resume", "--all"},
	} {
		_, stderr := d.run(ExitUsage, args...)
		says(t, stderr, want)
	}
}

func TestTheDoctorSeesAPauseThatNobodyResumedAndAnotherKeyOfTheDoNotCallList(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000009")
	d.run(ExitOK, "pause", "--all", "--reason", "a drill", "--actor", "kim")
	d.run(ExitOK, "dnc", "add", "+819000000001", "--reason", "they asked")
	p := d.start()
	names := rules.NewCellNames([]byte("another key"))
	h, err := keptBy(t.Context(), "calls.db", p.Store.Cells, names)
	if err != nil || !h.OtherKey || len(h.Paused) != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	says(t, h.Paused[0], "every call, since 20", ": a drill (by kim)")
	if h, err = keptBy(t.Context(), "calls.db", p.Store.Cells, p.Cells); err != nil || h.OtherKey {
		t.Errorf("with the right key: %+v, %v", h, err)
	}
}

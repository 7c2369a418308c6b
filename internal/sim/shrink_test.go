package sim_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// relive lives acts in a bubble and returns what the oracle finds.
func relive(t *testing.T, p sim.Plan, l sim.Life, dir string, acts []sim.Act) (findings []string) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, l.Seed)
	synctest.Test(t, func(t *testing.T) {
		findings = p.Relive(t.Context(), l.Setting, l.Seed, filepath.Join(dir, "life"), acts)
	})
	return findings
}

func TestAFailingLifeIsShortenedToAStoryThatStillFails(t *testing.T) {
	dir := t.TempDir()
	p := sim.Plan{World: sim.Light, Days: 60, Plain: true, Plant: sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassRefusedRequest} }}}
	const breach = "the ledger says failed, the phone rang"
	rang := func(findings []string) bool {
		return slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(f, breach) })
	}
	for seed := uint64(1); seed < 200; seed++ {
		l := live(t, p, seed, dir, false)
		if !rang(l.Findings) || !rang(relive(t, p, l, dir, l.Acts)) {
			continue
		}
		acts := sim.Shrink(l.Acts, 600, func(acts []sim.Act) bool { return rang(relive(t, p, l, dir, acts)) })
		if len(acts) > 6 {
			t.Errorf("%d acts are left of %d: %v", len(acts), len(l.Acts), acts)
		}
		story := sim.NewScript("A lost answer that is called a refusal.", l.Setting, acts)
		s, err := sim.ParseScript(story)
		if err != nil || !rang(relive(t, p, l, dir, s.Acts())) {
			t.Fatalf("the story does not fail any more (%v):\n%s", err, story)
		}
		t.Logf("seed %d, %d acts become:\n%s", seed, len(l.Acts), story)
		return
	}
	t.Fatal("no seed fails again when its acts are lived")
}

func TestEveryActOfARandomLifeIsReadAsItIsWritten(t *testing.T) {
	dir := t.TempDir()
	for seed := uint64(1); seed < 40; seed++ {
		l := live(t, sim.Plan{World: sim.Light, Days: 60}, seed, dir, false)
		for _, a := range l.Acts {
			read, err := sim.ParseAct(a.String())
			if err != nil || read.String() != a.String() {
				t.Fatalf("%q is read as %q: %v", a, read, err)
			}
		}
		if s, err := sim.ParseSetting(l.Setting.String()); err != nil || s != l.Setting {
			t.Fatalf("%q is read as %+v: %v", l.Setting, s, err)
		}
	}
}

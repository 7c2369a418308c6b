package cli

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func (r *running) standing() app.Standing {
	r.d.t.Helper()
	s, err := r.Standing(r.d.t.Context())
	if err != nil {
		r.d.t.Fatal(err)
	}
	return s
}

func TestWhatStandsInTheLedgerIsWhatIsStillSo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	p := d.start()
	p.sweep()
	if s := p.standing(); !s.Counted || s.Doubts+len(s.Held)+len(s.Pauses) > 0 || s.LateDial+s.LateLook+s.OldestPause+s.OldestDoubt > 0 {
		t.Errorf("an empty ledger: %+v", s)
	}
	d.run(ExitOK, "pause", "--profile", "alert", "--reason", "a flood", "--actor", "kim")
	d.clock.advance(time.Second)
	p.deliver("n-1", "+819000000001")
	d.clock.advance(time.Hour)
	s := p.standing()
	if !maps.Equal(s.Held, map[string]int{call.HeldPausedProfile: 1}) || !maps.Equal(s.Pauses, map[string]int{"profile": 1}) || s.OldestPause < time.Hour || s.OldestPause > 2*time.Hour {
		t.Errorf("beside a pause: %+v", s)
	}
	d.run(ExitOK, "resume", "--profile", "alert", "--reason", "it is over", "--actor", "kim")
	d.clock.advance(time.Second)
	p.sweep()
	p.rang(1)
	if s = p.standing(); len(s.Held)+len(s.Pauses) > 0 || s.OldestPause > 0 {
		t.Errorf("after it: %+v", s)
	}
	d.faults("throttle times=1")
	p.deliver("n-2", "+819000000002")
	d.clock.advance(time.Hour) // and nothing sweeps
	if s = p.standing(); s.LateDial < 50*time.Minute || s.LateDial > time.Hour || s.LateLook < 50*time.Minute {
		t.Errorf("without a sweep: %+v", s)
	}
	p.sweep()
	if s = p.standing(); s.LateDial > 0 {
		t.Errorf("after a sweep: %+v", s)
	}
}

func TestAnOpenDoubtIsCountedForAsLongAsItIsOne(t *testing.T) {
	t.Parallel()
	d, id := doubted(t)
	p := d.start()
	before := p.standing()
	d.clock.advance(time.Hour)
	if s := p.standing(); s.Doubts != 1 || s.OldestDoubt-before.OldestDoubt < time.Hour || s.OldestDoubt > 200*time.Hour {
		t.Errorf("%+v", s)
	}
	if _, err := p.Engine.CloseDoubt(t.Context(), id, d.telephone.Rings()[0].ContactID, "kim", "seen"); err != nil {
		t.Fatal(err)
	}
	if s := p.standing(); s.Doubts != 0 || s.OldestDoubt != 0 {
		t.Errorf("closed: %+v", s)
	}
}

func TestAServiceTellsPrometheusWhatStandsInItsLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000001") // makes the ledger
	d.run(ExitOK, "pause", "--prefix", "+8190", "--reason", "a flood", "--actor", "kim")
	s := d.serve()
	var text string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text = s.read("/metrics"); said(text, `ringonce_pauses{target="prefix"} 1`) {
			break
		}
	}
	for _, line := range []string{
		`ringonce_pauses{target="prefix"} 1`, `ringonce_pauses{target="all"} 0`, `ringonce_doubts_open 0`, `ringonce_held_calls{reason="pacing"} 0`, `ringonce_late_seconds{what="dial"} 0`,
		`ringonce_calls_total{state="expired"} 0`,
	} {
		if !said(text, line) {
			t.Errorf("it does not say %s", line)
		}
	}
	s.stop()
}

// said reports whether an exposition has a line.
func said(text, line string) bool { return strings.Contains(text, "\n"+line+"\n") }

package doctor_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/doctor"
)

func TestAHeartbeatThatIsOldOrOfTheFutureIsNoGoodOne(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		beat time.Time
		want doctor.Level
	}{
		"none":                   {time.Time{}, doctor.Warning},
		"of now":                 {now, doctor.OK},
		"a minute old":           {now.Add(-time.Minute), doctor.OK},
		"a little ahead":         {now.Add(time.Second), doctor.OK},
		"an hour old":            {now.Add(-time.Hour), doctor.Warning},
		"three hours in advance": {now.Add(3 * time.Hour), doctor.Warning},
	} {
		for _, f := range doctor.JudgeLedger(doctor.Ledger{Name: "ledger", LastBeat: c.beat}, now) {
			if f.Check == "heartbeat" && f.Level != c.want {
				t.Errorf("a heartbeat %s: %s, %s", name, f.Level, f.What)
			}
		}
	}
}

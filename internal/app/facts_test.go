package app

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// tally is told facts.
type tally struct {
	counts   map[string]int
	measured map[string]int
}

func (y *tally) Count(metric, of string, n int)   { y.counts[metric+" "+of] += n }
func (y *tally) Measure(metric string, _ float64) { y.measured[metric]++ }

func factsOf(t *testing.T, o Options) (*Metrics, *tally) {
	t.Helper()
	y := &tally{map[string]int{}, map[string]int{}}
	o.Facts, o.Clock, o.LookupEnv = y, SystemClock{}, LookupNothing
	m := (&Config{Metrics: MetricsConfig{Format: map[bool]string{true: "emf"}[o.Metrics != nil]}}).newMetrics(o)
	if m == nil {
		t.Fatal("nothing counts")
	}
	now := time.Now()
	m.decided(call.Decided{What: "result", Became: call.Placed, Dialed: now, Requested: now.Add(-time.Second), Took: time.Second})
	m.decided(call.Decided{What: string(call.EventHeld), Reason: "hours"})
	m.decided(call.Decided{What: "suppressed", Alarm: true})
	m.swept(call.Swept{Moved: 3})
	m.ledgerTook(time.Millisecond)
	return m, y
}

func TestTheSameFactsFeedTheLogAndWhoeverElseCounts(t *testing.T) {
	t.Parallel()
	out := &bytes.Buffer{}
	m, y := factsOf(t, Options{Metrics: out})
	if err := m.Flush(); err != nil {
		t.Fatal(err)
	}
	for fact, want := range map[string]int{
		"Calls placed": 1, "Held hours": 1, "Held ": 0, "Suppressed ": 1, "Alarms ": 1, "Sweeps ": 1, "SweptRows ": 3, "InDoubt ": 0,
	} {
		if y.counts[fact] != want {
			t.Errorf("%s was told %d times, want %d: %v", fact, y.counts[fact], want, y.counts)
		}
	}
	for _, name := range []string{metricDialLatency, metricLedgerLatency, metricRequestAge} {
		if y.measured[name] != 1 {
			t.Errorf("%s was measured %d times", name, y.measured[name])
		}
	}
	for fact := range y.counts {
		name, _, _ := strings.Cut(fact, " ")
		if !strings.Contains(out.String(), `"`+name+`":`) || !slices.Contains(MetricNames(), name) {
			t.Errorf("%s is told and not written: %s", name, out)
		}
	}
}

// A service runs for months: what nobody writes is not kept.
func TestWhatOnlyFactsAreToldIsNotGathered(t *testing.T) {
	t.Parallel()
	m, _ := factsOf(t, Options{})
	if len(m.values) != 0 {
		t.Errorf("gathered: %v", m.values)
	}
	if err := m.Flush(); err != nil || len(m.counts) != 0 {
		t.Errorf("%v, %v", err, m.counts)
	}
}

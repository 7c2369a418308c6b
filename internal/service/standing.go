package service

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Standing is what stands in the ledger at one moment; the members are those of app.Standing.
type Standing struct {
	At          time.Time
	Counted     bool
	Doubts      int
	OldestDoubt time.Duration
	Held        map[string]int
	LateDial    time.Duration
	LateLook    time.Duration
	Pauses      map[string]int
	OldestPause time.Duration

	Telling      bool
	Untold       int
	OldestUntold time.Duration
}

// standing are the gauges of what stands. They are exported from the first look on.
type standing struct {
	looked, doubts, oldestDoubt, oldestPause *prometheus.GaugeVec
	held, late, pauses                       *prometheus.GaugeVec
	untold, oldestUntold                     *prometheus.GaugeVec

	reasons, targets map[string]bool // that have a series, which says 0 when nothing is of it any more
}

func (m *Metrics) makeStanding() {
	m.standing = standing{
		looked:       m.gauges("ringonce_looked_timestamp_seconds", "When the gauges of what stands in the ledger were looked up."),
		doubts:       m.gauges("ringonce_doubts_open", "Calls in doubt."),
		oldestDoubt:  m.gauges("ringonce_doubt_oldest_seconds", "How long the oldest open doubt has been one; 0 when there is none."),
		held:         m.gauges("ringonce_held_calls", "Calls that wait for their dial, by reason.", "reason"),
		late:         m.gauges("ringonce_late_seconds", "How long ago the first due row was due: of a dial, or of a look at what follows one.", "what"),
		pauses:       m.gauges("ringonce_pauses", "Pauses in force, by what they pause.", "target"),
		oldestPause:  m.gauges("ringonce_pause_oldest_seconds", "How long the oldest pause has been in force; 0 when there is none."),
		untold:       m.gauges("ringonce_webhook_behind_calls", "Calls that their producers were not told of completely, at the latest look."),
		oldestUntold: m.gauges("ringonce_webhook_behind_oldest_seconds", "How long ago the oldest of them was accepted; 0 when there is none."),
		reasons:      map[string]bool{"pacing": true},
		targets:      map[string]bool{"all": true, "profile": true, "producer": true, "prefix": true},
	}
}

// Stands exports what stands. It is told by one goroutine.
func (m *Metrics) Stands(s Standing) {
	g := &m.standing
	g.looked.WithLabelValues().Set(float64(s.At.Unix()))
	g.late.WithLabelValues("dial").Set(s.LateDial.Seconds())
	g.late.WithLabelValues("look").Set(s.LateLook.Seconds())
	g.oldestPause.WithLabelValues().Set(s.OldestPause.Seconds())
	each(g.pauses, g.targets, s.Pauses)
	if s.Telling {
		g.untold.WithLabelValues().Set(float64(s.Untold))
		g.oldestUntold.WithLabelValues().Set(s.OldestUntold.Seconds())
	}
	if !s.Counted {
		return
	}
	g.doubts.WithLabelValues().Set(float64(s.Doubts))
	g.oldestDoubt.WithLabelValues().Set(s.OldestDoubt.Seconds())
	each(g.held, g.reasons, s.Held)
}

// each sets the gauge of every word that was ever counted.
func each(gauge *prometheus.GaugeVec, words map[string]bool, counts map[string]int) {
	for word := range counts {
		words[word] = true
	}
	for word := range words {
		gauge.WithLabelValues(word).Set(float64(counts[word]))
	}
}

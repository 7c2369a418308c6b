package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/service"
)

func TestEveryFactOfCallsIsExportedToPrometheus(t *testing.T) {
	t.Parallel()
	m := service.NewMetrics("")
	for _, name := range app.MetricNames() {
		if !m.Knows(name) {
			t.Errorf("%s is counted and not exported", name)
		}
	}
	if m.Knows("Nonsense") {
		t.Error("everything is known")
	}
}

func TestTheJitterIsAFractionAndGoesOnWithoutRandomness(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"\x00\x00\x00\x00\x00\x00\x00\x00": 0, "\x80\x00\x00\x00\x00\x00\x00\x00": 0.5, "short": 0.5} {
		if got := fraction(strings.NewReader(text))(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if got := fraction(bytes.NewReader(bytes.Repeat([]byte{0xff}, 8)))(); got >= 1 || got < 0.99 {
		t.Errorf("the largest is %v", got)
	}
}

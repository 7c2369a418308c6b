package alerttest

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
)

// TestEveryPanelOfTheDashboardShowsSomething holds that no query of the dashboard is empty, or no number, on a good day.
func TestEveryPanelOfTheDashboardShowsSomething(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../grafana/ringonce.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.metrics.Gauge("ringonce_queue_messages_held", "Messages that this process holds.", map[string]string{"queue": "orders"}, func() float64 { return 1 })
	w.lives(2*time.Hour, w.usual, nothing)
	w.now = w.now.Add(-step)
	asked := 0
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			asked++
			found := w.query(target.Expr)
			if len(found) == 0 {
				t.Errorf("%s shows nothing: %s", p.Title, target.Expr)
			}
			for _, one := range found {
				if math.IsNaN(one.F) {
					t.Errorf("%s shows no number: %s", p.Title, target.Expr)
				}
			}
		}
	}
	if asked < 30 {
		t.Errorf("%d queries only", asked)
	}
}

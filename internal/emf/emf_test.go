package emf_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/emf"
	"github.com/ringonce/ringonce/internal/emf/emftest"
)

var at = time.Date(2026, 11, 29, 3, 0, 5, 123456789, time.UTC)

func function(metrics ...emf.Metric) emf.Group {
	return emf.Group{Dimensions: []emf.Dimension{{Name: "Function", Value: "ringonce"}}, Sets: [][]string{{"Function"}}, Metrics: metrics}
}

func state(name string, calls float64) emf.Group {
	return emf.Group{
		Dimensions: []emf.Dimension{{Name: "Function", Value: "ringonce"}, {Name: "State", Value: name}}, Sets: [][]string{{"Function"}, {"Function", "State"}},
		Metrics: []emf.Metric{{Name: "Calls", Unit: emf.Count, Values: []float64{calls}}},
	}
}

func lines(t testing.TB, text []byte) [][]byte {
	t.Helper()
	all := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for _, line := range all {
		if breaches := emftest.Check(line, at); len(breaches) > 0 {
			t.Fatalf("%s\nbreaks the format: %q", line, breaches)
		}
	}
	return all
}

func TestTheLinesOfAnInvocationAreThese(t *testing.T) {
	t.Parallel()
	got := emf.Append(nil, at, "ringonce",
		function(
			emf.Metric{Name: "Sweeps", Unit: emf.Count, Values: []float64{0}}, emf.Metric{Name: "Deliveries", Unit: emf.Count, Values: []float64{3}},
			emf.Metric{Name: "DialLatency", Unit: emf.Milliseconds, Values: []float64{123.457, 98}}, emf.Metric{Name: "RequestAge", Unit: emf.Seconds},
		),
		state("placed", 2), state("in_doubt", 1))
	lines(t, got)
	want, err := os.ReadFile("testdata/invocation.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the lines are\n%swant\n%s", got, want)
	}
}

func TestMoreThanALineTakesIsMoreLines(t *testing.T) {
	t.Parallel()
	many := make([]float64, 250)
	var names []emf.Metric
	for i := range 120 {
		names = append(names, emf.Metric{Name: fmt.Sprintf("M%d", i), Unit: emf.Count, Values: []float64{1}})
	}
	all := lines(t, emf.Append(nil, at, "ringonce", function(append(names, emf.Metric{Name: "Latency", Unit: emf.Milliseconds, Values: many})...)))
	kept, err := emftest.Read(all...)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(kept[emftest.Series{Name: "Latency", Function: "ringonce"}]); got != 250 || len(kept) != 121 {
		t.Errorf("%d lines keep %d values and %d metrics", len(all), got, len(kept))
	}
}

func TestWhatIsNoNumberIsLeftOut(t *testing.T) {
	t.Parallel()
	got := emf.Append(nil, at, "ringonce", function(emf.Metric{Name: "A", Unit: emf.Count, Values: []float64{math.NaN(), 2, math.Inf(1)}}))
	if !strings.HasSuffix(string(got), `,"A":2}`+"\n") {
		t.Errorf("got %s", got)
	}
	if got := emf.Append(nil, at, "ringonce", function(emf.Metric{Name: "A", Unit: emf.Count})); len(got) != 0 {
		t.Errorf("a metric without values is told: %s", got)
	}
}

// Whatever is counted: the lines keep to the format and lose no value.
func TestNoValueIsLostAndEveryLineKeepsToTheFormat(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var groups []emf.Group
		want := map[emftest.Series]int{}
		for i := range rapid.IntRange(1, 4).Draw(t, "groups") {
			g := function()
			for j := range rapid.IntRange(1, 3).Draw(t, "metrics") {
				m := emf.Metric{Name: fmt.Sprintf("M%d-%d", i, j), Unit: emf.Count, Values: make([]float64, rapid.IntRange(0, 230).Draw(t, "values"))}
				g.Metrics = append(g.Metrics, m)
				if len(m.Values) > 0 {
					want[emftest.Series{Name: m.Name, Function: "ringonce"}] = len(m.Values)
				}
			}
			groups = append(groups, g, state(rapid.SampledFrom([]string{"placed", "failed"}).Draw(t, "state"), 1))
		}
		var all [][]byte
		for line := range bytes.Lines(emf.Append(nil, at, "ringonce", groups...)) {
			if breaches := emftest.Check(line, at); len(breaches) > 0 {
				t.Fatalf("%s\nbreaks the format: %q", line, breaches)
			}
			all = append(all, line)
		}
		kept, err := emftest.Read(all...)
		if err != nil {
			t.Fatal(err)
		}
		if calls := len(kept[emftest.Series{Name: "Calls", Function: "ringonce"}]); calls != len(groups)/2 {
			t.Errorf("%d of %d calls were kept", calls, len(groups)/2)
		}
		for s, n := range want {
			if len(kept[s]) != n {
				t.Errorf("%d of %d values of %s were kept", len(kept[s]), n, s.Name)
			}
		}
	})
}

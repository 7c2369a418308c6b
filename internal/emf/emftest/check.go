// Package emftest reads lines of the CloudWatch embedded metric format as CloudWatch does, for tests: it is written from the specification
// and not from the writer, so that one misunderstanding cannot hide in both.
package emftest

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// The limits of the format, once more, as the specification prints them (Amazon CloudWatch User Guide, "Specification: Embedded metric
// format"; the size is that of a log event).
const (
	maxBytes      = 256 << 10
	maxMetrics    = 100
	maxDimensions = 30
	maxValues     = 100
)

// units are the words of MetricDatum, Unit (Amazon CloudWatch API Reference), as far as a program of calls can mean them.
var units = []string{"Seconds", "Microseconds", "Milliseconds", "Bytes", "Percent", "Count", "Count/Second", "None"}

type document struct {
	AWS *struct {
		Timestamp         *json.Number
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name, Unit string }
		}
	} `json:"_aws"`
}

// Check returns every breach of the format in a line that was printed at the given time.
func Check(line []byte, at time.Time) (breaches []string) {
	report := func(format string, args ...any) { breaches = append(breaches, fmt.Sprintf(format, args...)) }
	var doc document
	var root map[string]json.RawMessage
	if json.Unmarshal(line, &doc) != nil || json.Unmarshal(line, &root) != nil || doc.AWS == nil {
		return []string{"no JSON object with _aws"}
	}
	if len(line) > maxBytes {
		report("%d bytes", len(line))
	}
	if doc.AWS.Timestamp == nil {
		report("no Timestamp")
	} else if ms, err := doc.AWS.Timestamp.Int64(); err != nil || time.UnixMilli(ms).Sub(at).Abs() > time.Hour {
		report("the Timestamp %s is not now in milliseconds", *doc.AWS.Timestamp)
	}
	if len(doc.AWS.CloudWatchMetrics) == 0 {
		report("no directive")
	}
	told := map[string]bool{"_aws": true}
	for _, d := range doc.AWS.CloudWatchMetrics {
		if d.Namespace == "" {
			report("no Namespace")
		}
		if len(d.Dimensions) == 0 {
			report("no dimension set")
		}
		for _, set := range d.Dimensions {
			if len(set) > maxDimensions {
				report("%d dimensions in a set", len(set))
			}
			for _, name := range set {
				told[name] = true
				var value string
				if json.Unmarshal(root[name], &value) != nil || value == "" || utf8.RuneCountInString(value) > 1024 {
					report("the dimension %q has no value of 1 to 1024 characters", name)
				}
			}
		}
		if len(d.Metrics) == 0 || len(d.Metrics) > maxMetrics {
			report("%d metrics in a directive", len(d.Metrics))
		}
		for _, m := range d.Metrics {
			if told[m.Name] {
				report("%q is told twice", m.Name)
			}
			told[m.Name] = true
			if !slices.Contains(units, m.Unit) {
				report("the unit %q of %s does not exist", m.Unit, m.Name)
			}
			if n, ok := values(root[m.Name]); !ok || len(n) == 0 || len(n) > maxValues {
				report("the metric %s has no values, or %d", m.Name, len(n))
			}
		}
	}
	for name := range root {
		if !told[name] {
			report("the member %q is spoken of nowhere", name)
		}
	}
	return breaches
}

// values reads a number or an array of numbers.
func values(member json.RawMessage) ([]float64, bool) {
	var one float64
	if json.Unmarshal(member, &one) == nil && string(member) != "null" {
		return []float64{one}, true
	}
	var many []float64
	err := json.Unmarshal(member, &many)
	return many, err == nil
}

// Series is one metric as CloudWatch keeps it: a name with one set of dimensions.
type Series struct{ Name, Function, State, Outcome, Reason string }

// Read returns what CloudWatch would keep of lines that [Check] accepts: every value of every series, in order.
func Read(lines ...[]byte) (map[Series][]float64, error) {
	kept := map[Series][]float64{}
	for _, line := range lines {
		var doc document
		var root map[string]json.RawMessage
		if err := json.Unmarshal(line, &doc); err != nil || doc.AWS == nil {
			return nil, fmt.Errorf("read %.100q: %w", line, err)
		}
		if err := json.Unmarshal(line, &root); err != nil {
			return nil, fmt.Errorf("read %.100q: %w", line, err)
		}
		for _, d := range doc.AWS.CloudWatchMetrics {
			for _, set := range d.Dimensions {
				for _, m := range d.Metrics {
					s := Series{Name: m.Name}
					for _, name := range set {
						to := map[string]*string{"Function": &s.Function, "State": &s.State, "Outcome": &s.Outcome, "Reason": &s.Reason}[name]
						if to == nil || json.Unmarshal(root[name], to) != nil {
							return nil, fmt.Errorf("%s has the dimension %q", m.Name, name)
						}
					}
					n, _ := values(root[m.Name])
					kept[s] = append(kept[s], n...)
				}
			}
		}
	}
	return kept, nil
}

// Package emf writes metrics as lines of the CloudWatch embedded metric format, which CloudWatch Logs turns into metrics when a function
// prints them (Amazon CloudWatch User Guide, "Specification: Embedded metric format"). It knows the format and no metric: pure functions,
// the standard library only.
package emf

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
)

// The limits of the format (Amazon CloudWatch User Guide, "Specification: Embedded metric format": MetricDirective object, DimensionSet
// array, target members).
const (
	MaxMetrics        = 100  // metric definitions of one directive
	MaxDimensions     = 30   // keys of one dimension set
	MaxValues         = 100  // values of one metric in one line
	MaxDimensionValue = 1024 // characters of a dimension's value
)

// Unit is the unit of a metric, a word of the API (Amazon CloudWatch API Reference, MetricDatum, Unit).
type Unit string

// The units that are used here.
const (
	Count        Unit = "Count"
	Milliseconds Unit = "Milliseconds"
	Seconds      Unit = "Seconds"
)

// Metric is a name with what was measured. A metric without a value that is a number is left out.
type Metric struct {
	Name   string
	Unit   Unit
	Values []float64
}

// Dimension is a name with its value, both not empty.
type Dimension struct{ Name, Value string }

// Group is metrics that share their dimensions.
type Group struct {
	Dimensions []Dimension // of which Sets speaks
	Sets       [][]string  // CloudWatch keeps each metric once for each set of dimension names
	Metrics    []Metric
}

// line is one document: directives whose members do not contradict each other.
type line struct {
	directives []Group
	values     map[string]string // dimension values at the root
	names      map[string]bool   // metrics at the root
}

// Append appends the lines that tell of the groups, each with its line feed. Groups share a line as long as the format permits: a line has one
// value for each dimension, at most 100 metrics for each group and 100 values for each metric. at is the time of all values.
func Append(to []byte, at time.Time, namespace string, groups ...Group) []byte {
	var lines []*line
	for _, g := range groups {
		for _, m := range g.Metrics {
			values := slices.DeleteFunc(slices.Clone(m.Values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
			for part := range slices.Chunk(values, MaxValues) {
				piece := Metric{Name: m.Name, Unit: m.Unit, Values: part}
				if !slices.ContainsFunc(lines, func(l *line) bool { return l.take(g, piece) }) {
					l := &line{values: map[string]string{}, names: map[string]bool{}}
					l.take(g, piece)
					lines = append(lines, l)
				}
			}
		}
	}
	for _, l := range lines {
		to = append(l.append(to, at, namespace), '\n')
	}
	return to
}

// take puts a metric of a group into the line, if it has room there.
func (l *line) take(g Group, m Metric) bool {
	if l.names[m.Name] {
		return false
	}
	for _, d := range g.Dimensions {
		if known, ok := l.values[d.Name]; ok && known != d.Value {
			return false
		}
	}
	i := slices.IndexFunc(l.directives, func(d Group) bool {
		return len(d.Metrics) < MaxMetrics && slices.EqualFunc(d.Sets, g.Sets, slices.Equal)
	})
	if i < 0 {
		i = len(l.directives)
		l.directives = append(l.directives, Group{Sets: g.Sets})
	}
	l.directives[i].Metrics = append(l.directives[i].Metrics, m)
	l.names[m.Name] = true
	for _, d := range g.Dimensions {
		l.values[d.Name] = d.Value
	}
	return true
}

func (l *line) append(to []byte, at time.Time, namespace string) []byte {
	to = append(to, `{"_aws":{"Timestamp":`...)
	to = strconv.AppendInt(to, at.UnixMilli(), 10)
	to = append(to, `,"CloudWatchMetrics":[`...)
	for i, d := range l.directives {
		to = comma(to, i)
		to = quote(append(to, `{"Namespace":`...), namespace)
		to = append(to, `,"Dimensions":[`...)
		for j, set := range d.Sets {
			to = append(comma(to, j), '[')
			for k, name := range set {
				to = quote(comma(to, k), name)
			}
			to = append(to, ']')
		}
		to = append(to, `],"Metrics":[`...)
		for j, m := range d.Metrics {
			to = quote(append(comma(to, j), `{"Name":`...), m.Name)
			to = append(quote(append(to, `,"Unit":`...), string(m.Unit)), '}')
		}
		to = append(to, `]}`...)
	}
	to = append(to, `]}`...)
	return append(l.members(to), '}')
}

// members appends the target members: the values that the directives speak of, in the order of their names.
func (l *line) members(to []byte) []byte {
	names := make([]string, 0, len(l.values))
	for name := range l.values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		to = append(quote(append(to, ','), name), ':')
		to = quote(to, bounded(l.values[name]))
	}
	for _, d := range l.directives {
		for _, m := range d.Metrics {
			to = append(quote(append(to, ','), m.Name), ':')
			if len(m.Values) == 1 {
				to = number(to, m.Values[0])
				continue
			}
			to = append(to, '[')
			for i, v := range m.Values {
				to = number(comma(to, i), v)
			}
			to = append(to, ']')
		}
	}
	return to
}

func comma(to []byte, i int) []byte {
	if i > 0 {
		return append(to, ',')
	}
	return to
}

func number(to []byte, v float64) []byte { return strconv.AppendFloat(to, v, 'f', -1, 64) }

// quote appends a JSON string. Names that are not UTF-8 are repaired by the encoder, which cannot fail on a string.
func quote(to []byte, text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		return append(to, `""`...)
	}
	return append(to, encoded...)
}

func bounded(value string) string {
	if runes := []rune(value); len(runes) > MaxDimensionValue {
		return string(runes[:MaxDimensionValue])
	}
	return value
}

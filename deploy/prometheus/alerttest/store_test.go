package alerttest

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// metricName is the label that holds the name of a metric.
const metricName = "__name__"

// store keeps what was scraped, in memory.
type store struct{ series map[string]*series }

type series struct {
	labels  labels.Labels
	samples []chunks.Sample
}

// sample is a number at an instant.
type sample struct {
	at    int64 // Unix milliseconds
	value float64
}

func (s sample) T() int64                      { return s.at }
func (s sample) ST() int64                     { return 0 }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }

// add keeps a sample of a series of a target.
func (s *store) add(of labels.Labels, instance string, value float64, at time.Time) {
	of = labels.NewBuilder(of).Set("job", "ringonce").Set("instance", instance).Labels()
	one := s.series[of.String()]
	if one == nil {
		one = &series{labels: of}
		s.series[of.String()] = one
	}
	one.samples = append(one.samples, sample{at.UnixMilli(), value})
}

// up notes as Prometheus does whether a target answered.
func (s *store) up(instance string, value float64, at time.Time) {
	s.add(labels.FromStrings(metricName, "up"), instance, value, at)
}

// scrape reads an exposition as Prometheus does, and adds its labels of the target.
func (s *store) scrape(t *testing.T, text []byte, at time.Time) {
	t.Helper()
	p, err := textparse.New(text, "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		entry, err := p.Next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			t.Fatalf("what is exported cannot be read: %v", err)
		case entry != textparse.EntrySeries:
			continue
		}
		_, _, value := p.Series()
		var of labels.Labels
		p.Labels(&of)
		s.add(of, here, value, at)
	}
}

// Querier implements storage.Queryable.
func (s *store) Querier(from, to int64) (storage.Querier, error) {
	return querier{storage.NoopQuerier(), s, from, to}, nil
}

type querier struct {
	storage.Querier

	of       *store
	from, to int64
}

// Select implements storage.Querier.
func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
	for _, one := range q.of.series {
		if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(one.labels.Get(m.Name)) }) {
			continue
		}
		var within []chunks.Sample
		for _, v := range one.samples {
			if v.T() >= q.from && v.T() <= q.to {
				within = append(within, v)
			}
		}
		if len(within) > 0 {
			found = append(found, storage.NewListSeries(one.labels, within))
		}
	}
	slices.SortFunc(found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return &set{found: found}
}

// set is a list of series.
type set struct {
	found []storage.Series
	next  int
}

func (s *set) Next() bool                        { s.next++; return s.next <= len(s.found) }
func (s *set) At() storage.Series                { return s.found[s.next-1] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

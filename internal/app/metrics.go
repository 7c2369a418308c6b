package app

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/emf"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// DefaultNamespace is the CloudWatch namespace of the metrics unless metrics.namespace names another.
const DefaultNamespace = "ringonce"

// functionVariable names the function in Lambda (AWS Lambda Developer Guide, "Using Lambda environment variables").
const functionVariable = "AWS_LAMBDA_FUNCTION_NAME"

// Metrics gathers what CloudWatch is told and writes it as lines of the embedded metric format; docs/telemetry.md lists the names. No member
// is a number, an id or a text of a request. It is safe for concurrent use; a nil Metrics gathers nothing.
type Metrics struct {
	out                 io.Writer // nil where only facts are told
	facts               Facts     // nil where nobody else counts
	clock               call.Clock
	namespace, function string

	mu     sync.Mutex
	counts map[string]int
	calls  map[call.State]int
	ends   map[call.ContactOutcome]int
	held   map[string]int // by reason
	values map[string][]float64
}

// Facts are told each fact once more as it is counted, for whoever keeps it in another form: one place counts, and two read it. They must be
// safe for concurrent use and must not wait.
type Facts interface {
	// Count tells of n more of a metric; of is the value of its dimension, empty where it has none.
	Count(metric, of string, n int)
	// Measure tells of one value of a metric, in the unit of docs/telemetry.md.
	Measure(metric string, value float64)
}

// MetricNames returns the names of all metrics, in a fixed order.
func MetricNames() []string {
	names := append([]string{metricCalls, metricOutcomes}, counted...)
	for _, m := range measured {
		names = append(names, m.name)
	}
	return names
}

// The names of the metrics. The alarms of the deployment templates use them: they are part of the product.
const (
	metricCalls         = "Calls"
	metricOutcomes      = "Outcomes"
	metricInDoubt       = "InDoubt"
	metricSuppressed    = "Suppressed"
	metricRefused       = "Refused"
	metricConflict      = "Conflict"
	metricThrottled     = "Throttled"
	metricAnomaly       = "Anomaly"
	metricSetupRefused  = "SetupRefused"
	metricUndated       = "Undated"
	metricHeld          = "Held"
	metricUnavailable   = "Unavailable"
	metricUnreadable    = "Unreadable"
	metricAlarms        = "Alarms"
	metricNewCountry    = "NewCountry"
	metricGivenUp       = "WebhooksGivenUp"
	metricDeliveries    = "Deliveries"
	metricSweeps        = "Sweeps"
	metricSweptRows     = "SweptRows"
	metricDialLatency   = "DialLatency"
	metricLedgerLatency = "LedgerLatency"
	metricRequestAge    = "RequestAge"
)

// counted are the counters in the order in which they are written. Sweeps comes first and always, so that a function that answers and does not
// sweep is told from one that is silent.
var counted = []string{
	metricSweeps, metricSweptRows, metricDeliveries, metricInDoubt, metricSuppressed, metricRefused, metricConflict, metricThrottled, metricAnomaly,
	metricSetupRefused, metricUndated, metricHeld, metricUnavailable, metricUnreadable, metricAlarms, metricNewCountry, metricGivenUp,
}

// measured are the metrics with values of their own.
var measured = []struct {
	name string
	unit emf.Unit
}{{metricDialLatency, emf.Milliseconds}, {metricLedgerLatency, emf.Milliseconds}, {metricRequestAge, emf.Seconds}}

// newMetrics returns the metrics that the configuration asks for; nil for none.
func (c *Config) newMetrics(o Options) *Metrics {
	function, inLambda := o.LookupEnv(functionVariable)
	out := o.Metrics
	if c.Metrics.Format == "none" || (c.Metrics.Format == "" && !inLambda) {
		out = nil
	}
	if out == nil && o.Facts == nil {
		return nil
	}
	m := &Metrics{out: out, facts: o.Facts, clock: o.Clock, namespace: c.Metrics.Namespace, function: function}
	if m.namespace == "" {
		m.namespace = DefaultNamespace
	}
	if m.function == "" {
		m.function = "ringonce" // a dimension cannot be empty
	}
	m.reset()
	return m
}

func (m *Metrics) reset() {
	m.counts, m.calls, m.ends, m.held, m.values = map[string]int{}, map[call.State]int{}, map[call.ContactOutcome]int{}, map[string]int{}, map[string][]float64{}
}

// decided counts one decision.
func (m *Metrics) decided(d call.Decided) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if d.Became != "" {
		m.calls[d.Became]++
		m.tell(metricCalls, string(d.Became), 1)
	}
	if d.Outcome != "" {
		m.ends[d.Outcome]++
		m.tell(metricOutcomes, string(d.Outcome), 1)
	}
	if held(d) { // told with its reason alone: their sum is the whole
		m.held[d.Reason]++
		m.counts[metricHeld]++
		m.tell(metricHeld, d.Reason, 1)
	}
	for _, c := range [...]struct {
		name string
		is   bool
	}{
		{metricInDoubt, d.Became == call.InDoubt},
		{metricSuppressed, d.What == "suppressed"},
		{metricUndated, d.What == "undated"},
		{metricRefused, d.What == "refused" && d.Code != call.CodeConflict},
		{metricConflict, d.What == "refused" && d.Code == call.CodeConflict},
		{metricThrottled, d.Class == call.ClassThrottled && !d.Dialed.IsZero()},
		{metricAnomaly, d.What == "anomaly" || d.What == "breach"},
		{metricSetupRefused, d.What == "paused"},
		{metricUnreadable, d.What == "unreadable" || d.What == "parked"},
		{metricUnavailable, d.What == "unavailable" || d.Code == call.CodeLedgerUnavailable},
		{metricAlarms, d.Alarm},
		{metricNewCountry, d.What == "new-country"},
		{metricGivenUp, d.What == webhookGivenUp},
	} {
		if c.is {
			m.count(c.name, 1)
		}
	}
	if !d.Dialed.IsZero() {
		m.measure(metricDialLatency, milliseconds(d.Took))
		if !d.Requested.IsZero() {
			m.measure(metricRequestAge, max(d.Dialed.Sub(d.Requested), 0).Round(time.Millisecond).Seconds())
		}
	}
}

// count counts n more of a metric without a dimension. The caller holds the lock.
func (m *Metrics) count(name string, n int) {
	m.counts[name] += n
	m.tell(name, "", n)
}

// measure notes a value. Values are kept only for a log that is written; facts have them at once. The caller holds the lock.
func (m *Metrics) measure(name string, value float64) {
	if m.out != nil {
		m.values[name] = append(m.values[name], value)
	}
	if m.facts != nil {
		m.facts.Measure(name, value)
	}
}

func (m *Metrics) tell(name, of string, n int) {
	if m.facts != nil {
		m.facts.Count(name, of, n)
	}
}

// held reports whether a call was made to wait for a time: by a decision of its own, or from its beginning.
func held(d call.Decided) bool {
	return d.What == string(call.EventHeld) || (d.What == string(call.EventAccepted) && d.State == call.Received && d.Ring == 0 && d.Reason != "")
}

// delivered counts what one document brought.
func (m *Metrics) delivered(r lambda.Report) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, result := range r.Results {
		if result.Record.Verdict == envelope.VerdictOK {
			m.count(metricDeliveries, 1)
		}
	}
	if r.Swept != nil {
		m.count(metricSweeps, 1)
		m.count(metricSweptRows, r.Swept.Moved)
	}
}

// swept counts one sweep that no document asked for.
func (m *Metrics) swept(s call.Swept) {
	m.delivered(lambda.Report{Swept: &s})
}

// ledgerTook notes how long one operation of the ledger took.
func (m *Metrics) ledgerTook(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measure(metricLedgerLatency, milliseconds(d))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Flush writes what was gathered since the last time and forgets it: one line, or more where the format demands it. Lines are written at
// once, so that nothing of another writer comes between.
func (m *Metrics) Flush() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.out == nil {
		m.reset()
		return nil
	}
	lines := emf.Append(nil, m.clock.Now(), m.namespace, m.groups()...)
	m.reset()
	if _, err := m.out.Write(lines); err != nil {
		return fmt.Errorf("write the metrics: %w", err)
	}
	return nil
}

func (m *Metrics) groups() []emf.Group {
	function := emf.Dimension{Name: "Function", Value: m.function}
	all := emf.Group{Dimensions: []emf.Dimension{function}, Sets: [][]string{{"Function"}}}
	for _, name := range counted {
		if n := m.counts[name]; n > 0 || name == metricSweeps {
			all.Metrics = append(all.Metrics, emf.Metric{Name: name, Unit: emf.Count, Values: []float64{float64(n)}})
		}
	}
	for _, metric := range measured {
		all.Metrics = append(all.Metrics, emf.Metric{Name: metric.name, Unit: metric.unit, Values: m.values[metric.name]})
	}
	groups := []emf.Group{all}
	add := func(metric, dimension, value string, n int) {
		if n > 0 {
			groups = append(groups, emf.Group{
				Dimensions: slices.Concat(all.Dimensions, []emf.Dimension{{Name: dimension, Value: value}}),
				Sets:       [][]string{{"Function"}, {"Function", dimension}},
				Metrics:    []emf.Metric{{Name: metric, Unit: emf.Count, Values: []float64{float64(n)}}},
			})
		}
	}
	for _, state := range call.States() {
		add(metricCalls, "State", string(state), m.calls[state])
	}
	for _, o := range call.ContactOutcomes() {
		add(metricOutcomes, "Outcome", string(o), m.ends[o])
	}
	for _, reason := range slices.Sorted(maps.Keys(m.held)) {
		groups = append(groups, emf.Group{ // their sum is counted above
			Dimensions: slices.Concat(all.Dimensions, []emf.Dimension{{Name: "Reason", Value: reason}}),
			Sets:       [][]string{{"Function", "Reason"}},
			Metrics:    []emf.Metric{{Name: metricHeld, Unit: emf.Count, Values: []float64{float64(m.held[reason])}}},
		})
	}
	return groups
}

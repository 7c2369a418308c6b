package service

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ringonce/ringonce/internal/call"
)

// Metrics are what Prometheus reads at /metrics; docs/serve.md lists them. Labels are words of fixed sets, names of routes and names of
// queues: never an id, a number or a text of a request. What it is told of calls comes from the one place that counts them (internal/app).
type Metrics struct {
	registry *prometheus.Registry
	names    []string

	counts   map[string]*prometheus.CounterVec // by the name of the fact
	measures map[string]measure

	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec
	rejected    prometheus.Counter
	inFlight    prometheus.Gauge
	queue       *prometheus.CounterVec
	reloads     *prometheus.CounterVec
	spans       *prometheus.CounterVec
	ready       *prometheus.GaugeVec
	standing    standing
}

type measure struct {
	scale     float64 // to the base unit of Prometheus
	histogram prometheus.Histogram
}

// facts are the counters of what happens to calls: the name of the fact, of the metric, of its label if it has one, and the help.
var facts = []struct{ fact, name, label, help string }{
	{"Calls", "ringonce_calls_total", "state", "Calls that reached a state."},
	{"Outcomes", "ringonce_outcomes_total", "outcome", "Final outcomes of rings."},
	{"Held", "ringonce_held_total", "reason", "Calls that were made to wait, by reason."},
	{"InDoubt", "ringonce_in_doubt_total", "", "Calls that may have rung and that nothing decides."},
	{"Suppressed", "ringonce_suppressed_total", "", "Deliveries that an earlier call answered."},
	{"Refused", "ringonce_refused_total", "", "Requests that were refused for good."},
	{"Conflict", "ringonce_conflict_total", "", "Requests with the key of another request."},
	{"Throttled", "ringonce_throttled_total", "", "Dials that Amazon Connect throttled."},
	{"Anomaly", "ringonce_anomaly_total", "", "Answers or histories that cannot be."},
	{"SetupRefused", "ringonce_setup_refused_total", "", "Dials that the set-up makes impossible."},
	{"Undated", "ringonce_undated_total", "", "Requests without proof of their age."},
	{"Unavailable", "ringonce_unavailable_total", "", "Deliveries that the ledger could not take."},
	{"Unreadable", "ringonce_unreadable_total", "", "Records that could not be read."},
	{"Alarms", "ringonce_alarms_total", "", "Decisions that somebody must look at."},
	{"NewCountry", "ringonce_new_country_total", "", "First calls to a country, of the ledger."},
	{"WebhooksGivenUp", "ringonce_webhooks_given_up_total", "", "Calls whose producer is told nothing more of, as it took nothing for too long."},
	{"Deliveries", "ringonce_deliveries_total", "", "Requests that were read from queues and documents."},
	{"Sweeps", "ringonce_sweeps_total", "", "Sweeps that ended."},
	{"SweptRows", "ringonce_swept_rows_total", "", "Calls that sweeps moved on."},
}

// measuredFacts are what is measured of calls.
var measuredFacts = []struct {
	fact, name, help string
	scale            float64
	buckets          []float64
}{
	{"DialLatency", "ringonce_dial_duration_seconds", "Time of one dial.", 0.001, prometheus.ExponentialBuckets(0.01, 2, 12)},
	{"LedgerLatency", "ringonce_ledger_duration_seconds", "Time of one operation of the ledger.", 0.001, prometheus.ExponentialBuckets(0.0001, 2.5, 12)},
	{"RequestAge", "ringonce_request_age_seconds", "Age of a request when it was dialed.", 1, prometheus.ExponentialBuckets(0.1, 4, 10)},
}

// NewMetrics returns metrics that begin at zero.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), counts: map[string]*prometheus.CounterVec{}, measures: map[string]measure{}}
	for _, f := range facts {
		var labels []string
		if f.label != "" {
			labels = []string{f.label}
		}
		m.counts[f.fact] = m.counter(f.name, f.help, labels...)
		if f.label == "" {
			m.counts[f.fact].WithLabelValues()
		}
	}
	for _, f := range measuredFacts {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{Name: f.name, Help: f.help, Buckets: f.buckets})
		m.register(f.name, h)
		m.measures[f.fact] = measure{f.scale, h}
	}
	m.requests = m.counter("ringonce_http_requests_total", "Requests, by route and status.", "method", "route", "status")
	m.requestTime = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "ringonce_http_request_duration_seconds", Help: "Time of one request.", Buckets: prometheus.ExponentialBuckets(0.0005, 2.5, 12),
	}, []string{"route"})
	m.register("ringonce_http_request_duration_seconds", m.requestTime)
	m.rejected = m.counter("ringonce_http_overload_rejected_total", "Requests that were told to come again.").WithLabelValues()
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{Name: "ringonce_http_requests_in_flight", Help: "Requests of the API that are being answered."})
	m.register("ringonce_http_requests_in_flight", m.inFlight)
	m.queue = m.counter("ringonce_queue_messages_total", "Messages of queues, and requests about them that failed.", "queue", "what")
	m.reloads = m.counter("ringonce_tls_reloads_total", "Certificates that were read again.", "result")
	for _, result := range []string{reloadDone, reloadFailed} {
		m.reloads.WithLabelValues(result) // else the first failure is no increase
	}
	m.spans = m.counter("ringonce_trace_spans_total", "Spans of traces, by what became of them.", "what")
	m.ready = m.gauges("ringonce_ready", "1 where the check of readiness holds.", "check")
	m.makeStanding()
	for _, state := range call.States() { // else the first call that expires is no increase
		if state.Final() {
			m.counts["Calls"].WithLabelValues(string(state))
		}
	}
	build := m.gauges("ringonce_build_info", "1, with the version of the program.", "version")
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) register(name string, c prometheus.Collector) {
	m.registry.MustRegister(c)
	m.names = append(m.names, name)
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.register(name, c)
	return c
}

func (m *Metrics) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	m.register(name, g)
	return g
}

// Count tells of n more of a fact; of is the value of its dimension, empty where it has none. A fact that is not known is not counted.
func (m *Metrics) Count(fact, of string, n int) {
	c, known := m.counts[fact]
	switch {
	case !known || n <= 0:
	case of != "":
		if counter, err := c.GetMetricWithLabelValues(of); err == nil {
			counter.Add(float64(n))
		}
	default:
		if counter, err := c.GetMetricWithLabelValues(); err == nil {
			counter.Add(float64(n))
		}
	}
}

// Measure tells of a value of a fact, in the unit in which it is written for CloudWatch.
func (m *Metrics) Measure(fact string, value float64) {
	if to, known := m.measures[fact]; known {
		to.histogram.Observe(value * to.scale)
	}
}

// Knows reports whether a fact is exported.
func (m *Metrics) Knows(fact string) bool {
	_, counted := m.counts[fact]
	_, measured := m.measures[fact]
	return counted || measured
}

// Queue tells what became of n messages of a queue. A word begins at zero when n is zero.
func (m *Metrics) Queue(queue, what string, n int) {
	m.queue.WithLabelValues(queue, what).Add(float64(n))
}

// Reloaded tells how reading the certificates again ended: done or failed.
func (m *Metrics) Reloaded(result string) { m.reloads.WithLabelValues(result).Inc() }

// Spans tells what became of n spans of traces. A word begins at zero when n is zero.
func (m *Metrics) Spans(what string, n int) {
	m.spans.WithLabelValues(what).Add(float64(n))
}

// Gauge exports a value that is asked for when it is read. The name must be one that nobody else exports.
func (m *Metrics) Gauge(name, help string, labels map[string]string, value func() float64) {
	g := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
	m.registry.MustRegister(g)
	if !slices.Contains(m.names, name) {
		m.names = append(m.names, name)
	}
}

func (m *Metrics) setReady(r Readiness) {
	for _, c := range r.Checks {
		value := 0.0
		if c.OK {
			value = 1
		}
		m.ready.WithLabelValues(c.Name).Set(value)
	}
}

// Names returns the names of what is exported, without those of the Go runtime and of the process.
func (m *Metrics) Names() []string { return slices.Clone(m.names) }

// Handler answers with everything that is exported.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

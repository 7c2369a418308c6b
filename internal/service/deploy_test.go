package service_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/service"
)

// metricName finds what a query names.
var metricName = regexp.MustCompile(`\bringonce_[a-z_]+`)

// unknownMetrics returns the metrics that a text names and the service does not export.
func unknownMetrics(text string) []string {
	known := append(exported().Names(), "ringonce_queue_messages_held", "ringonce_tls_certificate_expiry_timestamp_seconds") // the gauges that internal/cli adds
	var unknown []string
	for _, name := range metricName.FindAllString(text, -1) {
		base := name
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			base = strings.TrimSuffix(base, suffix)
		}
		if !slices.Contains(known, name) && !slices.Contains(known, base) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

func exported() *service.Metrics { return service.NewMetrics("test") }

func TestTheDashboardAndTheAlertsNameOnlyWhatIsExported(t *testing.T) {
	t.Parallel()
	for path, least := range map[string]int{"../../deploy/grafana/ringonce.json": 20, "../../deploy/prometheus/alerts.yaml": 12, "../../docs/serve.md": 20} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(metricName.FindAllString(string(text), -1)); n < least {
			t.Errorf("%s names %d metrics only", path, n)
		}
		if unknown := unknownMetrics(string(text)); len(unknown) > 0 {
			t.Errorf("%s names what nothing exports: %v", path, unknown)
		}
	}
	if unknown := unknownMetrics("rate(ringonce_calls_totals[5m]) + ringonce_ready"); !slices.Equal(unknown, []string{"ringonce_calls_totals"}) {
		t.Errorf("a metric that is not exported was not found: %v", unknown)
	}
}

func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range exported().Names() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/serve.md lacks %s", name)
		}
	}
}

func TestTheDashboardAndTheAlertsCanBeRead(t *testing.T) {
	t.Parallel()
	dashboard, err := os.ReadFile("../../deploy/grafana/ringonce.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(dashboard, &board); err != nil || len(board.Panels) < 12 {
		t.Fatalf("%v: %d panels", err, len(board.Panels))
	}
	for _, p := range board.Panels {
		if p.Title == "" || len(p.Targets) == 0 || p.Targets[0].Expr == "" {
			t.Errorf("an empty panel: %+v", p)
		}
	}
	alerts, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(alerts, &rules); err != nil || len(rules.Groups) != 1 {
		t.Fatalf("%v: %+v", err, rules)
	}
	for _, r := range rules.Groups[0].Rules {
		if r.Alert == "" || r.Expr == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
			t.Errorf("an alert that says too little: %+v", r)
		}
	}
}

package sim_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/sim"
)

// canary keeps what a world prints.
type canary struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (c *canary) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

// secretValue is what a request holds beside its number, and no log line or metric.
const secretValue = "the patient of bed seven"

// betrayals returns the lines that hold a full phone number or one of the texts.
func betrayals(text string, texts ...string) []string {
	lines := sim.Leaks(text)
	for line := range strings.SplitSeq(text, "\n") {
		for _, secret := range texts {
			if secret != "" && strings.Contains(line, secret) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// hidden returns what a world knows and its logs must not: names and values of attributes, ids of recipients, client tokens, credentials.
func hidden(w *sim.World) []string {
	return append([]string{"canaryAttribute", secretValue, "user-67890", "SecretAccessKey", "secretAccessKey"}, w.Tokens()...)
}

func TestNoLogLineMetricAnswerOrSpoolNameHoldsAFullNumberOrASecret(t *testing.T) {
	log, metrics := &canary{}, &canary{}
	lines, told, secrets, answers := 0, 0, 0, 0
	p := sim.Plan{World: sim.Full, Days: 60, Secret: secretValue, Log: app.NewLogger(log, app.Log{Level: "debug"}), Metrics: metrics}
	p.Watch = func(w *sim.World) {
		for _, said := range append(w.Said(), w.Metrics()...) {
			answers++
			if found := sim.Leaks(said); len(found) > 0 {
				t.Errorf("an answer or the name of a metric holds a full number: %s", found[0])
			}
		}
		texts := hidden(w)
		secrets += len(texts)
		for name, c := range map[string]*canary{"log line": log, "line of metrics": metrics} {
			if found := betrayals(c.text.String(), texts...); len(found) > 0 {
				t.Errorf("a %s holds what it must not: %s", name, found[0])
			}
		}
	}
	dir := t.TempDir()
	for seed := uint64(100_000); seed < 100_030 && !t.Failed(); seed++ {
		live(t, p, seed, dir, false)
		lines += strings.Count(log.text.String(), "\n")
		told += strings.Count(metrics.text.String(), `"_aws"`)
		log.text.Reset()
		metrics.text.Reset()
	}
	t.Logf("%d log lines, %d lines of metrics, %d answers, %d secrets", lines, told, answers, secrets)
	if lines < 1000 || told < 30 || secrets < 150 || answers < 1000 {
		t.Fatal("the canary sings to nobody")
	}
}

func TestTheCanarySeesALeak(t *testing.T) {
	if len(sim.Leaks(`{"msg":"refused","number":"+819000000011"}`)) != 1 || len(sim.Leaks(`{"number":"+81******0011"}`)) != 0 {
		t.Fatal("the canary is blind, or sees ghosts")
	}
	if len(betrayals(`{"token":"abc"}`+"\n"+`{"_aws":{},"Number":"819000000011"}`, "abc", "")) != 2 || len(betrayals(`{"token":"***"}`, "abc")) != 0 {
		t.Fatal("the canary is blind to what it was told, or sees ghosts")
	}
}

func TestSpooledFactsAreReadableByTheirOwnerOnly(t *testing.T) {
	dir, mode := t.TempDir(), os.FileMode(0)
	p := sim.Plan{World: sim.Light, Days: 60, Watch: func(*sim.World) {
		if info, err := os.Stat(filepath.Join(dir, "life", "spool")); err == nil {
			mode = info.Mode().Perm()
		}
	}}
	for seed := uint64(200_000); mode == 0; seed++ {
		if seed == 200_100 {
			t.Fatal("no seed spooled a fact")
		}
		live(t, p, seed, dir, false)
	}
	if mode != 0o700 {
		t.Fatalf("the spool has mode %v", mode)
	}
}

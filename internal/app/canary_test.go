package app_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
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

// fullNumber finds a number of the world, with its plus sign or without.
var fullNumber = regexp.MustCompile(`8190000[0-9]{5}`)

// leaks returns the lines that hold a full phone number.
func leaks(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if fullNumber.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// What a request may hold beside its number, and no log line or metric.
const (
	secretAttribute = "canaryAttribute"
	secretValue     = "the patient of bed seven"
)

// betrayals returns the lines that hold a full phone number or one of the texts.
func betrayals(text string, texts ...string) []string {
	lines := leaks(text)
	for line := range strings.SplitSeq(text, "\n") {
		for _, secret := range texts {
			if secret != "" && strings.Contains(line, secret) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// mustNotShow returns what a world knows and its logs must not: names and values of attributes, ids of recipients, client tokens, credentials.
func (w *world) mustNotShow() []string {
	texts := []string{secretAttribute, secretValue, "user-67890", "SecretAccessKey", "secretAccessKey"}
	for _, ring := range w.emu.Rings() {
		texts = append(texts, ring.Token)
	}
	return texts
}

func TestNoLogLineMetricAnswerOrSpoolNameHoldsAFullNumberOrASecret(t *testing.T) {
	t.Parallel()
	log, metrics := &canary{}, &canary{}
	lines, told, tokens := 0, 0, 0
	for seed := range uint64(30) {
		w := plan{log: log, metrics: metrics}.live(t, 100_000+seed)
		for _, answer := range w.answers {
			if found := leaks(answer); len(found) > 0 {
				t.Fatalf("seed %d: an answer holds a full number: %s", seed, found[0])
			}
		}
		for _, k := range w.workers {
			for metric := range k.app.Observer.Counts() {
				if fullNumber.MatchString(fmt.Sprintf("%+v", metric)) {
					t.Fatalf("a metric holds a full number: %+v", metric)
				}
			}
		}
		hidden := w.mustNotShow()
		tokens += len(hidden)
		for name, c := range map[string]*canary{"log line": log, "line of metrics": metrics} {
			if found := betrayals(c.text.String(), hidden...); len(found) > 0 {
				t.Fatalf("seed %d: a %s holds what it must not: %s", seed, name, found[0])
			}
		}
		lines += strings.Count(log.text.String(), "\n")
		told += strings.Count(metrics.text.String(), `"_aws"`)
		log.text.Reset()
		metrics.text.Reset()
	}
	if lines < 1000 || told < 30 || tokens < 200 {
		t.Fatalf("the worlds wrote %d log lines and %d lines of metrics about %d secrets: the canary sings to nobody", lines, told, tokens)
	}
}

func TestTheCanarySeesALeak(t *testing.T) {
	t.Parallel()
	if len(leaks(`{"msg":"refused","number":"+819000000011"}`)) != 1 || len(leaks(`{"number":"+81******0011"}`)) != 0 {
		t.Fatal("the canary is blind, or sees ghosts")
	}
	if len(betrayals(`{"token":"abc"}`+"\n"+`{"_aws":{},"Number":"8190000000011"}`, "abc", "")) != 2 || len(betrayals(`{"token":"***"}`, "abc")) != 0 {
		t.Fatal("the canary is blind to what it was told, or sees ghosts")
	}
}

func TestSpooledFactsAreReadableByTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		w := plan{}.live(t, 200_000+seed)
		info, err := os.Stat(filepath.Join(w.dir, "spool"))
		if err != nil {
			continue // this seed spooled nothing
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Fatalf("the spool has mode %v", mode)
		}
		return
	}
	t.Fatal("no seed spooled a fact")
}

var _ io.Writer = (*canary)(nil)

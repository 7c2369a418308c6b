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

func TestNoLogLineAnswerOrSpoolNameHoldsAFullNumberOrASecret(t *testing.T) {
	t.Parallel()
	log := &canary{}
	lines := 0
	for seed := range uint64(30) {
		w := plan{log: log}.live(t, 100_000+seed)
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
		lines += strings.Count(log.text.String(), "\n")
		if found := leaks(log.text.String()); len(found) > 0 {
			t.Fatalf("seed %d: a log line holds a full number: %s", seed, found[0])
		}
		if strings.Contains(log.text.String(), "SecretAccessKey") {
			t.Fatal("a log line holds a secret")
		}
		log.text.Reset()
	}
	if lines < 1000 {
		t.Fatalf("the worlds wrote %d log lines: the canary sings to nobody", lines)
	}
}

func TestTheCanarySeesALeak(t *testing.T) {
	t.Parallel()
	if len(leaks(`{"msg":"refused","number":"+819000000011"}`)) != 1 || len(leaks(`{"number":"+81******0011"}`)) != 0 {
		t.Fatal("the canary is blind, or sees ghosts")
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

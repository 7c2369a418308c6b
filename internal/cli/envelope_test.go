package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
)

// exact are the members of a record that must equal the index of the corpus. The package envelope grades the rest of them, with
// the alternatives that the index accepts; here it is their names and that nothing is lost on the way to the terminal.
var exact = []string{"file", "path", "identity", "firstRequestedAtEnvelopeOnly", "receiveCount", "mayHaveRunBefore", "batchItemFailureId"}

// unlessAcceptable are the members that an accepted alternative may change.
var unlessAcceptable = []string{"payloadAt", "verdict", "reason", "request", "firstRequestedAt", "window", "flags"}

// corpusIndex is the part of the index that is compared.
type corpusIndex struct {
	ProcessedAt string
	Files       []struct {
		File    *string
		Records []map[string]any
	}
}

func readIndex(t *testing.T, dir string) corpusIndex {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index corpusIndex
	decodeExactly(t, bytes.NewReader(content), &index)
	return index
}

func decodeExactly(t *testing.T, r io.Reader, to any) {
	t.Helper()
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	if err := decoder.Decode(to); err != nil {
		t.Fatal(err)
	}
}

// process returns a command line with an empty environment.
func process(args ...string) (p Process, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return Process{Args: args, Stdout: stdout, Stderr: stderr, LookupEnv: app.LookupNothing, Clock: stopped{}, Random: bytes.NewReader(nil)}, stdout, stderr
}

// stopped is a clock that stands still; nothing here waits.
type stopped struct{}

// Now implements call.Clock.
func (stopped) Now() time.Time { return start }

// Sleep implements call.Clock.
func (stopped) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// explainCorpus explains every document of the corpus in one run and returns the printed records with those of the index.
func explainCorpus(t *testing.T) (printed, expected []map[string]any) {
	t.Helper()
	dir := filepath.Join("..", "envelope", "testdata", "events")
	index := readIndex(t, dir)
	args := []string{"envelope", "explain", "--json", "--now", index.ProcessedAt}
	for _, document := range index.Files {
		if document.File == nil {
			continue // too large to be kept as a file
		}
		args = append(args, filepath.Join(dir, *document.File))
		for _, record := range document.Records {
			record["file"] = *document.File
			expected = append(expected, record)
		}
	}
	p, stdout, stderr := process(args...)
	if code := p.Run(t.Context()); code != ExitRefused || stderr.Len() > 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	decoder := json.NewDecoder(stdout)
	decoder.UseNumber()
	for decoder.More() {
		var record map[string]any
		if err := decoder.Decode(&record); err != nil {
			t.Fatal(err)
		}
		printed = append(printed, record)
	}
	return printed, expected
}

// differing returns the names of the members by which a printed record differs from the index.
func differing(printed, expected map[string]any) []string {
	var names []string
	members := exact
	if _, lenient := expected["acceptable"]; !lenient {
		members = append(append([]string(nil), exact...), unlessAcceptable...)
	}
	for _, name := range members {
		if want, listed := expected[name]; listed && !reflect.DeepEqual(printed[name], want) {
			names = append(names, name)
		}
	}
	return names
}

func TestExplainPrintsTheRecordsOfTheCorpusWithTheNamesOfItsIndex(t *testing.T) {
	t.Parallel()
	printed, expected := explainCorpus(t)
	if len(printed) != len(expected) {
		t.Fatalf("%d records are printed, the index has %d", len(printed), len(expected))
	}
	for i, record := range printed {
		for _, name := range differing(record, expected[i]) {
			t.Errorf("%v %v: %s is %v, not %v", record["file"], record["path"], name, record[name], expected[i][name])
		}
		for _, name := range append(append([]string{"field"}, exact...), unlessAcceptable...) {
			if _, there := record[name]; !there {
				t.Errorf("%v %v has no member %s", record["file"], record["path"], name)
			}
		}
	}
}

// The comparison has to be able to fail.
func TestAChangedRecordDiffersFromTheIndex(t *testing.T) {
	t.Parallel()
	_, expected := explainCorpus(t)
	for _, name := range exact {
		changed := maps.Clone(expected[0])
		changed[name] = "planted"
		if got := differing(changed, expected[0]); !reflect.DeepEqual(got, []string{name}) {
			t.Errorf("a planted %s is reported as %v", name, got)
		}
	}
}

package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/replay"
)

func request(n int) string {
	return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+120255501%02d"}`, n, n%100)
}

func pipesRecord(n int) string {
	return fmt.Sprintf(`{"messageId":"m-%d","body":%q,"attributes":{},"messageAttributes":{},"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:111122223333:calls","awsRegion":"us-east-1"}`, n, request(n))
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// found reads paths and returns what was found as lines NAME SIZE or NAME !PROBLEM, with names relative to a folder.
func found(t *testing.T, folder string, paths ...string) (lines []string, f replay.Found) {
	t.Helper()
	f, err := replay.Files(paths, strings.NewReader(request(1)), func(d replay.Document) error {
		name := strings.TrimPrefix(d.Name, folder+string(filepath.Separator))
		if d.Problem != nil {
			if d.Content != nil || d.Problem.Message == "" || d.Problem.Fix == "" {
				t.Errorf("%s: problem %+v beside %d bytes", d.Name, d.Problem, len(d.Content))
			}
			lines = append(lines, name+" !"+d.Problem.Code)
			return nil
		}
		lines = append(lines, fmt.Sprintf("%s %d", name, len(d.Content)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, f
}

func TestEachFormOfAFileGivesItsDocuments(t *testing.T) {
	t.Parallel()
	one := request(1)
	size := len(one)
	pretty := "{\n  \"notificationId\": \"n-1\",\n  \"attributes\": {\n    \"a\": \"b\"\n  }\n}\n"
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	fmt.Fprint(writer, one)
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	pipes := "[" + pipesRecord(1) + "," + pipesRecord(2) + "]"
	bus := `[{"Data":` + one + `,"SystemMetadata":{"aws:EventId":"e","aws:IngestionTime":"2026-11-29T03:00:00Z","aws:DeliveryType":"REPLAY"}}]`
	cases := map[string]struct {
		name, content string
		want          []string
	}{
		"one document":                         {"f.json", one, []string{fmt.Sprintf("f.json %d", size)}},
		"one document over several lines":      {"f.json", pretty, []string{fmt.Sprintf("f.json %d", len(pretty))}},
		"one broken document over lines":       {"f.json", pretty[:len(pretty)-4], []string{fmt.Sprintf("f.json %d", len(pretty)-4)}},
		"an empty file":                        {"f.json", "", []string{"f.json 0"}},
		"a document a line":                    {"f.json", one + "\n" + one + "\n", []string{fmt.Sprintf("f.json:1 %d", size), fmt.Sprintf("f.json:2 %d", size)}},
		"a document a line, ends of Windows":   {"f.log", one + "\r\n\r\n" + one, []string{fmt.Sprintf("f.log:1 %d", size), fmt.Sprintf("f.log:3 %d", size)}},
		"a broken line between":                {"f.json", one + "\n{\"a\n" + one, []string{fmt.Sprintf("f.json:1 %d", size), "f.json:2 3", fmt.Sprintf("f.json:3 %d", size)}},
		"a broken line first":                  {"f.json", "{\"a\n" + one, []string{"f.json:1 3", fmt.Sprintf("f.json:2 %d", size)}},
		"lines by name":                        {"f.ndjson", "{\"a\n", []string{"f.ndjson:1 3"}},
		"an array of documents":                {"f.json", "[" + one + ",\n " + one + "]\n", []string{fmt.Sprintf("f.json[0] %d", size), fmt.Sprintf("f.json[1] %d", size)}},
		"an array that is cut":                 {"f.json", "[" + one + ",{\"a\"", []string{fmt.Sprintf("f.json[0] %d", size), "f.json[1] !json_syntax"}},
		"an array and something after it":      {"f.json", "[" + one + "] x", []string{fmt.Sprintf("f.json[0] %d", size), "f.json !json_trailing_data"}},
		"an empty array":                       {"f.json", "[]", []string{"f.json 2"}},
		"the batch of a pipe":                  {"f.json", pipes, []string{fmt.Sprintf("f.json %d", len(pipes))}},
		"the batch of a custom event bus":      {"f.json", bus, []string{fmt.Sprintf("f.json %d", len(bus))}},
		"a file that gzip made":                {"f.json.gz", zipped.String(), []string{"f.json.gz !compressed"}},
		"a document line that is an array too": {"f.jsonl", pipes + "\n" + one, []string{fmt.Sprintf("f.jsonl:1 %d", len(pipes)), fmt.Sprintf("f.jsonl:2 %d", size)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			got, _ := found(t, folder, write(t, filepath.Join(folder, c.name), c.content))
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// No document is larger than the decoder takes, and none that is too large hides its neighbors.
func TestADocumentThatIsTooLargeIsReportedAndItsNeighborsAreRead(t *testing.T) {
	t.Parallel()
	one, size := request(1), len(request(1))
	huge := `{"notificationId":"` + strings.Repeat("x", envelope.MaxDocumentBytes) + `"}`
	fits := `{"notificationId":"` + strings.Repeat("x", 6<<20) + `"}`
	folder := t.TempDir()
	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"whole.json":  {huge, []string{"whole.json:1 !too_large"}},
		"lines.json":  {one + "\n" + huge + "\n" + one + "\n" + fits, []string{fmt.Sprintf("lines.json:1 %d", size), "lines.json:2 !too_large", fmt.Sprintf("lines.json:3 %d", size), fmt.Sprintf("lines.json:4 %d", len(fits))}},
		"array.json":  {"[" + one + "," + fits + "," + huge + "," + one + "]", []string{fmt.Sprintf("array.json[0] %d", size), fmt.Sprintf("array.json[1] %d", len(fits)), "array.json[2] !too_large", fmt.Sprintf("array.json[3] %d", size)}},
		"pretty.json": {"{\n\"a\":\n\"" + strings.Repeat("x", envelope.MaxDocumentBytes) + "\"\n}", []string{"pretty.json !too_large"}},
		"pipes.json":  {"[" + pipesRecord(1) + strings.Repeat(","+pipesRecord(2), envelope.MaxDocumentBytes/len(pipesRecord(2))+1) + "]", []string{"pipes.json !too_large"}},
		"wide.json":   {"[" + one + `,"` + strings.Repeat("x", 2*envelope.MaxDocumentBytes) + `",` + one + "]", []string{fmt.Sprintf("wide.json[0] %d", size), "wide.json[1] !too_large"}},
	} {
		got, _ := found(t, folder, write(t, filepath.Join(folder, name), c.content))
		if !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestAFolderStandsForAllItsFilesSortedAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for n := range 1000 {
		write(t, filepath.Join(folder, fmt.Sprintf("day-%02d", n%10), fmt.Sprintf("event-%04d.json", n)), request(n))
	}
	outside := write(t, filepath.Join(t.TempDir(), "outside.json"), request(1))
	if err := os.Symlink(outside, filepath.Join(folder, "day-00", "link.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, filepath.Join(folder, "circle")); err != nil {
		t.Fatal(err)
	}
	got, f := found(t, folder, folder)
	if len(got) != 1000 || !slices.IsSorted(got) || f.Files != 1000 || f.Links != 2 {
		t.Errorf("%d documents, sorted %t, of %d files, %d links", len(got), slices.IsSorted(got), f.Files, f.Links)
	}
	link := filepath.Join(t.TempDir(), "archive")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if got, _ := found(t, folder, link, outside, replay.Stdin); len(got) != 1002 || !strings.HasPrefix(got[1001], "stdin ") { // a link that is named is followed
		t.Errorf("%d documents by a link", len(got))
	}
}

func TestWhatCannotBeReadOrIsNotWantedEndsTheSearch(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := write(t, filepath.Join(folder, "f.ndjson"), strings.Repeat(request(1)+"\n", 10))
	enough := errors.New("enough")
	visits := 0
	_, err := replay.Files([]string{file}, nil, func(replay.Document) error {
		if visits++; visits == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || visits != 3 {
		t.Errorf("error %v after %d visits", err, visits)
	}
	if _, err := replay.Files([]string{filepath.Join(folder, "missing")}, nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := replay.Files([]string{replay.Stdin}, brokenReader{}, nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// brokenReader is a stream that ends in the middle.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, fs.ErrClosed }

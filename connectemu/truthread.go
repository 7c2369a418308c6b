package connectemu

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Truth is a truth log that was read.
type Truth struct {
	// Events are the lines that can be read, in their order.
	Events []TruthEvent
	// Closed reports whether the last line says that it is the last.
	Closed bool
	// Problems say, line by line, what shows that the log is not as it was written. An open end is none of them.
	Problems []string
}

// maxTruthLine is above the longest line: a request of 1 MB does not get as far as the log.
const maxTruthLine = 1 << 20

// ReadTruth reads a truth log, as Config.TruthLog was given it, and checks its hash chain. The error is the reader's; a log that was tampered
// with is no error but has Problems.
func ReadTruth(r io.Reader) (Truth, error) {
	var t Truth
	prev := ""
	lines := bufio.NewReaderSize(r, maxTruthLine)
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			if n == 1 {
				t.problem(1, "the log is empty")
			}
			return t, nil
		case errors.Is(err, io.EOF):
			t.problem(n, "the line is cut off")
			return t, nil
		case errors.Is(err, bufio.ErrBufferFull):
			t.problem(n, "the line is too long to be one of a truth log")
			return t, nil
		case err != nil:
			return t, fmt.Errorf("connectemu: read the truth log: %w", err)
		}
		prev = t.line(n, bytes.TrimSuffix(line, []byte("\n")), prev)
	}
}

func (t *Truth) problem(n int, format string, args ...any) {
	t.Problems = append(t.Problems, fmt.Sprintf("line %d: ", n)+fmt.Sprintf(format, args...))
}

// line reads one line and returns its hash, by which the next one is judged.
func (t *Truth) line(n int, line []byte, prev string) string {
	rest, begins := bytes.CutPrefix(line, []byte(truthHead))
	at := len(rest) - len(truthMiddle) - 64 - len(truthTail)
	if !begins || at < 0 || !bytes.HasPrefix(rest[at:], []byte(truthMiddle)) || !bytes.HasSuffix(rest, []byte(truthTail)) {
		t.problem(n, "it has not the form of a line of a truth log")
		return ""
	}
	event, hash := rest[:at], string(rest[at+len(truthMiddle):len(rest)-len(truthTail)])
	if truthHash(prev, event) != hash {
		t.problem(n, "it fails the hash chain: this line, or one before it, was changed, removed, added or moved")
	}
	var e TruthEvent
	decoder := json.NewDecoder(bytes.NewReader(event))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		t.problem(n, "it cannot be read: %v", err)
		return hash
	}
	if e.N != n {
		t.problem(n, "it says that it is line %d", e.N)
	}
	if (n == 1) != (e.Kind == TruthBegin) || (e.Ring != nil) != (e.Kind == TruthRang || e.Kind == TruthContact) || (e.Start != nil) != (e.Kind == TruthStart) {
		t.problem(n, "a line of the kind %q cannot stand here like this", e.Kind)
	}
	if t.Closed {
		t.problem(n, "it comes after the last line")
	}
	t.Closed = t.Closed || e.Kind == TruthEnd
	t.Events = append(t.Events, e)
	return hash
}

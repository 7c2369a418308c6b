package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strconv"

	"github.com/ringonce/ringonce/internal/envelope"
)

// split visits the documents of one file: one document, one document a line, or an array of documents.
func split(name string, r io.Reader, visit func(Document) error) error {
	head, err := io.ReadAll(io.LimitReader(r, envelope.MaxDocumentBytes+1))
	if err != nil {
		return err
	}
	whole := len(head) <= envelope.MaxDocumentBytes
	first := bytes.TrimLeft(head, " \t\r\n")
	rest := io.MultiReader(bytes.NewReader(head), r)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return visit(Document{Name: name, Problem: problemCompressed})
	case isLines(name):
		return lines(name, rest, visit)
	case len(first) > 0 && first[0] == '[':
		return array(name, head, whole, rest, visit)
	case whole && (json.Valid(head) || !hasObjectLine(head)):
		return visit(Document{Name: name, Content: head})
	case !whole && bytes.IndexByte(head, '\n') >= 0 && !hasObjectLine(head):
		return visit(Document{Name: name, Problem: problemTooLarge})
	}
	return lines(name, rest, visit)
}

// isLines reports whether a name says that each line is a document.
func isLines(name string) bool {
	switch filepath.Ext(name) {
	case ".ndjson", ".jsonl":
		return true
	}
	return false
}

// hasObjectLine reports whether one of several lines is a JSON object by itself, as the lines of a pretty-printed document are not.
func hasObjectLine(text []byte) bool {
	filled, objects := 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		filled++
		if line[0] == '{' && json.Valid(line) {
			objects++
		}
	}
	return filled > 1 && objects > 0
}

// lines visits one document a line. Blank lines are none.
func lines(name string, r io.Reader, visit func(Document) error) error {
	reader := bufio.NewReaderSize(r, 64<<10)
	for number, last := 1, false; !last; number++ {
		line, tooLong, err := readLine(reader)
		if last = errors.Is(err, io.EOF); err != nil && !last {
			return err
		}
		at := Document{Name: name + ":" + strconv.Itoa(number), Content: line}
		if tooLong {
			at.Content, at.Problem = nil, problemTooLarge
		}
		if tooLong || len(bytes.TrimSpace(line)) > 0 {
			if err := visit(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLine returns the next line without its end. Of a line that is longer than a document may be nothing is kept. The error is io.EOF
// beside the last line.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > envelope.MaxDocumentBytes+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), tooLong, err
		}
	}
}

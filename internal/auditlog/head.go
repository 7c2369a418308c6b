package auditlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Head is what must be remembered elsewhere to see an end that was cut off.
type Head struct {
	Log  string // id of the log
	Seq  int64  // of its newest record
	Hash string
}

// headForm has one length, so that a head overwrites the one before as a whole.
const headForm = "%s %020d %s\n"

func (h Head) text() string { return fmt.Sprintf(headForm, h.Log, h.Seq, h.Hash) }

// ParseHead reads what [Log] keeps in its head file.
func ParseHead(text string) (Head, error) {
	var h Head
	parts := strings.Fields(text)
	if len(parts) != 3 || len(parts[2]) != len(noHash) {
		return Head{}, errors.New("auditlog: the remembered head cannot be read")
	}
	h.Log, h.Hash = parts[0], parts[2]
	if _, err := fmt.Sscanf(parts[1], "%d", &h.Seq); err != nil || h.text() != text {
		return Head{}, errors.New("auditlog: the remembered head cannot be read")
	}
	return h, nil
}

// ReadHead reads a head file; nil when there is none.
func ReadHead(path string) (*Head, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no head is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("auditlog: the remembered head: %w", err)
	}
	h, err := ParseHead(string(text))
	return &h, err
}

// writeWhole writes a file that is there as a whole or not at all.
func writeWhole(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("auditlog: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("auditlog: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

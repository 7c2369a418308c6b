package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const library = "github.com/nyaruka/phonenumbers"

// module returns the version of the library that go.mod requires, and where its files are.
func module() (version, dir string, err error) {
	out, err := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", library).Output()
	if err != nil {
		return "", "", fmt.Errorf("find %s: %w", library, err)
	}
	version, dir, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found {
		return "", "", fmt.Errorf("%s is not in the module cache: run go mod download", library)
	}
	return version, dir, nil
}

// prefixZones reads the library's zones by prefix: gzip; the length of a text, 4 bytes; zone names with line feeds between them; the number
// of prefixes, 4 bytes; for each its distance from the one before, a varint, the number of its zones, a byte, and their places in the text, 2
// bytes each. The library offers a lookup and no list.
func prefixZones(dir string) (map[string][]string, error) {
	packed, err := os.ReadFile(filepath.Join(dir, "data", "prefix_to_timezone.xml.gz"))
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	r := &reader{bytes.NewReader(data), nil}
	text := make([]byte, r.number(4))
	if _, err = io.ReadFull(r.Reader, text); err != nil {
		return nil, err
	}
	zones := strings.Split(string(text), "\n")
	found, prefix := map[string][]string{}, uint64(0)
	for n := r.number(4); n > 0 && r.err == nil; n-- {
		prefix += r.varint()
		for count := r.number(1); count > 0 && r.err == nil; count-- {
			at := r.number(2)
			if at >= uint64(len(zones)) {
				return nil, fmt.Errorf("the zones of prefix %d are not in the list", prefix)
			}
			digits := strconv.FormatUint(prefix, 10)
			found[digits] = append(found[digits], zones[at])
		}
	}
	return found, r.err
}

// reader keeps the first error.
type reader struct {
	*bytes.Reader

	err error
}

func (r *reader) number(size int) uint64 {
	var b [8]byte
	if r.err == nil {
		_, r.err = io.ReadFull(r.Reader, b[:size])
	}
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) varint() (n uint64) {
	if r.err == nil {
		n, r.err = binary.ReadUvarint(r.Reader)
	}
	return n
}

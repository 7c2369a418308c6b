// Package spool keeps facts that a ledger did not take: one fsynced file for each, in a folder beside the ledger.
package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// Dir is a spool in a folder. It is safe for concurrent use in one process.
type Dir struct {
	path   string
	create func(path string) (file, error) // a test watches what becomes of a file
	mu     sync.Mutex
}

// file is what a fact is written to.
type file interface {
	io.WriteCloser
	Sync() error
}

// Open returns the spool in the given folder, which is made when the first fact is kept.
func Open(path string) *Dir { return &Dir{path: path, create: createFile} }

// Keep implements call.Spool: the fact and its folder entry are on disk before it returns.
func (d *Dir) Keep(f call.Fact) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return fmt.Errorf("make the spool folder: %w", err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode a fact: %w", err)
	}
	temp := d.file(f) + ".new"
	if err := d.write(temp, text); err != nil {
		return errors.Join(err, discard(temp))
	}
	if err := os.Rename(temp, d.file(f)); err != nil {
		return errors.Join(fmt.Errorf("name a spooled fact: %w", err), discard(temp))
	}
	return syncDir(d.path)
}

// discard removes what was not kept, so that a full disk leaves no half-written file behind.
func discard(temp string) error {
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a fact that was not kept: %w", err)
	}
	return nil
}

// Pending implements call.Spool. Facts come in the order of their file names; merging them does not depend on it. A file that cannot
// be read is reported beside the others, and stays.
func (d *Dir) Pending() ([]call.Fact, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var facts []call.Fact
	var failed []error
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".json" {
			continue // a write that a crash cut off: the fact was never kept
		}
		fact, err := read(filepath.Join(d.path, entry.Name()))
		if err != nil {
			failed = append(failed, err)
			continue
		}
		facts = append(facts, fact)
	}
	return facts, errors.Join(failed...)
}

// Done implements call.Spool.
func (d *Dir) Done(f call.Fact) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := os.Remove(d.file(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a spooled fact: %w", err)
	}
	return syncDir(d.path)
}

// file returns the fact's path. Op ids are hexadecimal, or hold a row id in base64url and a time: neither has a separator.
func (d *Dir) file(f call.Fact) string { return filepath.Join(d.path, filepath.Base(f.Op)+".json") }

func read(path string) (call.Fact, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return call.Fact{}, fmt.Errorf("read a spooled fact: %w", err)
	}
	var fact call.Fact
	if err := json.Unmarshal(text, &fact); err != nil {
		return call.Fact{}, fmt.Errorf("decode the spooled fact %s: %w", filepath.Base(path), err)
	}
	return fact, nil
}

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// write writes a file whose bytes are on the disk before it returns.
func (d *Dir) write(path string, text []byte) error {
	file, err := d.create(path)
	if err != nil {
		return fmt.Errorf("write a fact to the spool: %w", err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return fmt.Errorf("write a fact to the spool: %w", err)
	}
	return nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync the spool folder: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close())
}

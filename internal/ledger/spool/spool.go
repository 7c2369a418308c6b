// Package spool keeps facts that a ledger did not take: one fsynced file for each, in a folder beside the ledger.
package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// Dir is a spool in a folder. It is safe for concurrent use in one process.
type Dir struct {
	path  string
	files files
	mu    sync.Mutex
	made  bool // the folder is there, and its name is on disk; guarded by mu
}

// Open returns the spool in the given folder, which is made when the first fact is kept.
func Open(path string) *Dir { return &Dir{path: path, files: diskFiles{}} }

// Keep implements call.Spool: the fact and its folder entry are on disk before it returns.
func (d *Dir) Keep(f call.Fact) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.made {
		if err := d.files.MakeFolder(d.path); err != nil {
			return fmt.Errorf("make the spool folder: %w", err)
		}
		d.made = true
	}
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode a fact: %w", err)
	}
	temp := d.file(f) + ".new"
	err = d.files.WriteSynced(temp, text)
	if errors.Is(err, fs.ErrNotExist) { // somebody removed the folder: the fact is all that is left of a ring
		if err = d.files.MakeFolder(d.path); err == nil {
			err = d.files.WriteSynced(temp, text)
		}
	}
	if err != nil {
		d.made = false
		return errors.Join(fmt.Errorf("write a fact to the spool: %w", err), d.discard(temp))
	}
	if err := d.files.Rename(temp, d.file(f)); err != nil {
		return errors.Join(fmt.Errorf("name a spooled fact: %w", err), d.discard(temp))
	}
	return d.syncFolder()
}

// discard removes what was not kept, so that a full disk leaves no half-written file behind.
func (d *Dir) discard(temp string) error {
	if err := d.files.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a fact that was not kept: %w", err)
	}
	return nil
}

func (d *Dir) syncFolder() error {
	if err := d.files.SyncFolder(d.path); err != nil {
		return fmt.Errorf("sync the spool folder: %w", err)
	}
	return nil
}

// Pending implements call.Spool. Facts come in the order of their file names; merging them does not depend on it. A file that cannot
// be read is reported beside the others, and stays.
func (d *Dir) Pending() ([]call.Fact, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	names, err := d.files.Names(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the spool: %w", err)
	}
	var facts []call.Fact
	var failed []error
	for _, name := range names {
		if filepath.Ext(name) != ".json" {
			continue // a write that a crash cut off: the fact was never kept
		}
		fact, err := d.read(filepath.Join(d.path, name))
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
	if err := d.files.Remove(d.file(f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget a spooled fact: %w", err)
	}
	return d.syncFolder()
}

// file returns the fact's path. Op ids are hexadecimal, or hold a row id in base64url and a time: neither has a separator.
func (d *Dir) file(f call.Fact) string { return filepath.Join(d.path, filepath.Base(f.Op)+".json") }

func (d *Dir) read(path string) (call.Fact, error) {
	text, err := d.files.Read(path)
	if err != nil {
		return call.Fact{}, fmt.Errorf("read a spooled fact: %w", err)
	}
	var fact call.Fact
	if err := json.Unmarshal(text, &fact); err != nil {
		return call.Fact{}, fmt.Errorf("decode the spooled fact %s: %w", filepath.Base(path), err)
	}
	return fact, nil
}

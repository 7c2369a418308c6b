package spool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// files is what a spool needs of a file system.
type files interface {
	// MakeFolder makes a folder and those above it, and has their names on disk before it returns.
	MakeFolder(path string) error
	// WriteSynced makes a file whose content, and not its name, is on disk before it returns.
	WriteSynced(path string, content []byte) error
	// Rename gives a file another name in its folder at one instant, replacing what had it.
	Rename(from, to string) error
	// Remove removes a file, or returns fs.ErrNotExist.
	Remove(path string) error
	// SyncFolder has the names in a folder on disk before it returns.
	SyncFolder(path string) error
	// Names returns the names in a folder, sorted, or fs.ErrNotExist.
	Names(path string) ([]string, error)
	// Read returns the content of a file.
	Read(path string) ([]byte, error)
}

// diskFiles are the files of the operating system.
type diskFiles struct {
	create func(path string) (file, error) // nil is the operating system's; a test watches what becomes of a file
}

// file is what a fact is written to.
type file interface {
	io.WriteCloser
	Sync() error
}

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// MakeFolder implements files. A folder that is there already may be the work of a process that died before its sync, so the one above it is
// synced all the same.
func (f diskFiles) MakeFolder(path string) error {
	above := filepath.Dir(path)
	if _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) {
		if err := f.MakeFolder(above); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	err := f.SyncFolder(above)
	if errors.Is(err, fs.ErrPermission) { // it may be written and not read; the fact is worth more than the certainty of its folder's name
		return nil
	}
	return err
}

// WriteSynced implements files.
func (f diskFiles) WriteSynced(path string, content []byte) error {
	create := f.create
	if create == nil {
		create = createFile
	}
	file, err := create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Rename implements files.
func (diskFiles) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements files.
func (diskFiles) Remove(path string) error { return os.Remove(path) }

// SyncFolder implements files.
func (diskFiles) SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Names implements files.
func (diskFiles) Names(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, nil
}

// Read implements files.
func (diskFiles) Read(path string) ([]byte, error) { return os.ReadFile(path) }

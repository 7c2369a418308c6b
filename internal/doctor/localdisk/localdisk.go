// Package localdisk looks at the files around a ledger on a disk. It changes nothing.
package localdisk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/doctor"
)

// besides are the files that SQLite and the lock leave beside a ledger.
var besides = []string{"", "-wal", "-shm", ".lock"}

// Read returns what lies around the ledger at path. A witness that is not there is no error; a ledger that is not is.
func Read(path, witness string) (doctor.Disk, error) {
	d := doctor.Disk{Path: path, Modes: map[string]fs.FileMode{}, Witness: witness}
	for _, suffix := range besides {
		info, err := os.Stat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist) && suffix != "":
			continue
		case err != nil:
			return d, fmt.Errorf("look at the ledger's file: %w", err)
		}
		d.Modes[filepath.Base(path)+suffix] = info.Mode()
		d.Size += info.Size()
	}
	var room unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &room); err != nil {
		return d, fmt.Errorf("look at the room on the ledger's disk: %w", err)
	}
	d.Free = room.Bavail * uint64(room.Bsize) //nolint:gosec // a block size is not negative
	return d, look(&d)
}

// look compares the witness with the ledger.
func look(d *doctor.Disk) error {
	if d.Witness == "" {
		return nil
	}
	ours, err := resolve(d.Path)
	if err != nil {
		return err
	}
	theirs, err := resolve(d.Witness)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(filepath.Dir(ours), theirs)
	d.Inside = err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
	d.Present = true
	var a, b unix.Stat_t
	if err := errors.Join(unix.Stat(ours, &a), unix.Stat(theirs, &b)); err != nil {
		return fmt.Errorf("look at the disks of ledger and witness: %w", err)
	}
	d.SameDisk = a.Dev == b.Dev
	return nil
}

func resolve(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

package sqlite

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// leastSpace is what SQLite needs beside the file to open it: the shared-memory index and the beginning of a WAL.
const leastSpace = 1 << 20

// explainSpace says that the disk is full where SQLite only knows of an I/O error: making its shared-memory file fails so.
func explainSpace(err error, path string) error {
	if resultOf(err) != resultIOError && resultOf(err) != resultFull {
		return err
	}
	var disk unix.Statfs_t
	if statErr := unix.Statfs(filepath.Dir(path), &disk); statErr != nil {
		return err
	}
	return explainFree(err, disk.Bavail*uint64(disk.Bsize)) //nolint:gosec // a block size is positive
}

func explainFree(err error, free uint64) error {
	if free >= leastSpace {
		return err
	}
	return unavailable(err, "Free space on that disk, or name another ledger.path.",
		"The disk of ledger.path is full (%d bytes are free), so the ledger cannot be opened; nothing was written.", free)
}

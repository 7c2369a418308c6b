package access

import "golang.org/x/sys/unix"

// fileStamp differs when a file is another one, or was written, or belongs to or may be read by somebody else than before. The zero value is that of no file.
type fileStamp struct {
	device, file     uint64
	size             int64
	written, changed unix.Timespec // changed, of the inode: nobody can put it back
}

func stampOf(path string) fileStamp {
	var s unix.Stat_t
	if unix.Stat(path, &s) != nil {
		return fileStamp{}
	}
	return fileStamp{device: uint64(s.Dev), file: s.Ino, size: s.Size, written: s.Mtim, changed: s.Ctim} //nolint:unconvert // Dev has another type elsewhere
}

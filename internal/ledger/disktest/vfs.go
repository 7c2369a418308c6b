package disktest

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// SQLite registers the disk as a VFS of this name, until the function returned is called. The memory that connections share lies in files
// of a folder of the machine that runs the test: it dies with the power and is never found again.
func (d *Disk) SQLite(name, shared string) (unregister func()) {
	vfs.Register(name, &fileSystem{disk: d, shared: shared})
	return func() { vfs.Unregister(name) }
}

// fileSystem is the disk as SQLite sees it. Where SQLite's own VFS for Unix syncs a folder, it does: with the first sync of a log or journal
// that was made (os_unix.c, UNIXFILE_DIRSYNC), and with a removal that asks for it.
type fileSystem struct {
	disk   *Disk
	shared string
}

func (s *fileSystem) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	d := s.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if name == "" {
		return &dbFile{disk: d, node: &node{}, temporary: true}, flags, nil
	}
	known := d.find(name) != nil
	n, err := d.open(name, flags&vfs.OPEN_CREATE != 0)
	if err != nil {
		return nil, flags, sqlite3.CANTOPEN
	}
	f := &dbFile{disk: d, node: n, name: name}
	f.syncsFolder = !known && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL|vfs.OPEN_SUPER_JOURNAL) != 0
	if flags&vfs.OPEN_MAIN_DB != 0 {
		f.shared = vfs.NewSharedMemory(filepath.Join(s.shared, path.Base(name)+"-shm"), flags)
	}
	return f, flags, nil
}

func (s *fileSystem) Delete(name string, syncFolder bool) error {
	d := s.disk
	switch err := d.Remove(name); {
	case errors.Is(err, fs.ErrNotExist):
		return sqlite3.IOERR_DELETE_NOENT
	case err != nil:
		return sqlite3.IOERR_DELETE
	}
	if syncFolder && d.SyncFolder(path.Dir(name)) != nil {
		return sqlite3.IOERR_DIR_FSYNC
	}
	return nil
}

func (s *fileSystem) Access(name string, _ vfs.AccessFlag) (bool, error) {
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	if s.disk.cut != "" {
		return false, sqlite3.IOERR_ACCESS
	}
	return s.disk.find(name) != nil, nil
}

func (*fileSystem) FullPathname(name string) (string, error) { return path.Join("/", name), nil }

// dbFile is an open database, log or journal.
type dbFile struct {
	disk        *Disk
	node        *node
	name        string
	temporary   bool // has no name, and no sync means anything
	syncsFolder bool
	shared      vfs.SharedMemory
	lock        vfs.LockLevel
}

var (
	_ vfs.FileSharedMemory = (*dbFile)(nil)
	_ vfs.FileLockState    = (*dbFile)(nil)
	_ vfs.FileCheckpoint   = (*dbFile)(nil)
)

func (f *dbFile) Close() error {
	if f.shared != nil {
		_ = f.shared.Close() // it is of no disk, and nobody looks at it again
	}
	return f.Unlock(vfs.LOCK_NONE)
}

func (f *dbFile) ReadAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n, err := f.disk.read(f.node, b, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, sqlite3.IOERR_READ
	}
	return n, err
}

func (f *dbFile) WriteAt(b []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.temporary {
		f.node.data = write{at: at, data: b}.apply(f.node.data, nil)
		return len(b), nil
	}
	if f.disk.write(f.name, f.node, b, at) != nil {
		return 0, sqlite3.IOERR_WRITE
	}
	return len(b), nil
}

func (f *dbFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.temporary {
		f.node.data = write{at: size, resize: true}.apply(f.node.data, nil)
		return nil
	}
	if f.disk.truncate(f.name, f.node, size) != nil {
		return sqlite3.IOERR_TRUNCATE
	}
	return nil
}

func (f *dbFile) Sync(vfs.SyncFlag) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.temporary {
		return nil
	}
	if f.disk.sync(f.name, f.node) != nil {
		return sqlite3.IOERR_FSYNC
	}
	if f.syncsFolder {
		f.syncsFolder = false
		if f.disk.syncFolder(path.Dir(f.name)) != nil {
			return sqlite3.IOERR_DIR_FSYNC
		}
	}
	return nil
}

func (f *dbFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.cut != "" {
		return 0, sqlite3.IOERR_FSTAT
	}
	return int64(len(f.node.data)), nil
}

func (*dbFile) SectorSize() int { return sector }

func (*dbFile) DeviceCharacteristics() vfs.DeviceCharacteristic { return vfs.IOCAP_POWERSAFE_OVERWRITE }

func (f *dbFile) SharedMemory() vfs.SharedMemory { return f.shared }

// CheckpointStart implements [vfs.FileCheckpoint].
func (f *dbFile) CheckpointStart() { f.disk.does("checkpoint") }

// CheckpointDone implements [vfs.FileCheckpoint].
func (f *dbFile) CheckpointDone() { f.disk.does("") }

func (d *Disk) does(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = what
}

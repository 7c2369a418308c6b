package disktest

import (
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Lock implements [vfs.File] for the connections of one process. A lock that another connection stands in the way of is busy at once.
func (f *dbFile) Lock(level vfs.LockLevel) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.lock >= level {
		return nil
	}
	highest, others := f.node.locks.others(f)
	switch level { //nolint:exhaustive // SQLite asks for no other level
	case vfs.LOCK_SHARED:
		if highest >= vfs.LOCK_PENDING {
			return sqlite3.BUSY
		}
	case vfs.LOCK_RESERVED:
		if highest >= vfs.LOCK_RESERVED {
			return sqlite3.BUSY
		}
	case vfs.LOCK_EXCLUSIVE:
		if highest >= vfs.LOCK_PENDING {
			return sqlite3.BUSY
		}
		if others > 0 {
			f.hold(vfs.LOCK_PENDING)
			return sqlite3.BUSY
		}
	}
	f.hold(level)
	return nil
}

// Unlock implements [vfs.File].
func (f *dbFile) Unlock(level vfs.LockLevel) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.lock > level {
		f.hold(level)
	}
	return nil
}

// CheckReservedLock implements [vfs.File].
func (f *dbFile) CheckReservedLock() (bool, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	highest, _ := f.node.locks.others(f)
	return max(highest, f.lock) >= vfs.LOCK_RESERVED, nil
}

// LockState implements [vfs.FileLockState].
func (f *dbFile) LockState() vfs.LockLevel { return f.lock }

// hold notes the lock of a connection. d.mu is held.
func (f *dbFile) hold(level vfs.LockLevel) {
	f.lock = level
	if f.node.locks == nil {
		f.node.locks = locks{}
	}
	if level == vfs.LOCK_NONE {
		delete(f.node.locks, f)
		return
	}
	f.node.locks[f] = level
}

// locks are the locks of the connections on one file.
type locks map[*dbFile]vfs.LockLevel

// others returns the highest lock that another connection holds, and how many hold one.
func (l locks) others(but *dbFile) (highest vfs.LockLevel, holders int) {
	for f, level := range l {
		if f != but {
			highest = max(highest, level)
			holders++
		}
	}
	return highest, holders
}

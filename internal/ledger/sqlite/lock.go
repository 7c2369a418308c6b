package sqlite

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ringonce/ringonce/internal/call"
)

// lock keeps every second process away from a ledger's file. The kernel drops it with the process, however that ends.
type lock struct{ file *os.File }

// acquire takes the lock beside the ledger's file, or says who holds it.
func acquire(path string) (*lock, error) {
	file, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, &refusal{cause: err, shown: misconfigured("ledger.path", "Make the directory writable for this user, or name another path.",
			"The lock file beside ledger.path (%s) cannot be written: %v.", path, rootCause(err))}
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		held := unavailable(errors.Join(call.ErrInUse, err), "Stop that process, or name another ledger.path; `ringonce calls` reads beside it.",
			"The ledger at ledger.path (%s) is in use by another process%s.", path, holder(file))
		return nil, errors.Join(held, file.Close())
	}
	// The number is for the message above only; a lock without it works as well, and a full disk is the ledger's to report.
	if file.Truncate(0) == nil {
		_, _ = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return &lock{file: file}, nil
}

func holder(file *os.File) string {
	var buf [20]byte
	n, _ := file.ReadAt(buf[:], 0) // a short read is the normal end; an empty text says nothing
	if pid := strings.TrimSpace(string(buf[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return l.file.Close()
}

// rootCause strips the path from an error of package os: the message already names it.
func rootCause(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	return err
}

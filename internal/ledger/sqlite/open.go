package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // linkedDriver of database/sql

	"github.com/ringonce/ringonce/internal/call"
)

// pragmas are the settings of every connection. They are the opener's business; OpenDB reads back the ones that promises rest on.
//
// The larger checkpoint trades WAL size (64 MB) for fewer syncs and fewer pages written twice. The page cache stays small:
// SQLite walks the whole cache after every commit that grew the file. Nothing is mapped: each connection would map the file for itself, and a ledger of
// a million calls filled five maps to the brim. What is read again is in the page cache of the system.
var pragmas = []string{
	"busy_timeout(5000)",
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"wal_autocheckpoint(16000)",
	"journal_size_limit(134217728)",
	"cache_size(-2048)",
	"temp_store(MEMORY)",
	"mmap_size(0)",
}

// Open opens the ledger at o.Path, making it if it does not exist. The errors are [call.Error] values that name the field and the
// fix; one of a ledger that went back in time is also call.ErrWentBack, one of a newer version call.ErrNewerRow.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Path, err = checkPath(o); err != nil {
		return nil, err
	}
	var held *lock
	if !o.ReadOnly {
		if err := checkWitnessPath(o); err != nil {
			return nil, err
		}
		if held, err = acquire(o.Path); err != nil {
			return nil, err
		}
	}
	l, err := openFile(ctx, o)
	if err != nil {
		return nil, errors.Join(explainSpace(err, o.Path), held.release())
	}
	l.lock = held
	return l, nil
}

func openFile(ctx context.Context, o Options) (*Ledger, error) {
	if !o.ReadOnly {
		// SQLite would make the file with the process's umask; calls hold phone numbers.
		file, err := os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, &refusal{cause: err, shown: misconfigured("ledger.path", "Make the file writable for this user, or name another path.",
				"The file at ledger.path (%s) cannot be opened: %v.", o.Path, rootCause(err))}
		}
		if err := file.Close(); err != nil {
			return nil, explain(err, "open it")
		}
	}
	writer, err := sql.Open(o.Driver, dsn(o.Path, "query_only("+boolean(o.ReadOnly && !o.Cells)+")"))
	if err != nil {
		return nil, explain(err, "open it")
	}
	readers, err := sql.Open(o.Driver, dsn(o.Path, "query_only(1)", "cache_size(-512)"))
	if err != nil {
		return nil, errors.Join(explain(err, "open it"), writer.Close())
	}
	return OpenDB(ctx, writer, readers, o)
}

func boolean(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// dsn returns the data source name of a file whose absolute path may hold any character.
func dsn(path string, more ...string) string {
	query := url.Values{"_pragma": append(append([]string(nil), pragmas...), more...)}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// checkPath returns the absolute path, or says why no ledger can be there.
func checkPath(o Options) (string, error) {
	if o.Path == "" {
		return "", misconfigured("ledger.path", "Name a file on a local disk.", "The setting ledger.path is missing.")
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return "", &refusal{cause: err, shown: misconfigured("ledger.path", "Name an absolute path.", "The setting ledger.path (%s) has no absolute form: %v.", o.Path, err)}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return "", misconfigured("ledger.path", "Create the directory, or name another path.", "The directory of ledger.path (%s) does not exist.", path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.ReadOnly:
		return "", misconfigured("ledger.path", "Name the file of an existing ledger.", "There is no ledger at ledger.path (%s).", path)
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", &refusal{cause: err, shown: misconfigured("ledger.path", "Make it readable for this user.", "The file at ledger.path (%s) cannot be read: %v.", path, rootCause(err))}
	case info.IsDir():
		return "", misconfigured("ledger.path", "Name a file in it.", "The setting ledger.path (%s) names a directory, not a file.", path)
	}
	return path, nil
}

// checkWitnessPath refuses a witness that would be lost and restored together with the ledger.
func checkWitnessPath(o Options) error {
	if o.WitnessPath == "" {
		return misconfigured("ledger.witness", "Name a file outside the directory of ledger.path, best on another disk.", "The setting ledger.witness is missing.")
	}
	dir, err := realDir(o.WitnessPath)
	if err != nil {
		return &refusal{cause: err, shown: misconfigured("ledger.witness", "Create the directory, or name another path.",
			"The directory of ledger.witness (%s) does not exist.", o.WitnessPath)}
	}
	home, err := realDir(o.Path)
	if err != nil {
		return &refusal{cause: err, shown: misconfigured("ledger.path", "Create the directory, or name another path.",
			"The directory of ledger.path (%s) does not exist.", o.Path)}
	}
	relative, err := filepath.Rel(home, dir)
	if err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return misconfigured("ledger.witness", "Name a file elsewhere, best on another disk.",
			"The setting ledger.witness (%s) lies inside the directory of ledger.path, so a restore of one would restore the other.", o.WitnessPath)
	}
	return nil
}

func realDir(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(filepath.Dir(absolute))
}

var _ call.Ledger = (*Ledger)(nil)

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a copy of the ledger as it is at one instant to a file that does not exist yet, beside the process that writes it. The copy is
// synced, with its name, before Backup returns. It is no ledger to go on with: opened beside the witness of a ledger that went on, or without
// one, it is refused until it was recovered (protocol.md section 11).
func (l *Ledger) Backup(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return misconfigured("--to", "Name a new file: a backup never replaces anything.", "The file of --to exists, or cannot be looked at.")
	}
	part := path + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // SQLite would use the umask; calls hold phone numbers
	if err != nil {
		return &refusal{cause: err, shown: misconfigured("--to", "Name a file in a directory that exists and has no file of this name with .part.", "The backup cannot be made at --to: %v.", rootCause(err))}
	}
	if err := file.Close(); err != nil {
		return explain(err, "write the backup")
	}
	if err := l.copyTo(ctx, part); err != nil {
		return errors.Join(explain(err, "write the backup"), os.Remove(part))
	}
	if err := errors.Join(syncFile(part), os.Link(part, path)); err != nil { // a link replaces nothing, a rename would
		return errors.Join(explain(err, "keep the backup"), os.Remove(part))
	}
	if err := errors.Join(os.Remove(part), syncFile(filepath.Dir(path))); err != nil {
		return explain(err, "keep the backup")
	}
	return nil
}

// copyTo copies within one read transaction, by a connection of its own that may attach a file.
func (l *Ledger) copyTo(ctx context.Context, path string) error {
	db, err := sql.Open(l.options.Driver, dsn(l.options.Path))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, path)
	return errors.Join(err, db.Close())
}

func syncFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

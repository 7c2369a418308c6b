package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ringonce/ringonce/internal/call"
)

// companions are what SQLite keeps beside a file. They belong to that very file: the log of another one damages it, or silently undoes a restore.
var companions = []string{"-wal", "-shm", "-journal"}

// Restored is what a restore found and did.
type Restored struct {
	Ledger call.LedgerIdentity // of the backup
	Kept   string              // where the file before lies now, with its companions; empty when there was none
}

// Restore checks a backup and, unless it is only looked at, puts a copy of it in the place of the ledger at o.Path, without the companions of the
// file before. That file is kept under another name that ends in suffix. The witness is not touched, so the ledger is refused until it was
// recovered (protocol.md section 11). No process may use the ledger meanwhile; a look needs no such rest, and brings only a copy up to date. A restore that was cut off can be repeated: in no order of its steps
// lies a log beside a file that it does not belong to.
func Restore(ctx context.Context, o Options, from, suffix string, look bool) (r Restored, err error) {
	if o, err = o.complete(); err != nil {
		return r, err
	}
	if o.Path, err = checkPath(o); err != nil {
		return r, err
	}
	part := o.Path + ".restoring"
	if look { // beside a process that uses the ledger
		part = o.Path + ".looked-at.restoring"
	} else {
		var held *lock
		if held, err = acquire(o.Path); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, held.release()) }()
	}
	if err := removeAll(part); err != nil { // of a restore that was cut off
		return r, explain(err, "make room for the backup")
	}
	defer func() { err = errors.Join(err, removeAll(part)) }() // after a swap there is nothing
	if err := takeBackup(from, part, o.Path); err != nil {
		return r, err
	}
	if r.Ledger, err = checkBackup(ctx, o, part); err != nil {
		return r, err
	}
	if said, err := readWitness(o.WitnessPath); err == nil && said.id != "" && said.id != r.Ledger.ID {
		return r, misconfigured("--from", "Give a backup of the ledger that ledger.witness belongs to, or correct the configuration.",
			"The file of --from is a backup of another ledger (%s) than the one of ledger.witness (%s).", r.Ledger.ID, said.id)
	}
	if look {
		return r, nil
	}
	r.Kept, err = swap(o.Path, part, o.Path+suffix)
	return r, err
}

// takeBackup copies the backup beside the ledger, for the owner of the ledger.
func takeBackup(from, part, ledger string) error {
	if info, err := os.Stat(from + "-wal"); err == nil && info.Size() > 0 {
		return misconfigured("--from", "Give a file that ringonce backup made.", "Beside the file of --from lies a log with writes (-wal): it was copied while it was in use, and is no backup.")
	}
	source, err := os.Open(from)
	if err != nil {
		return &refusal{cause: err, shown: misconfigured("--from", "Name a file that ringonce backup made.", "The file of --from cannot be opened: %v.", rootCause(err))}
	}
	defer func() { _ = source.Close() }()
	if info, err := source.Stat(); err != nil || !info.Mode().IsRegular() {
		return misconfigured("--from", "Name a file that ringonce backup made.", "The setting --from names no file.")
	}
	target, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return explain(err, "copy the backup")
	}
	_, err = io.Copy(target, source)
	if before, statErr := os.Stat(ledger); statErr == nil && err == nil {
		if owner, ok := before.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() {
			err = target.Chown(int(owner.Uid), int(owner.Gid))
		}
	}
	if err = errors.Join(err, target.Sync(), target.Close()); err != nil {
		return unavailable(err, "Free space on the disk of ledger.path, and run it as the owner of the ledger or as root.", "The backup cannot be copied beside the ledger: %v.", rootCause(err))
	}
	return nil
}

// checkBackup brings the copy to this program's schema and looks at all of it. The copy has no companions afterwards.
func checkBackup(ctx context.Context, o Options, part string) (call.LedgerIdentity, error) {
	none := misconfigured("--from", "Name a file that ringonce backup made.", "The file of --from is no ledger.")
	db, err := sql.Open(o.Driver, dsn(part))
	if err != nil {
		return call.LedgerIdentity{}, explain(err, "open the backup")
	}
	var id string
	if err := db.QueryRowContext(ctx, `SELECT id FROM ledger`).Scan(&id); err != nil { // before a migration could make an empty file one
		return call.LedgerIdentity{}, errors.Join(&refusal{cause: err, shown: none}, db.Close())
	}
	if err := errors.Join(migrate(ctx, db, false), db.Close()); err != nil {
		return call.LedgerIdentity{}, err
	}
	reader := o
	reader.Path, reader.ReadOnly, reader.Cells, reader.WitnessPath = part, true, false, ""
	l, err := openFile(ctx, reader)
	if err != nil {
		return call.LedgerIdentity{}, err
	}
	identity, err := l.Identity(ctx)
	var breaches []call.Breach
	if err == nil {
		breaches, err = l.Inspect(ctx)
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return identity, err
	}
	if len(breaches) > 0 {
		return identity, misconfigured("--from", "Take another backup.", "The file of --from is damaged: %d things are wrong with it, such as: %s.", len(breaches), breaches[0].Detail)
	}
	for _, name := range companions {
		if info, err := os.Stat(part + name); err == nil && info.Size() > 0 && name != "-shm" {
			return identity, unavailable(call.ErrInUse, "Stop the program that has it open.", "The copy of the backup is in use by another program.")
		}
	}
	for _, name := range companions {
		if err := os.Remove(part + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return identity, explain(err, "tidy the copy of the backup")
		}
	}
	return identity, syncFile(part)
}

// swap moves the log away before its file: a crash in between leaves the old ledger without its newest writes, which its witness tells, and never
// a file with the log of another one.
func swap(path, part, kept string) (string, error) {
	dir := filepath.Dir(path)
	found := false
	for _, name := range slices.Concat(companions, []string{""}) {
		err := os.Rename(path+name, kept+name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", explain(err, "move the ledger's file aside")
		}
		found = found || err == nil
		if err := syncFile(dir); err != nil {
			return "", explain(err, "move the ledger's file aside")
		}
	}
	if err := errors.Join(os.Rename(part, path), syncFile(dir)); err != nil {
		return "", explain(err, "put the backup in place")
	}
	if !found {
		kept = ""
	}
	return kept, nil
}

// removeAll removes a file of a restore with its companions.
func removeAll(part string) error {
	if !strings.HasSuffix(part, ".restoring") {
		return errors.New("no file of a restore")
	}
	var errs []error
	for _, name := range slices.Concat(companions, []string{""}) {
		if err := os.Remove(part + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

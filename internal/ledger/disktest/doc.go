// Package disktest is a disk in memory that can lose its power. It keeps what was synced; of what was written and not synced a cut drops
// all, none, whole writes or single sectors, by its seed. Names are files of a folder as on POSIX: a file that was synced and whose folder
// was not can lose its name.
//
// Three things of a ledger lie on it: the database and its log through [Disk.SQLite], a VFS for github.com/ncruces/go-sqlite3; the witness
// through [Disk.OpenFile]; and the spool through the methods that a folder needs. One cut hits them all at the same instant.
//
// What it does not do: it damages nothing that was synced, and a write never changes a byte outside of its range (the powersafe overwrite
// that SQLite assumes of every disk, sqlite.org/psow.html).
package disktest

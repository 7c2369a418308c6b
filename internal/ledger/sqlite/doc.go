// Package sqlite is the ledger in one file on a local disk, on modernc.org/sqlite (pure Go).
//
// Durability: WAL with synchronous=FULL, read back at the start. A write is answered after the commit that holds it was synced.
// One goroutine writes; everything that waits when it begins a transaction goes into that transaction (group commit), and each
// write has its own answer: a lost compare or a taken token is an answer, not a failed transaction. An I/O error poisons the
// ledger: what a failed sync left behind is unknown, so nothing is retried, and the process must reopen and re-read.
//
// The disk must be local. File locks and the shared memory of the WAL do not work on network file systems, and several processes
// on one file would break the one-writer rule; a lock beside the file keeps the second one out.
//
// Restores: a file put back from a backup has forgotten rings. A witness outside the ledger's directory remembers how far the
// ledger was, and [Open] refuses a ledger that is behind it (witness.go).
//
// What is found by a key that lies at a random place (ids, tokens, contacts, recipients) is indexed behind the calls, in sorted
// batches, and the calls of a key space with it. Until then the keys are in the memory of the writer, and above ledger.indexed in the file (catchup.go, tail.go). The
// memory is bounded: about 5 MB for the keys of 16,384 writes, and 4 MiB for the sieves.
//
// Reading order: options.go, open.go, opendb.go; write.go and writer.go, the group commit; apply.go, what one write does;
// catchup.go, tail.go and sieve.go; find.go, read.go and index.go; journal.go; witness.go.
package sqlite

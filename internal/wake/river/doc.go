// Package river gives hints that a call will be due as jobs of River (https://riverqueue.com), in a SQLite file or in the database of the
// PostgreSQL ledger, whose processes then share the work. A job is a hint and nothing else: the due time in the ledger is the truth, so that
// losing every job costs time until the next sweep, never a call.
package river

// Package auditlog keeps what operators and producers did, in an append-only log that shows whether it was changed.
//
// A log is a directory with one file a day (UTC), one JSON object a line. Each record holds the hash of the one before, over the boundaries of files, and
// its own hash covers every byte of it; so any edit, deletion, insertion or exchange is seen by [Verify]. What a chain alone cannot see, an end that was cut
// off or a log that was written anew as a whole, is seen against the head: id, number and hash of the newest record, kept in a file elsewhere.
//
// Append returns when the record is on the disk (fsync); appends at the same time share one. The head is written after that, without a sync of its own: after a
// power cut it may lag, never lead. One process writes a log; a second one is refused, or waits. Several processes have a log each.
//
// Values that belong to a person go into a record only as digests under a salt of the day, which lies beside the log: whoever deletes the salt has erased them,
// and the chain stays whole.
package auditlog

// Package dynamodb is the ledger on AWS: one table, one item for each call, one conditional write for each step.
//
// # The table
//
// The only key is pk (S): the row id. Items whose pk begins with "#" are the ledger's own: "#ledger" (identity), "#beat" (heartbeat),
// "#t#HASH" (owner of a client token), "#s#ROW#HASH" (request and body of a call whose item would be larger than 1 KB), "#h#ROW#N" (the
// older entries of a long history), "#n#ROW" (notes), "#k#ID" (a data key, encrypted), "#p#ID" (a parked record), "#c#NAME" (a cell). A row
// id is base64url, so it cannot begin with "#".
//
// Attributes of a cell: v version, d data, e expiry, g and c its place in the list of cells (celllist.go), q and t when it may be pruned.
//
// Attributes of a call: v version, x hash of its newest history entry, d row and history (blob.go), s name of its side item, c time of
// creation, g and l listing group and state, r recipient, k contact id, q and t shard and time of its due. No item has a time to live:
// an item that DynamoDB deletes is a call that rings again (protocol.md, F11).
//
// # Writes
//
// A create is a PutItem that requires the key to be absent. An update is a PutItem that requires the version and the head of the hash
// chain that the new version was made from, so the history that is written again is exactly the one that is replaced. The history comes
// from a bounded memory of the rows this process met last; an update of a row it has not met reads it first. Who loses a compare gets the
// winner's item with the answer (ReturnValuesOnConditionCheckFailure), or, where a server leaves it out, by a consistent read; the op ids
// in its history tell an own write whose answer was lost from a lost race. There are no transactions and no deletes. Side items are
// written before the item that names them and are named by their content: an orphan is harmless.
//
// SDK retries are off. One operation is one request, except that a throttled request, of which DynamoDB says that it was not applied, is
// sent again up to three times. Everything else that is not an answer (5xx, time-out, reset) comes back as an error, ambiguous, and the
// core sends the same write again under its op id.
//
// # Encryption
//
// With a master key (Options.KMSKey) every blob is sealed as a whole with AES-256-GCM under a data key of the day, which all processes of the
// table share: its item has a name that follows from table id, master key and day, so that the first process makes it (read, Make, write) and
// every other one opens it (read, Open). It is stored before anything is sealed with it. When the next key cannot be had the one that is open goes
// on, to its bound of blobs, and the observer is told (writingkey.go). A blob names its data key, and is authenticated
// together with its place: kind, pk, version, head and side item of a row. What is a hash of the request and stays in clear, names of side
// items and fingerprints of conflicts, is salted with the op id of the call's first entry. A blob that cannot be opened, for whatever reason,
// is an error and never call.ErrNotFound. Blobs in clear are read in any case, and sealed when they are written again. A handle without a master
// key that meets a sealed blob writes nothing more, but for what a dial came to in a row that is in clear (keyless.go).
//
// # What it does not promise
//
// An op id that belongs to another row is not noticed, and the identity counts no writes: either would cost a second write for every
// step. Op ids are unique by construction (call.Engine). Indexes are eventually consistent; every decision is made on a consistent read.
// A table restored from a backup is a new table with a new table id, which is how a restore is noticed ([Open]).
//
// # Forgetting
//
// A forgotten row keeps r until it is scrubbed, and z says what is still to be scrubbed: the number of spill items and the name of the side
// item. Both go with the last write of the scrub. Its later spill items are "#h#ROW#Nf". Side items, and spill items of rows that are not
// forgotten, have r too, "#" and the recipient's hash, and c, so that those which no row names are found. What is overwritten is a bare key, and
// of notes one with the attribute gone.
//
// # Costs
//
// In base write units (items up to 1 KB): first call 2; duplicate 1 failed put, or 1 read with read-first; side item, when request and
// body need one, +1; token claim with unique tokens +1; suppressions: off 0, first-20 one update each and two more once the texts are
// full for a process that does not know it yet, all one or two. Index writes per call, for a call that is placed at once: due 2,
// recipient 1, contact 1, list 2. A recipient, contact or list index that the table lacks costs nothing and its question is refused.
//
// An item cannot reach DynamoDB's limit of 400 KB: attributes are limited to 32 KB by Amazon Connect, the body repeats them once, the
// first history entry once more, and at most 30 entries lie in the item.
package dynamodb

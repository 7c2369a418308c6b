-- +goose Up

-- One row for each call. The document is the truth; the columns beside it are what a write is judged by.
-- number is the order of creation. A rowid table grows at its end only: the ids are hashes, so a table clustered by id, or an
-- index written with each row, would touch a page at a random place for every write.
CREATE TABLE calls (
    number    INTEGER PRIMARY KEY,
    id        TEXT NOT NULL,
    version   INTEGER NOT NULL,
    state     TEXT NOT NULL,
    due       INTEGER,          -- unix nanoseconds of Call.DueAt; null means never
    token     TEXT,             -- null when the row has none yet
    contact   TEXT,             -- null when none is known
    recipient TEXT NOT NULL,    -- Naming.Recipient
    doc       BLOB NOT NULL     -- Call.Encode
) STRICT;
CREATE INDEX calls_due ON calls (due) WHERE due IS NOT NULL;

-- Where to find the calls of an id, a token, a contact id and a recipient: call is calls.number. Their keys lie at random places,
-- so they are written in sorted batches, behind the calls; ledger.indexed says how far they are, and what they do not know yet
-- is in the writer's memory, or above ledger.indexed after a crash. An id and a token have one call. A contact id may lead to several:
-- that is a breach which must be recorded, and a fact that is refused is a fact that is lost.
CREATE TABLE ids (
    id   TEXT PRIMARY KEY,
    call INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens (
    token TEXT PRIMARY KEY,
    call  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE contacts (
    contact TEXT NOT NULL,
    call    INTEGER NOT NULL,
    PRIMARY KEY (contact, call)
) STRICT, WITHOUT ROWID;
CREATE TABLE recipients (
    recipient TEXT NOT NULL,
    call      INTEGER NOT NULL,
    PRIMARY KEY (recipient, call)
) STRICT, WITHOUT ROWID;

-- One entry for each write. The table grows at its end only; the unique pair finds the entries of a call, and the unique op
-- backs the promise that a write is recognized.
CREATE TABLE history (
    number INTEGER PRIMARY KEY, -- of the write
    call INTEGER NOT NULL,      -- calls.number
    seq  INTEGER NOT NULL,
    op   TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    at   INTEGER NOT NULL,      -- unix nanoseconds
    body BLOB NOT NULL,         -- JSON of the event
    hash TEXT NOT NULL,
    UNIQUE (call, seq)
) STRICT;

-- What the journal keeps with its text. The row id is text because a note may be older than its row.
CREATE TABLE notes (
    number INTEGER PRIMARY KEY,
    row_id TEXT NOT NULL,
    kind   TEXT NOT NULL,
    once   TEXT,                -- a conflict's fingerprint; null for notes that may repeat
    body   BLOB NOT NULL        -- JSON of the note
) STRICT;
CREATE INDEX notes_row ON notes (row_id);
CREATE UNIQUE INDEX notes_once ON notes (row_id, once) WHERE once IS NOT NULL;

-- How many suppressions were counted beyond those whose text is kept.
CREATE TABLE suppressions (
    row_id TEXT PRIMARY KEY,
    count  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The ledger's own record: one row.
CREATE TABLE ledger (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    id         TEXT NOT NULL,
    created    INTEGER NOT NULL,
    mode       TEXT NOT NULL,
    proof      TEXT NOT NULL,   -- Naming.Check
    epoch      INTEGER NOT NULL,
    high_water INTEGER NOT NULL,
    last_write INTEGER,
    indexed    INTEGER NOT NULL, -- history.number of the newest write that ids, tokens, contacts and recipients know
    backup     INTEGER,         -- set while a recovery is open
    restored   INTEGER,
    beat       INTEGER
) STRICT;

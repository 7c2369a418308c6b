-- +goose Up

-- Texts are compared by their bytes (COLLATE "C"), whatever the database's own order is: names of cells are listed in that order, and an index
-- does not break when the operating system changes its collations.

-- One row for each call. The document is the truth; the columns beside it are what a write is judged by. number is that of the write that made
-- the call, so it is the order of creation.
CREATE TABLE calls (
    number    bigint PRIMARY KEY CHECK (number > 0),
    id        text COLLATE "C" NOT NULL CONSTRAINT calls_id UNIQUE,
    version   bigint NOT NULL CHECK (version > 0),
    state     text COLLATE "C" NOT NULL,
    due       bigint,                                              -- unix nanoseconds of Call.DueAt; null means never
    token     text COLLATE "C" CONSTRAINT calls_token UNIQUE,      -- null when the call has none
    contact   text COLLATE "C",                                    -- null when none is known
    recipient text COLLATE "C",                                    -- Naming.Recipient; null once a forgotten call is scrubbed
    forgotten boolean NOT NULL DEFAULT false,
    doc       bytea NOT NULL                                       -- Call.Encode
);
CREATE INDEX calls_due ON calls (due, number) WHERE due IS NOT NULL;
CREATE INDEX calls_contact ON calls (contact, number) WHERE contact IS NOT NULL;
CREATE INDEX calls_recipient ON calls (recipient, number) WHERE recipient IS NOT NULL;
CREATE INDEX calls_unfinished ON calls (number) WHERE state IN ('received', 'dialing');

-- One entry for each write; number is the number of the write, without gaps, so the largest is how many writes there were. Only an erasure
-- removes entries, and never the newest.
CREATE TABLE history (
    number bigint PRIMARY KEY CHECK (number > 0),
    call   bigint NOT NULL,                                        -- calls.number
    seq    bigint NOT NULL CHECK (seq > 0),
    op     text COLLATE "C" NOT NULL CONSTRAINT history_op UNIQUE,
    kind   text COLLATE "C" NOT NULL,
    at     bigint NOT NULL,                                        -- unix nanoseconds
    body   bytea NOT NULL,                                         -- JSON of the event
    hash   text COLLATE "C" NOT NULL,
    CONSTRAINT history_call_seq UNIQUE (call, seq)
);

-- The tokens of forgotten calls, without their text: they stay taken, because Amazon Connect still knows them.
CREATE TABLE erased_tokens (
    hash text COLLATE "C" PRIMARY KEY,                             -- hex SHA-256
    call bigint NOT NULL                                           -- calls.number
);

-- What the journal keeps with its text. A note may be older than its call.
CREATE TABLE notes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    row_id text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,
    once   text COLLATE "C",                                       -- a conflict's fingerprint; null for notes that may repeat
    body   bytea NOT NULL                                          -- JSON of the note
);
CREATE INDEX notes_row ON notes (row_id, number);
CREATE UNIQUE INDEX notes_once ON notes (row_id, once) WHERE once IS NOT NULL;

-- How many suppressions were counted beyond those whose text is kept.
CREATE TABLE suppressions (
    row_id text COLLATE "C" PRIMARY KEY,
    count  bigint NOT NULL
);

-- Records that could not be read. A closed one has lost its document and stays, so that its next delivery is known.
CREATE TABLE parked (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id       text COLLATE "C" NOT NULL CONSTRAINT parked_id UNIQUE, -- call.ParkedID
    waits    boolean NOT NULL,
    body     bytea NOT NULL,                                       -- JSON of call.Parked
    document bytea                                                 -- null when it is closed
);
CREATE INDEX parked_waiting ON parked (number) WHERE waits;

-- Small records that belong to no call (call.Cell).
CREATE TABLE cells (
    name    text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL CHECK (version > 0),
    data    bytea NOT NULL,
    expires bigint                                                 -- unix nanoseconds; null means never
);
CREATE INDEX cells_expiring ON cells (expires) WHERE expires IS NOT NULL;

-- What distinguishes this ledger from every other and from its own past. Whoever writes a call locks this row first, until the commit.
CREATE TABLE ledger (
    one         boolean PRIMARY KEY DEFAULT true CONSTRAINT ledger_one CHECK (one),
    id          text COLLATE "C" NOT NULL,
    created     bigint NOT NULL,
    mode        text COLLATE "C" NOT NULL,
    proof       text COLLATE "C" NOT NULL,                         -- Naming.Check
    epoch       bigint NOT NULL CHECK (epoch > 0),
    incarnation text COLLATE "C" NOT NULL,                         -- random, new with every epoch
    cluster     text COLLATE "C" NOT NULL,                         -- system identifier of the server that it was made or recovered on
    timeline    bigint NOT NULL,                                   -- of that server then
    needs       bigint NOT NULL,                                   -- the lowest schema version a program must know to use this schema
    backup      bigint,                                            -- set while a recovery is open
    restored    bigint,
    reading     text COLLATE "C" NOT NULL DEFAULT '',              -- measured reading of the client token (protocol.md section 14)
    beat        bigint
);

-- Every incarnation that this ledger ever had: a witness of one of them is of this ledger's own past.
CREATE TABLE incarnations (
    incarnation text COLLATE "C" PRIMARY KEY,
    epoch       bigint NOT NULL CONSTRAINT incarnations_epoch UNIQUE
);

-- +goose Up

-- Records that could not be read. A closed one has lost its document and stays, so that its next delivery is known.
CREATE TABLE parked (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE, -- call.ParkedID
    waits    INTEGER NOT NULL,     -- 0 when it is closed
    body     BLOB NOT NULL,        -- JSON of call.Parked
    document BLOB                  -- null when it is closed
) STRICT;
CREATE INDEX parked_waiting ON parked (number) WHERE waits = 1;

-- +goose Up

-- Small records that belong to no call (call.Cell). Names are of ASCII, so the order of texts is the order of their bytes.
CREATE TABLE cells (
    name    TEXT PRIMARY KEY,
    version INTEGER NOT NULL, -- 1 is the first
    data    BLOB NOT NULL,
    expires INTEGER           -- unix nanoseconds; null means never
) STRICT, WITHOUT ROWID;
CREATE INDEX cells_expiring ON cells (expires) WHERE expires IS NOT NULL;

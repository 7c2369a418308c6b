-- +goose Up

-- The tokens of forgotten rows, without their text: they stay taken, because Amazon Connect still knows them.
CREATE TABLE erased_tokens (
    hash TEXT PRIMARY KEY,      -- hex SHA-256
    call INTEGER NOT NULL       -- calls.number
) STRICT, WITHOUT ROWID;

-- The forgotten rows are those without a recipient. A note that is on its way to one is dropped.
CREATE INDEX calls_forgotten ON calls (id) WHERE recipient = '';

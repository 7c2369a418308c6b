-- +goose Up

-- Where to find the calls of a key space: call is calls.number. It is written behind the calls like recipients (00001), and knows no calls of the
-- unnamed key space, which nobody asks for.
CREATE TABLE key_spaces (
    key_space TEXT NOT NULL,
    call      INTEGER NOT NULL,
    PRIMARY KEY (key_space, call)
) STRICT, WITHOUT ROWID;
INSERT INTO key_spaces (key_space, call)
SELECT key_space, number FROM (
    SELECT number, CASE WHEN json_valid(CAST(doc AS TEXT)) THEN json_extract(CAST(doc AS TEXT), '$.key.keySpace') END AS key_space FROM calls
) WHERE key_space <> '' ORDER BY key_space, number;

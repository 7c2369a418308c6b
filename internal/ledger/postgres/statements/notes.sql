-- Notes are written in the transactions of the calls, behind LockLedger, so that none lands on a call that is being forgotten.

-- Each statement takes the notes of many rows: what one note costs beside others is a tenth of what it costs alone.

-- KeepNotes keeps texts in their order; of suppressions while the row has room, and counts the others. rank is the place of a text among the
-- suppressions of its row that are given, from 1; 0 is no suppression. Each row is looked up once, by subqueries that the index answers: a join would be
-- planned as a scan of all notes or of all calls, and one with what is given compares each with each. owner is where a text's row is among the rows.
-- No conflict can meet another: whoever writes notes has the lock.
-- name: KeepNotes :exec
WITH rooms AS MATERIALIZED (
    SELECT array_agg(CASE
        WHEN (SELECT c.forgotten FROM calls c WHERE c.id = r.id) THEN -1
        ELSE (SELECT count(*) FROM notes n WHERE n.row_id = r.id AND n.kind = 'suppressed') END ORDER BY r.place)::bigint[] AS taken
    FROM (SELECT unnest(@rows::text[]) AS id, generate_subscripts(@rows::text[], 1) AS place) r
), given AS (
    SELECT t.row_id, t.kind, t.once, t.body, t.rank, t.place, (SELECT rooms.taken FROM rooms)[t.owner]::bigint AS taken
    FROM (SELECT unnest(@row_ids::text[]) AS row_id, unnest(@kinds::text[]) AS kind, unnest(@onces::text[]) AS once, unnest(@bodies::bytea[]) AS body,
        unnest(@ranks::int[]) AS rank, unnest(@owners::int[]) AS owner, generate_subscripts(@row_ids::text[], 1) AS place) t
), kept AS (
    INSERT INTO notes (row_id, kind, once, body)
    SELECT g.row_id, g.kind, nullif(g.once, ''), g.body FROM given g
    WHERE g.taken >= 0 AND (g.rank = 0 OR g.taken + g.rank <= @most::bigint)
        AND (g.once = '' OR (SELECT n.number FROM notes n WHERE n.row_id = g.row_id AND n.once = g.once) IS NULL)
    ORDER BY g.place
)
INSERT INTO suppressions (row_id, count)
SELECT g.row_id, count(*) FROM given g WHERE g.taken >= 0 AND g.rank > 0 AND g.taken + g.rank > @most::bigint GROUP BY g.row_id
ON CONFLICT (row_id) DO UPDATE SET count = suppressions.count + excluded.count;

-- name: CountSuppressed :exec
INSERT INTO suppressions (row_id, count)
SELECT g.row_id, g.more FROM (SELECT unnest(@row_ids::text[]) AS row_id, unnest(@more::bigint[]) AS more) g
WHERE (SELECT c.forgotten FROM calls c WHERE c.id = g.row_id) IS NOT TRUE
ON CONFLICT (row_id) DO UPDATE SET count = suppressions.count + excluded.count;

-- name: NotesOf :many
SELECT body FROM notes WHERE row_id = @row_id ORDER BY number;

-- name: SuppressedOf :one
SELECT coalesce((SELECT count FROM suppressions WHERE row_id = @row_id), 0)::bigint AS count;

-- NewestNotes reads the notes in the order of their key, backwards, with what they stand beside: no index is written for it.
-- name: NewestNotes :many
SELECT n.number, n.row_id, n.body, (SELECT c.doc FROM calls c WHERE c.id = n.row_id AND NOT c.forgotten)::bytea AS doc
FROM notes n WHERE n.number < @before ORDER BY n.number DESC LIMIT @most;

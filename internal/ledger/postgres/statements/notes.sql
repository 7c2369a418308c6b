-- Notes are written in the transactions of the calls, behind LockLedger, so that none lands on a call that is being forgotten.

-- Each statement takes the notes of many rows: what one note costs beside others is a tenth of what it costs alone.

-- KeepNotes keeps texts in their order; of suppressions while the row has room, and counts the others.
-- name: KeepNotes :exec
WITH given AS (
    SELECT unnest(@row_ids::text[]) AS row_id, unnest(@kinds::text[]) AS kind, unnest(@onces::text[]) AS once, unnest(@bodies::bytea[]) AS body,
        unnest(@places::int[]) AS place
), rooms AS ( -- subqueries for each row, which the index answers: a join would be planned as a scan of all notes, or of all calls
    SELECT r.row_id, (SELECT count(*) FROM notes n WHERE n.row_id = r.row_id AND n.kind = 'suppressed') AS taken
    FROM (SELECT DISTINCT given.row_id FROM given) r
    WHERE (SELECT c.forgotten FROM calls c WHERE c.id = r.row_id) IS NOT TRUE
), placed AS (
    SELECT g.row_id, g.kind, g.once, g.body, g.place, g.kind <> 'suppressed'
        OR rooms.taken + row_number() OVER (PARTITION BY g.row_id, g.kind ORDER BY g.place) <= @most::bigint AS fits
    FROM given g JOIN rooms ON rooms.row_id = g.row_id
), kept AS (
    INSERT INTO notes (row_id, kind, once, body)
    SELECT placed.row_id, placed.kind, nullif(placed.once, ''), placed.body FROM placed WHERE placed.fits ORDER BY placed.place
    ON CONFLICT DO NOTHING
)
INSERT INTO suppressions (row_id, count)
SELECT placed.row_id, count(*) FROM placed WHERE NOT placed.fits GROUP BY placed.row_id
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

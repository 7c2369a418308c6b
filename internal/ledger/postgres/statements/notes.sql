-- Notes are written in the transactions of the calls, behind LockLedger, so that none lands on a call that is being forgotten.

-- name: KeepNote :exec
INSERT INTO notes (row_id, kind, once, body)
SELECT @row_id, @kind, sqlc.narg('once'), @body
WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = @row_id AND forgotten)
ON CONFLICT DO NOTHING;

-- KeepSuppressed keeps the text while there is room, and counts otherwise.
-- name: KeepSuppressed :exec
WITH room AS (
    SELECT count(*) < @most::bigint AS any FROM notes WHERE row_id = @row_id AND kind = 'suppressed'
), lives AS (
    SELECT NOT EXISTS (SELECT 1 FROM calls WHERE id = @row_id AND forgotten) AS does
), kept AS (
    INSERT INTO notes (row_id, kind, body) SELECT @row_id, 'suppressed', @body FROM room, lives WHERE room.any AND lives.does RETURNING 1
)
INSERT INTO suppressions (row_id, count)
SELECT @row_id, 1 FROM room, lives WHERE NOT room.any AND lives.does
ON CONFLICT (row_id) DO UPDATE SET count = suppressions.count + 1;

-- name: CountSuppressed :exec
INSERT INTO suppressions (row_id, count)
SELECT @row_id, @more WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = @row_id AND forgotten)
ON CONFLICT (row_id) DO UPDATE SET count = suppressions.count + excluded.count;

-- name: NotesOf :many
SELECT body FROM notes WHERE row_id = @row_id ORDER BY number;

-- name: SuppressedOf :one
SELECT coalesce((SELECT count FROM suppressions WHERE row_id = @row_id), 0)::bigint AS count;

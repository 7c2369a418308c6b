-- What belongs to no call: parked records and cells. Each statement is a transaction of its own.

-- name: Park :execrows
INSERT INTO parked (id, waits, body, document) VALUES (@id, true, @body, @document) ON CONFLICT DO NOTHING;

-- name: ParkedRecord :one
SELECT body, document FROM parked WHERE id = @id;

-- name: ListParked :many
SELECT body FROM parked WHERE waits ORDER BY number LIMIT @most;

-- name: CloseParked :execrows
UPDATE parked SET waits = false, body = @body, document = NULL WHERE id = @id AND waits;

-- name: ReadCell :one
SELECT name, version, data, expires FROM cells WHERE name = @name;

-- name: MakeCell :execrows
INSERT INTO cells (name, version, data, expires) VALUES (@name, 1, @data, sqlc.narg('expires')) ON CONFLICT DO NOTHING;

-- name: MoveCell :execrows
UPDATE cells SET version = @version, data = @data, expires = sqlc.narg('expires') WHERE name = @name AND version = @before;

-- name: ListCells :many
SELECT name, version, data, expires FROM cells WHERE name >= @first AND name < @past AND name > @after ORDER BY name LIMIT @most;

-- name: PruneCells :execrows
DELETE FROM cells c WHERE c.expires < @now::bigint
    AND c.name IN (SELECT d.name FROM cells d WHERE d.expires < @now::bigint ORDER BY d.expires LIMIT @most);

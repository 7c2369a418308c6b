-- name: GetCall :one
SELECT doc FROM calls WHERE id = @id;

-- name: GetCalls :many
SELECT id, doc FROM calls WHERE id = ANY (@ids::text[]);

-- name: DueCalls :many
SELECT id FROM calls WHERE due <= @now::bigint ORDER BY due, number LIMIT @most;

-- name: CallByContact :one
SELECT id FROM calls WHERE contact = @contact::text ORDER BY number LIMIT 1;

-- name: CallsByRecipient :many
SELECT id FROM calls WHERE recipient = @recipient::text ORDER BY number DESC LIMIT @most;

-- name: ListCalls :many
SELECT number, doc FROM calls WHERE number < @before ORDER BY number DESC LIMIT @most;

-- name: ListCallsInStates :many
SELECT number, doc FROM calls WHERE number < @before AND state = ANY (@states::text[]) ORDER BY number DESC LIMIT @most;

-- The second condition is that of the index, which is used for no other.
-- name: ListCallsInKeySpace :many
SELECT number, doc FROM calls WHERE key_space(doc) = @key_space::text AND key_space(doc) <> '' AND number < @before ORDER BY number DESC LIMIT @most;

-- name: ListCallsInKeySpaceAndStates :many
SELECT number, doc FROM calls WHERE key_space(doc) = @key_space::text AND key_space(doc) <> '' AND number < @before AND state = ANY (@states::text[])
ORDER BY number DESC LIMIT @most;

-- name: CallHistory :many
SELECT h.seq, h.op, h.kind, h.at, h.body, h.hash FROM calls c JOIN history h ON h.call = c.number WHERE c.id = @id ORDER BY h.seq;

-- name: UnfinishedCalls :many
SELECT number, id FROM calls WHERE number > @after AND state IN ('received', 'dialing') ORDER BY number LIMIT @most;

-- name: PageOfCalls :many
SELECT number, doc FROM calls WHERE number > @after ORDER BY number LIMIT @most;

-- name: HistoriesOfCalls :many
SELECT call, seq, op, kind, at, body, hash FROM history WHERE call = ANY (@calls::bigint[]) ORDER BY call, seq;

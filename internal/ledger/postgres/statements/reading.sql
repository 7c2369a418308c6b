-- name: GetCall :one
SELECT doc FROM calls WHERE id = @id;

-- name: GetCalls :many
SELECT id, doc FROM calls WHERE id = ANY (@ids::text[]);

-- name: DueCalls :many
SELECT id FROM calls WHERE due <= @now::bigint ORDER BY due, number LIMIT @most;

-- name: CallsDueFrom :many
SELECT due::bigint AS due, number, id FROM calls WHERE due IS NOT NULL AND (due, number) > (@after_due::bigint, @after_number::bigint) ORDER BY due, number LIMIT @most;

-- name: CallByContact :one
SELECT id FROM calls WHERE contact = @contact::text ORDER BY number LIMIT 1;

-- name: CallsByRecipient :many
SELECT id FROM calls WHERE recipient = @recipient::text ORDER BY number DESC LIMIT @most;

-- name: CallsByBeginning :many
SELECT id FROM calls WHERE id >= @first::text AND id < @behind::text ORDER BY id LIMIT @most;

-- name: ListCalls :many
SELECT number, doc FROM calls WHERE number < @before ORDER BY number DESC LIMIT @most;

-- The newest of each state, which the index of states has in their order, and of those the newest: nothing else is read, however rare a state is. The
-- two comparisons are an equality that the planner does not see; with one it may read all rows by their number, as it does not know which state it is.
-- name: ListCallsInStates :many
SELECT c.number, c.doc FROM (SELECT DISTINCT unnest(@states::text[]) AS state) s
CROSS JOIN LATERAL (
    SELECT number, doc FROM calls WHERE calls.state >= s.state AND (calls.state, number) < (s.state, @before::bigint)
    ORDER BY calls.state DESC, number DESC LIMIT @most
) c
ORDER BY c.number DESC LIMIT @most;

-- The newest of each key space, and of those the newest, as with states. The first condition is that of the index, which is used for no other.
-- name: ListCallsInKeySpaces :many
SELECT c.number, c.doc FROM (SELECT DISTINCT unnest(@key_spaces::text[]) AS space) s
CROSS JOIN LATERAL (
    SELECT number, doc FROM calls
    WHERE key_space(doc) <> '' AND key_space(doc) >= s.space AND (key_space(doc), number) < (s.space, @before::bigint)
    ORDER BY key_space(doc) DESC, number DESC LIMIT @most
) c
ORDER BY c.number DESC LIMIT @most;

-- name: ListCallsInKeySpacesAndStates :many
SELECT c.number, c.doc FROM (SELECT DISTINCT unnest(@key_spaces::text[]) AS space) s
CROSS JOIN LATERAL (
    SELECT number, doc FROM calls
    WHERE key_space(doc) <> '' AND key_space(doc) >= s.space AND (key_space(doc), number) < (s.space, @before::bigint) AND state = ANY (@states::text[])
    ORDER BY key_space(doc) DESC, number DESC LIMIT @most
) c
ORDER BY c.number DESC LIMIT @most;

-- The conditions are those of the index.
-- name: ParkedCalls :many
SELECT number, id FROM calls WHERE due IS NOT NULL AND may_be_parked(doc) AND number > @after ORDER BY number LIMIT @most;

-- name: LastCall :one
SELECT coalesce(max(number), 0)::bigint FROM calls;

-- name: CallHistory :many
SELECT h.seq, h.op, h.kind, h.at, h.body, h.hash FROM calls c JOIN history h ON h.call = c.number WHERE c.id = @id ORDER BY h.seq;

-- name: UnfinishedCalls :many
SELECT number, id FROM calls WHERE number > @after AND state IN ('received', 'dialing') ORDER BY number LIMIT @most;

-- name: PageOfCalls :many
SELECT number, doc FROM calls WHERE number > @after ORDER BY number LIMIT @most;

-- name: HistoriesOfCalls :many
SELECT call, seq, op, kind, at, body, hash FROM history WHERE call = ANY (@calls::bigint[]) ORDER BY call, seq;

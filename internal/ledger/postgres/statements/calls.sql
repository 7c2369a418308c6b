-- Every write of a call runs behind LockLedger in one transaction, so that the statements of one group see those before them and nobody else's
-- in between. The incarnation is compared in each, because a statement of a pipeline cannot stop those after it.

-- LockLedger also says whether the session is the one that was set up for the connection: a pooler may have given it another one.
-- name: LockLedger :one
SELECT (current_setting('ringonce.session', true) IS NOT DISTINCT FROM @session::text)::boolean AS own
FROM ledger WHERE incarnation = @incarnation FOR NO KEY UPDATE;

-- name: HighWater :one
SELECT coalesce(max(number), 0)::bigint AS number FROM history;

-- The answer tells why nothing was written: the call is there, the op belongs to another one, or the token does.
-- name: CreateCall :one
WITH known AS (
    SELECT k.number, k.version, k.doc FROM calls k WHERE k.id = @id
), made AS (
    INSERT INTO calls (number, id, version, state, due, token, contact, recipient, doc)
    SELECT (SELECT coalesce(max(h.number), 0) + 1 FROM history h), @id, 1, @state, sqlc.narg('due'), sqlc.narg('token'), sqlc.narg('contact'), @recipient, @doc
    FROM ledger
    WHERE ledger.incarnation = @incarnation
        AND NOT EXISTS (SELECT 1 FROM history h WHERE h.op = @op)
        AND NOT EXISTS (SELECT 1 FROM erased_tokens e WHERE e.hash = @token_hash)
    ON CONFLICT DO NOTHING
    RETURNING number
), entry AS (
    INSERT INTO history (number, call, seq, op, kind, at, body, hash)
    SELECT made.number, made.number, 1, @op, @kind, @at, @body, @hash FROM made
    RETURNING number
)
SELECT
    coalesce((SELECT entry.number FROM entry), 0)::bigint AS applied,
    coalesce((SELECT known.version FROM known), 0)::bigint AS version,
    (SELECT known.doc FROM known)::bytea AS doc,
    EXISTS (SELECT 1 FROM history h WHERE h.op = @op AND h.call = (SELECT known.number FROM known))::boolean AS own,
    coalesce((SELECT c.id FROM history h JOIN calls c ON c.number = h.call WHERE h.op = @op), '')::text AS op_owner,
    (EXISTS (SELECT 1 FROM calls c WHERE c.token = sqlc.narg('token')) OR EXISTS (SELECT 1 FROM erased_tokens e WHERE e.hash = @token_hash))::boolean AS token_taken
FROM ledger WHERE ledger.incarnation = @incarnation;

-- CreateCalls is CreateCall for many calls whose ids, ops and tokens all differ: what one costs among others is a third of what it costs alone. An
-- empty text is null; the lowest number is no due. As nobody writes beside the lock, what is free is known before it is taken, so
-- the numbers have no gaps. The subqueries are answered by the indexes; joins with what is given would be planned as scans of the tables.
-- name: CreateCalls :many
WITH given AS (
    SELECT unnest(@ids::text[]) AS id, unnest(@states::text[]) AS state, unnest(@dues::bigint[]) AS due, unnest(@tokens::text[]) AS token,
        unnest(@token_hashes::text[]) AS token_hash, unnest(@contacts::text[]) AS contact, unnest(@recipients::text[]) AS recipient, unnest(@docs::bytea[]) AS doc,
        unnest(@ops::text[]) AS op, unnest(@kinds::text[]) AS kind, unnest(@ats::bigint[]) AS at, unnest(@bodies::bytea[]) AS body, unnest(@hashes::text[]) AS hash,
        generate_subscripts(@ids::text[], 1) AS place
), looked AS (
    SELECT g.*, (SELECT k.number FROM calls k WHERE k.id = g.id) AS known, (SELECT h.call FROM history h WHERE h.op = g.op) AS op_call,
        (g.token <> '' AND (SELECT c.number FROM calls c WHERE c.token = g.token) IS NOT NULL
            OR (SELECT e.call FROM erased_tokens e WHERE e.hash = g.token_hash) IS NOT NULL) AS token_taken
    FROM given g WHERE (SELECT l.epoch FROM ledger l WHERE l.incarnation = @incarnation) IS NOT NULL
), judged AS (
    SELECT looked.*, looked.known IS NULL AND looked.op_call IS NULL AND NOT looked.token_taken AS fresh,
        (SELECT coalesce(max(h.number), 0) FROM history h) + count(*) FILTER (WHERE looked.known IS NULL AND looked.op_call IS NULL AND NOT looked.token_taken)
            OVER (ORDER BY looked.place) AS number
    FROM looked
), made AS (
    INSERT INTO calls (number, id, version, state, due, token, contact, recipient, doc)
    SELECT j.number, j.id, 1, j.state, nullif(j.due, '-9223372036854775808'::bigint), nullif(j.token, ''), nullif(j.contact, ''), nullif(j.recipient, ''), j.doc FROM judged j WHERE j.fresh
), entry AS (
    INSERT INTO history (number, call, seq, op, kind, at, body, hash)
    SELECT j.number, j.number, 1, j.op, j.kind, j.at, j.body, j.hash FROM judged j WHERE j.fresh
)
SELECT
    j.place::int AS place, (CASE WHEN j.fresh THEN j.number ELSE 0 END)::bigint AS applied,
    coalesce((SELECT k.version FROM calls k WHERE k.number = j.known), 0)::bigint AS version,
    (SELECT k.doc FROM calls k WHERE k.number = j.known)::bytea AS doc,
    (j.known IS NOT NULL AND j.op_call IS NOT DISTINCT FROM j.known)::boolean AS own,
    coalesce((SELECT c.id FROM calls c WHERE c.number = j.op_call), '')::text AS op_owner,
    j.token_taken::boolean AS token_taken
FROM judged j ORDER BY j.place;

-- name: UpdateCall :one
WITH known AS (
    SELECT k.number, k.version, k.doc FROM calls k WHERE k.id = @id
), entry AS (
    INSERT INTO history (number, call, seq, op, kind, at, body, hash)
    SELECT (SELECT coalesce(max(h.number), 0) + 1 FROM history h), k.number, @version, @op, @kind, @at, @body, @hash
    FROM ledger, calls k
    WHERE ledger.incarnation = @incarnation AND k.id = @id AND k.version = @before
        AND NOT EXISTS (SELECT 1 FROM history h WHERE h.op = @op)
        AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.token = sqlc.narg('token') AND c.id <> @id)
        AND NOT EXISTS (SELECT 1 FROM erased_tokens e WHERE e.hash = @token_hash)
    RETURNING number, call
), moved AS (
    UPDATE calls SET version = @version, state = @state, due = sqlc.narg('due'), token = sqlc.narg('token'), contact = sqlc.narg('contact'), doc = @doc
    FROM entry WHERE calls.number = entry.call AND calls.version = @before
    RETURNING calls.number
)
SELECT
    coalesce((SELECT entry.number FROM entry, moved), 0)::bigint AS applied,
    coalesce((SELECT known.version FROM known), 0)::bigint AS version,
    (SELECT known.doc FROM known WHERE NOT EXISTS (SELECT 1 FROM moved))::bytea AS doc,
    EXISTS (SELECT 1 FROM history h WHERE h.op = @op AND h.call = (SELECT known.number FROM known))::boolean AS own,
    coalesce((SELECT c.id FROM history h JOIN calls c ON c.number = h.call WHERE h.op = @op), '')::text AS op_owner,
    (EXISTS (SELECT 1 FROM calls c WHERE c.token = sqlc.narg('token') AND c.id <> @id) OR EXISTS (SELECT 1 FROM erased_tokens e WHERE e.hash = @token_hash))::boolean AS token_taken
FROM ledger WHERE ledger.incarnation = @incarnation;

-- EraseCall is UpdateCall that destroys: the earlier entries, the notes and the text of the token. The recipient goes with the scrub.
-- name: EraseCall :one
WITH known AS (
    SELECT k.number, k.version, k.doc, k.token FROM calls k WHERE k.id = @id
), entry AS (
    INSERT INTO history (number, call, seq, op, kind, at, body, hash)
    SELECT (SELECT coalesce(max(h.number), 0) + 1 FROM history h), k.number, @version, @op, @kind, @at, @body, @hash
    FROM ledger, calls k
    WHERE ledger.incarnation = @incarnation AND k.id = @id AND k.version = @before
        AND NOT EXISTS (SELECT 1 FROM history h WHERE h.op = @op)
    RETURNING number, call
), moved AS (
    UPDATE calls SET version = @version, state = @state, due = sqlc.narg('due'), token = NULL, contact = sqlc.narg('contact'), doc = @doc, forgotten = true
    FROM entry WHERE calls.number = entry.call AND calls.version = @before
    RETURNING calls.number
), earlier AS (
    DELETE FROM history USING entry WHERE history.call = entry.call AND history.number < entry.number
), unnoted AS (
    DELETE FROM notes USING entry WHERE notes.row_id = @id
), uncounted AS (
    DELETE FROM suppressions USING entry WHERE suppressions.row_id = @id
), kept AS (
    INSERT INTO erased_tokens (hash, call)
    SELECT encode(sha256(convert_to(known.token, 'UTF8')), 'hex'), known.number FROM known, entry WHERE known.token IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT
    coalesce((SELECT entry.number FROM entry, moved), 0)::bigint AS applied,
    coalesce((SELECT known.version FROM known), 0)::bigint AS version,
    (SELECT known.doc FROM known WHERE NOT EXISTS (SELECT 1 FROM moved))::bytea AS doc,
    EXISTS (SELECT 1 FROM history h WHERE h.op = @op AND h.call = (SELECT known.number FROM known))::boolean AS own,
    coalesce((SELECT c.id FROM history h JOIN calls c ON c.number = h.call WHERE h.op = @op), '')::text AS op_owner,
    false AS token_taken
FROM ledger WHERE ledger.incarnation = @incarnation;

-- name: ScrubRecipient :exec
UPDATE calls SET recipient = NULL WHERE recipient = @recipient::text AND forgotten;

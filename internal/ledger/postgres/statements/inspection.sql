-- Inspections returns one line for whatever is wrong beside the calls and their histories.
-- name: Inspections :many
SELECT ('the ledger counts ' || h.newest || ' writes and its calls have ' || c.versions)::text AS finding
    FROM (SELECT coalesce(max(number), 0) AS newest FROM history) h, (SELECT coalesce(sum(version), 0) AS versions FROM calls) c WHERE h.newest <> c.versions
UNION ALL
SELECT ('the writes of call ' || c.id || ' are not in the order of its history')::text
    FROM history a JOIN history b ON b.call = a.call AND b.seq = a.seq + 1 JOIN calls c ON c.number = a.call WHERE b.number <= a.number
UNION ALL
SELECT ('entry ' || h.number || ' of the history belongs to no call')::text FROM history h WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.number = h.call)
UNION ALL
SELECT ('an erased token belongs to call number ' || e.call || ', which does not exist')::text FROM erased_tokens e WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.number = e.call);

-- name: PageOfColumns :many
SELECT number, id, version, state, due, token, contact, recipient, forgotten, doc FROM calls WHERE number > @after ORDER BY number LIMIT @most;

-- +goose Up

-- 1: the call is parked (call.Call.Parked), so it is found among a million that only wait for their time; null: it is not.
ALTER TABLE calls ADD COLUMN parked INTEGER;
UPDATE calls SET parked = 1 WHERE due IS NOT NULL AND CASE WHEN json_valid(CAST(doc AS TEXT)) THEN
    json_extract(CAST(doc AS TEXT), '$.due') IS NOT NULL AND json_extract(CAST(doc AS TEXT), '$.dueReason') IN
    ('paused', 'setup_pause', 'destination_denied', 'paused_all', 'paused_profile', 'paused_producer', 'paused_prefix') END;
CREATE INDEX calls_parked ON calls (parked) WHERE parked = 1;

-- Lists of the calls in a few states: the ones in doubt are few among very many.
CREATE INDEX calls_state ON calls (state);

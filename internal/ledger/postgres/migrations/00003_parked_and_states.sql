-- +goose NO TRANSACTION
-- +goose Up

-- Whether a call may be parked (call.Call.Parked), by the beginning of the reason in its document: no column, so that nothing is rewritten and
-- what a process of the version before writes is found as well. It may say yes of a call that is not parked, as who reads it looks at the call, but
-- never no of one that is: an attribute may have the name of the member, so it looks for each reason. The functions it uses are all of pg_catalog,
-- since maintenance has a search_path of its own.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION may_be_parked(doc bytea) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT pg_catalog.position(doc, '"dueReason":"paused'::pg_catalog.bytea) > 0
        OR pg_catalog.position(doc, '"dueReason":"setup_'::pg_catalog.bytea) > 0
        OR pg_catalog.position(doc, '"dueReason":"destin'::pg_catalog.bytea) > 0
$$;
-- +goose StatementEnd

-- A statement that is made concurrently waits for every transaction in the database that is older, a backup of an hour among them. It holds no lock
-- that a process needs meanwhile, so nothing bounds it.
SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout', 'transaction_timeout');

-- A million calls may wait for their time beside a few that are parked. An index that was not finished is of no use, and is made again.
DROP INDEX CONCURRENTLY IF EXISTS calls_parked;
CREATE INDEX CONCURRENTLY calls_parked ON calls (number) WHERE due IS NOT NULL AND may_be_parked(doc);

-- Lists of the calls in a few states: the ones in doubt are few among very many.
DROP INDEX CONCURRENTLY IF EXISTS calls_state;
CREATE INDEX CONCURRENTLY calls_state ON calls (state, number);

SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout', 'transaction_timeout');

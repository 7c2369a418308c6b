-- +goose NO TRANSACTION
-- +goose Up

-- The key space of a call, from its document: no column, so that nothing is rewritten and what a process of the version before writes is indexed as
-- well. A document that is none has no key space: the index must never be what refuses a write. Most documents have none, and are not parsed to
-- learn it. The functions it uses are all of pg_catalog, since maintenance has a search_path of its own.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION key_space(doc bytea) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    IF pg_catalog.position(doc, '"keySpace"'::pg_catalog.bytea) = 0 THEN
        RETURN NULL;
    END IF;
    BEGIN
        RETURN pg_catalog.convert_from(doc, 'UTF8')::pg_catalog.json #>> '{key,keySpace}';
    EXCEPTION WHEN data_exception THEN
        RETURN NULL;
    END;
END
$$;
-- +goose StatementEnd

-- A statement that is made concurrently waits for every transaction in the database that is older, a backup of an hour among them. It holds no lock
-- that a process needs meanwhile, so nothing bounds it.
SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout', 'transaction_timeout');

-- The list of one key space. The unnamed one, which is that of every call of a ledger without producers, is not in it and costs nothing. One that was
-- not finished is of no use, and is made again.
DROP INDEX CONCURRENTLY IF EXISTS calls_key_space;
CREATE INDEX CONCURRENTLY calls_key_space ON calls (key_space(doc), number) WHERE key_space(doc) <> '';

SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout', 'transaction_timeout');

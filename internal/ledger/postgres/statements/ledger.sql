-- Server tells which server answers. The timeline is that of the log that is written now: the control file learns of a promotion at the next
-- checkpoint only.
-- name: Server :one
SELECT
    (SELECT system_identifier FROM pg_control_system())::text AS cluster,
    greatest(
        (SELECT timeline_id FROM pg_control_checkpoint())::bigint,
        CASE WHEN pg_is_in_recovery() THEN 0 ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
    )::bigint AS timeline;

-- name: Settings :one
SELECT current_setting('fsync')::text AS fsync, current_setting('full_page_writes')::text AS full_page_writes,
    current_setting('synchronous_commit')::text AS synchronous_commit;

-- name: ReadLedger :one
SELECT id, mode, proof, epoch, incarnation, cluster, timeline, needs, backup, restored, reading, beat,
    (SELECT coalesce(max(h.number), 0) FROM history h)::bigint AS high_water,
    coalesce((SELECT h.at FROM history h ORDER BY h.number DESC LIMIT 1), -9223372036854775808)::bigint AS last_write
FROM ledger;

-- name: MakeLedger :exec
WITH made AS (
    INSERT INTO ledger (id, created, mode, proof, epoch, incarnation, cluster, timeline, needs)
    VALUES (@id, @created, @mode, @proof, 1, @id, @cluster, @timeline, @needs)
    ON CONFLICT DO NOTHING
    RETURNING incarnation, epoch
)
INSERT INTO incarnations (incarnation, epoch) SELECT made.incarnation, made.epoch FROM made;

-- name: KnowsIncarnation :one
SELECT EXISTS (SELECT 1 FROM incarnations i WHERE i.incarnation = @incarnation);

-- name: BeginRecovery :one
WITH begun AS (
    UPDATE ledger SET epoch = epoch + 1, incarnation = @next, cluster = @cluster, timeline = @timeline, backup = @backup, restored = @restored
    WHERE ledger.incarnation = @before
    RETURNING ledger.incarnation, ledger.epoch
), kept AS (
    INSERT INTO incarnations (incarnation, epoch) SELECT begun.incarnation, begun.epoch FROM begun
)
SELECT begun.epoch FROM begun;

-- name: CloseRecovery :execrows
UPDATE ledger SET backup = NULL, restored = NULL WHERE backup IS NOT NULL AND incarnation = @incarnation;

-- name: SetReading :execrows
UPDATE ledger SET reading = @reading WHERE incarnation = @incarnation;

-- Beat judges as call.BeatCounts does.
-- name: Beat :exec
UPDATE ledger SET beat = @at::bigint WHERE beat IS NULL OR beat < @at::bigint OR beat > @ahead::bigint;

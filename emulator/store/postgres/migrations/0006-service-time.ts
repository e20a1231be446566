/**
 * Service time is the database's clock without its leaps, and nothing depends on a machine's clock any more: a replica is alive
 * while its counter of renewals grows, and moments that decide about rows are service time, ms.
 */
export const SERVICE_TIME = `
-- Replicas of earlier versions are not there any more.
UPDATE owner SET replica = NULL, epoch = epoch + 1;
DELETE FROM replica;

-- One row, changed by registered replicas alone.
CREATE TABLE service_clock (
  -- Service time minus the clock of the database: the leaps of that clock, taken back.
  offset_ms bigint NOT NULL DEFAULT 0,
  -- Highest service time that a replica has told.
  highest bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
INSERT INTO service_clock SELECT 0, coalesce(max(service_time), 0) FROM owner;
ALTER TABLE owner DROP COLUMN service_time;

ALTER TABLE replica DROP COLUMN until, DROP COLUMN service_time, DROP COLUMN begun_at,
  -- Counts renewals. Who sees it unchanged for a lease, by its own monotonic clock, may remove the row.
  ADD COLUMN renewals bigint NOT NULL DEFAULT 0,
  ADD COLUMN lease_ms bigint NOT NULL DEFAULT 0,
  -- Since when it takes parts, service time.
  ADD COLUMN begun_at bigint,
  -- Whether it knows the service time.
  ADD COLUMN knows_time boolean NOT NULL DEFAULT false,
  -- By how much the clock of its machine is ahead of the database's, ms.
  ADD COLUMN clock_ahead_ms bigint NOT NULL DEFAULT 0;

ALTER TABLE former_replica DROP COLUMN ended_at, ADD COLUMN ended_at bigint NOT NULL DEFAULT 0;
ALTER TABLE removed_record DROP COLUMN removed_at, ADD COLUMN removed_at bigint NOT NULL DEFAULT 0;
`;

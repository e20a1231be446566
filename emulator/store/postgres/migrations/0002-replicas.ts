/**
 * Several processes (replicas) on one database: who they are, which slot each has for its line of batches and its keys, and a
 * version of the records, which any of them may change.
 */
export const REPLICAS = `
-- Who uses the database. Anybody may remove one whose time is over, and with it all that it claims.
CREATE TABLE replica (
  id text PRIMARY KEY,
  -- Counts registrations: one that lost its row gets another.
  term bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  -- Its line of batches, and its keys: n * 64 + slot.
  slot smallint NOT NULL UNIQUE,
  -- Counts the connections that it wrote by: what one before the last has under way is not stored any more.
  session bigint NOT NULL DEFAULT 0,
  -- Where the others reach it. NULL: it has the database for itself.
  address text,
  version text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Since when it takes parts.
  begun_at timestamptz,
  until timestamptz NOT NULL,
  service_time bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- How far those had come in their lines that were removed: they may ask whether their last batch is stored.
CREATE TABLE former_replica (
  term bigint PRIMARY KEY,
  batch bigint NOT NULL,
  ended_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

UPDATE owner SET replica = NULL, epoch = epoch + 1;
ALTER TABLE owner DROP COLUMN until,
  -- The latest that an owner has told, when it lost the part or gave it away.
  ADD COLUMN service_time bigint NOT NULL DEFAULT 0;

CREATE TABLE records_line (version bigint NOT NULL) WITH (fillfactor = 40);
INSERT INTO records_line VALUES (1);
ALTER TABLE record DROP COLUMN part;
-- That of the line when the record was changed; 0 for one of use, which one replica alone changes.
UPDATE record SET version = CASE WHEN kind = 'usage' THEN 0 ELSE 1 END;
CREATE INDEX record_version ON record (version) WHERE kind <> 'usage';
CREATE TABLE removed_record (
  kind text NOT NULL,
  id bytea NOT NULL,
  version bigint NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, id)
);
CREATE INDEX removed_record_version ON removed_record (version);

-- An owner asks for what is due in its own parts.
DROP INDEX job_due;
CREATE INDEX job_due ON job ((queue & 63), due_at_rest, seq) WHERE due_at_rest IS NOT NULL;
DROP INDEX delivery_due;
CREATE INDEX delivery_due ON delivery (part, next_try_at, seq, origin) WHERE next_try_at IS NOT NULL;
`;

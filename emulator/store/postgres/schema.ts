/**
 * The tables of the database, named as in SQLite. Texts of users are bytes (see `stored-text.ts`); JSON is text. The server
 * checks its own pages. `content_checksum` covers the bytes of a payload, wherever they are.
 *
 * All endpoints are spread over 64 partitions. Keys of queues count up in each partition, `n * 64 + partition`, so that owners of
 * different partitions never assign the same key.
 */

export interface Migration {
  /** Statements that migrate from the previous schema. Empty if only the content of the tables changes. */
  readonly sql: string;
  /**
   * Lowest schema that a version must know to continue working: it can read everything that later versions write, and loses
   * nothing when it writes.
   */
  readonly readableBy: number;
}

/** Increased with every change of the stored data, until the first release. */
export const SCHEMA_VERSION = 9;

/** Steps from `SCHEMA` to the current tables, one for each change after the first release. Never change a released step. */
export const MIGRATIONS: readonly Migration[] = [];

/** Tables with few rows that are updated all the time. */
const HOT =
  "WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)";

export const SCHEMA = `
-- Ends a transaction that does not fit to what is stored.
CREATE FUNCTION refuse(what text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SVR01', MESSAGE = what;
END $body$;

-- Processes that use the database. Any replica may remove one whose lease is over, and with it all that it claims.
CREATE TABLE replica (
  id text PRIMARY KEY,
  -- Counts registrations: a replica that lost its row gets another term.
  term bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  -- Its line of batches, and its keys: n * 64 + slot.
  slot smallint NOT NULL UNIQUE,
  -- Counts the connections that it wrote by: nothing is stored any more by one before the last.
  session bigint NOT NULL DEFAULT 0,
  -- Where other replicas reach it. NULL: it has the database for itself.
  address text,
  -- Where workers from elsewhere reach it. NULL: nowhere.
  worker_address text,
  version text NOT NULL,
  -- Highest schema that its version knows.
  knows smallint NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Counts renewals. A replica that sees it unchanged for a lease, by its own monotonic clock, may remove the row.
  renewals bigint NOT NULL DEFAULT 0,
  lease_ms bigint NOT NULL,
  -- Since when it takes partitions, service time.
  begun_at bigint,
  -- Whether it knows the service time.
  knows_time boolean NOT NULL DEFAULT false,
  -- How far the clock of its machine is ahead of the clock of the database, ms.
  clock_ahead_ms bigint NOT NULL DEFAULT 0
) ${HOT};

-- Last batch of each replica that was removed: it may ask whether that batch is stored.
CREATE TABLE former_replica (
  term bigint PRIMARY KEY,
  batch bigint NOT NULL,
  ended_at bigint NOT NULL
);

-- The replica that alone writes what belongs to a partition. The epoch counts changes of the owner.
CREATE TABLE owner (
  partition smallint PRIMARY KEY,
  replica text,
  epoch bigint NOT NULL
) ${HOT};
INSERT INTO owner SELECT partition, NULL, 0 FROM generate_series(0, 63) AS partition;

-- How far each line of batches has come; the line of a replica is that of its slot.
CREATE TABLE writer (
  partition smallint PRIMARY KEY,
  last_seq bigint NOT NULL,
  batch bigint NOT NULL
) ${HOT};

-- One row, changed by registered replicas alone.
CREATE TABLE service_clock (
  -- Service time minus the clock of the database: the leaps of that clock, taken back.
  offset_ms bigint NOT NULL,
  -- Highest service time that a replica has told.
  highest bigint NOT NULL
) ${HOT};
INSERT INTO service_clock VALUES (0, 0);

-- One row for each endpoint that ever had a job: a short key for its jobs, and its counters.
CREATE TABLE queue (
  queue integer PRIMARY KEY,
  endpoint_id bytea NOT NULL UNIQUE,
  in_queue bigint NOT NULL,
  in_progress bigint NOT NULL,
  in_queue_low_priority bigint NOT NULL,
  in_progress_low_priority bigint NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  retried bigint NOT NULL
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE TABLE job (
  seq bigint PRIMARY KEY,
  id bytea NOT NULL CONSTRAINT job_id UNIQUE,
  queue integer NOT NULL,
  kind smallint NOT NULL,
  status smallint NOT NULL,
  queue_key bigint NOT NULL,
  submitted_at bigint NOT NULL,
  queued_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  delay_time_ms bigint,
  execution_time_ms bigint,
  execution_timeout_ms bigint NOT NULL,
  ttl_at bigint NOT NULL,
  ttl_pinned smallint NOT NULL,
  retention_ms bigint NOT NULL,
  low_priority smallint NOT NULL,
  webhook bytea,
  attempt bigint NOT NULL,
  lost_count bigint NOT NULL,
  error_count bigint NOT NULL,
  retries bigint NOT NULL,
  lease_token bytea,
  lease_worker_id bytea,
  lease_expires_at bigint,
  worker_id bytea,
  failure text,
  chunk_count bigint NOT NULL,
  chunks_read bigint NOT NULL,
  due_at bigint NOT NULL,
  lease_overrun_at bigint,
  traceparent bytea,
  earlier_attempts text,
  version bigint,
  worker_start text,
  -- due_at, unless the job runs: the renewal of a lease leaves all indexes as they are, and the row on its page.
  due_at_rest bigint
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX job_by_queue ON job (queue, seq);
CREATE INDEX job_by_status ON job (queue, status, seq);
CREATE INDEX job_waiting ON job (queue, queue_key, seq) WHERE status = 0;
CREATE INDEX job_scaling ON job (queue, queued_at) WHERE status = 0 AND low_priority = 0;
-- An owner asks for what is due in its own partitions.
CREATE INDEX job_due ON job ((queue & 63), due_at_rest, seq) WHERE due_at_rest IS NOT NULL;
CREATE INDEX job_submitted ON job (submitted_at, seq);

CREATE TABLE payload (
  -- seq * 4 + slot
  place bigint PRIMARY KEY,
  -- The bytes, or NULL where they are in the bucket under the name.
  body bytea,
  name text,
  size_bytes bigint NOT NULL,
  content_checksum bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- Not compressed: the server's time costs more than its disk.
ALTER TABLE payload ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX payload_name ON payload (name) WHERE name IS NOT NULL;

CREATE TABLE chunk_batch (
  seq bigint NOT NULL,
  first_index bigint NOT NULL,
  count bigint NOT NULL,
  size_bytes bigint NOT NULL,
  body bytea,
  name text,
  file_offset bigint NOT NULL,
  content_checksum bigint NOT NULL,
  PRIMARY KEY (seq, first_index)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE chunk_batch ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX chunk_batch_name ON chunk_batch (name) WHERE name IS NOT NULL;

-- The version of all records together, which any replica may change.
CREATE TABLE records_line (version bigint NOT NULL) WITH (fillfactor = 40);
INSERT INTO records_line VALUES (1);

CREATE TABLE record (
  kind text NOT NULL,
  id bytea NOT NULL,
  json text NOT NULL,
  -- Version of the records when it was changed; 0 for a record of usage, which one replica alone changes.
  version bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX record_version ON record (version) WHERE kind <> 'usage';

CREATE TABLE removed_record (
  kind text NOT NULL,
  id bytea NOT NULL,
  version bigint NOT NULL,
  removed_at bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX removed_record_version ON removed_record (version);

CREATE TABLE delivery (
  seq bigint PRIMARY KEY,
  id bytea NOT NULL CONSTRAINT delivery_id UNIQUE,
  job_id bytea NOT NULL,
  endpoint_id bytea NOT NULL,
  job_status text NOT NULL,
  url bytea NOT NULL,
  origin bytea NOT NULL,
  state smallint NOT NULL,
  created_at bigint NOT NULL,
  next_try_at bigint,
  settled_at bigint,
  tries_left bigint NOT NULL,
  size_bytes bigint NOT NULL,
  tries text NOT NULL,
  sent_headers text,
  traceparent bytea,
  -- The text of the body before and after the output.
  head bytea NOT NULL,
  tail bytea NOT NULL,
  partition smallint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
CREATE INDEX delivery_of_job ON delivery (job_id, seq) WHERE state = 0;
CREATE INDEX delivery_due ON delivery (partition, next_try_at, seq, origin) WHERE next_try_at IS NOT NULL;
CREATE INDEX delivery_settled ON delivery (settled_at, seq, size_bytes) WHERE settled_at IS NOT NULL;

CREATE TABLE report (
  seq bigint PRIMARY KEY,
  job_id bytea NOT NULL UNIQUE,
  endpoint_id bytea NOT NULL,
  deleted_at bigint NOT NULL,
  size_bytes bigint NOT NULL,
  job text NOT NULL,
  partition smallint NOT NULL
);
CREATE INDEX report_deleted ON report (deleted_at, seq, size_bytes);
`;

/**
 * The first schema: the tables of the SQLite store, named as there. Texts of users are bytes (see `stored-text.ts`), what is JSON
 * is text. A checksum in a row is over the values that the one in SQLite is over.
 *
 * Keys of queues are counted up in each part apart, `n * 64 + part`, so that owners of different parts never give the same.
 */
export const FIRST_SCHEMA = `
-- Ends a transaction that does not fit to what is stored.
CREATE FUNCTION refuse(what text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'SVR01', MESSAGE = what;
END $body$;

-- Who writes what belongs to a part. Its epoch is counted up whenever it changes hands, and when its owner lost a connection.
CREATE TABLE owner (
  part smallint PRIMARY KEY,
  replica text,
  epoch bigint NOT NULL,
  until timestamptz
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
INSERT INTO owner SELECT part, NULL, 0, NULL FROM generate_series(0, 63) AS part;

-- How far a line of batches has come. It goes with a part, so that several owners can each have a line of their own: one owner
-- of all parts has one line, that of part 0. The keys in a line of another part would be n * 64 + part, which no other gives.
CREATE TABLE writer (
  part smallint PRIMARY KEY,
  last_seq bigint NOT NULL,
  batch bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE queue (
  queue integer PRIMARY KEY,
  endpoint_id bytea NOT NULL UNIQUE,
  in_queue bigint NOT NULL,
  in_progress bigint NOT NULL,
  in_queue_low_priority bigint NOT NULL,
  in_progress_low_priority bigint NOT NULL,
  completed bigint NOT NULL,
  failed bigint NOT NULL,
  retried bigint NOT NULL,
  checksum bigint NOT NULL
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
  checksum bigint NOT NULL,
  -- due_at, unless the job runs: a lease that is renewed leaves all indexes as they are, and the row on its page.
  due_at_rest bigint
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX job_by_queue ON job (queue, seq);
CREATE INDEX job_by_status ON job (queue, status, seq);
CREATE INDEX job_waiting ON job (queue, queue_key, seq) WHERE status = 0;
CREATE INDEX job_scaling ON job (queue, queued_at) WHERE status = 0 AND low_priority = 0;
CREATE INDEX job_due ON job (due_at_rest, seq) WHERE due_at_rest IS NOT NULL;
CREATE INDEX job_submitted ON job (submitted_at, seq);

-- A body lies here, or in the store of large payloads under a name.
CREATE TABLE payload (
  -- seq * 4 + slot
  place bigint PRIMARY KEY,
  body bytea,
  name text,
  size_bytes bigint NOT NULL,
  content_checksum bigint NOT NULL,
  checksum bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- The server's time is dearer than its disk.
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
  checksum bigint NOT NULL,
  PRIMARY KEY (seq, first_index)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE chunk_batch ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX chunk_batch_name ON chunk_batch (name) WHERE name IS NOT NULL;

CREATE TABLE record (
  kind text NOT NULL,
  id bytea NOT NULL,
  json text NOT NULL,
  checksum bigint NOT NULL,
  part smallint NOT NULL,
  -- Counted up with each change, for others who hold the record in memory.
  version bigint NOT NULL DEFAULT 1,
  PRIMARY KEY (kind, id)
);

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
  checksum bigint NOT NULL,
  head bytea NOT NULL,
  tail bytea NOT NULL,
  frame_checksum bigint NOT NULL,
  part smallint NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
CREATE INDEX delivery_of_job ON delivery (job_id, seq) WHERE state = 0;
CREATE INDEX delivery_due ON delivery (next_try_at, seq, origin) WHERE next_try_at IS NOT NULL;
CREATE INDEX delivery_settled ON delivery (settled_at, seq, size_bytes) WHERE settled_at IS NOT NULL;

CREATE TABLE report (
  seq bigint PRIMARY KEY,
  job_id bytea NOT NULL UNIQUE,
  endpoint_id bytea NOT NULL,
  deleted_at bigint NOT NULL,
  size_bytes bigint NOT NULL,
  job text NOT NULL,
  checksum bigint NOT NULL,
  part smallint NOT NULL
);
CREATE INDEX report_deleted ON report (deleted_at, seq, size_bytes);
`;

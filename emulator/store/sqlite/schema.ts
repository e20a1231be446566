/** The tables of the store's database. Names with numbers in the code, such as statuses, are stored as these numbers. */
import type { Schema } from "../../sqlite/schema-version.ts";
import { rowChecksum } from "./row-checksum.ts";

/**
 * Jobs are narrow rows with ascending keys. A change of status rewrites little, and a long queue costs no more than a short one.
 * Payloads of jobs are rows of other tables. `checksum` covers the other values of its row; `content_checksum` covers the bytes
 * of a payload.
 */
const SQL = `
CREATE TABLE sequence (
  -- Highest key that was given.
  reserved_seq INTEGER NOT NULL,
  -- Number of the last batch.
  commit_number INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
INSERT INTO sequence VALUES (0, 0, ${rowChecksum([0, 0])});

-- One row for each endpoint that ever had a job: a short key for its jobs, and its counters.
CREATE TABLE queue (
  queue INTEGER PRIMARY KEY,
  endpoint_id TEXT NOT NULL UNIQUE,
  in_queue INTEGER NOT NULL,
  in_progress INTEGER NOT NULL,
  in_queue_low_priority INTEGER NOT NULL,
  in_progress_low_priority INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  retried INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);

CREATE TABLE job (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  queue INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  status INTEGER NOT NULL,
  queue_key INTEGER NOT NULL,
  submitted_at INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  delay_time_ms INTEGER,
  execution_time_ms INTEGER,
  execution_timeout_ms INTEGER NOT NULL,
  ttl_at INTEGER NOT NULL,
  ttl_pinned INTEGER NOT NULL,
  retention_ms INTEGER NOT NULL,
  low_priority INTEGER NOT NULL,
  webhook TEXT,
  attempt INTEGER NOT NULL,
  lost_count INTEGER NOT NULL,
  error_count INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  lease_token TEXT,
  lease_worker_id TEXT,
  lease_expires_at INTEGER,
  worker_id TEXT,
  failure TEXT,
  chunk_count INTEGER NOT NULL,
  chunks_read INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  -- The service ends a job then that its worker did not end; NULL while a debugger holds the job.
  lease_overrun_at INTEGER,
  traceparent TEXT,
  earlier_attempts TEXT,
  version INTEGER,
  worker_start TEXT,
  checksum INTEGER NOT NULL
);
CREATE INDEX job_by_queue ON job (queue);
CREATE INDEX job_by_status ON job (queue, status);
CREATE INDEX job_waiting ON job (queue, queue_key) WHERE status = 0;
CREATE INDEX job_scaling ON job (queue, queued_at) WHERE status = 0 AND low_priority = 0;
CREATE INDEX job_running ON job (worker_id) WHERE status = 1;
CREATE INDEX job_due ON job (due_at);

CREATE TABLE payload (
  -- seq * 4 + slot
  place INTEGER PRIMARY KEY,
  -- BLOB: the bytes. TEXT: the name of a payload file, which several rows may share.
  body ANY NOT NULL,
  size_bytes INTEGER NOT NULL,
  content_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL
);
CREATE INDEX payload_file ON payload (place) WHERE typeof(body) = 'text';
-- Finds other rows with the same file.
CREATE INDEX payload_shared_file ON payload (body) WHERE typeof(body) = 'text';

-- Chunks in the batches in which they came. With a rowid: batches of concurrent jobs are appended to the table.
CREATE TABLE chunk_batch (
  seq INTEGER NOT NULL,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- BLOB: the lines, each with a line feed. TEXT: the name of a payload file with them.
  body ANY NOT NULL,
  -- Where the lines begin in the file.
  file_offset INTEGER NOT NULL,
  content_checksum INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (seq, first_index)
);
CREATE INDEX chunk_batch_file ON chunk_batch (seq) WHERE typeof(body) = 'text';

-- Whole records as JSON.
CREATE TABLE record (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  json TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;

-- Webhook deliveries; their payloads are in the table payload.
CREATE TABLE delivery (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  job_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  job_status TEXT NOT NULL,
  url TEXT NOT NULL,
  origin TEXT NOT NULL,
  state INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  next_try_at INTEGER,
  settled_at INTEGER,
  tries_left INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- JSON
  tries TEXT NOT NULL,
  sent_headers TEXT,
  traceparent TEXT,
  checksum INTEGER NOT NULL,
  -- The text of the body before and after the output. It never changes and has a checksum of its own.
  head TEXT NOT NULL,
  tail TEXT NOT NULL,
  frame_checksum INTEGER NOT NULL
);
CREATE INDEX delivery_of_job ON delivery (job_id, seq) WHERE state = 0;
-- Covers the whole question: a receiver that does not answer may have a long queue.
CREATE INDEX delivery_due ON delivery (next_try_at, seq, origin) WHERE next_try_at IS NOT NULL;
CREATE INDEX delivery_settled ON delivery (settled_at, seq, size_bytes) WHERE settled_at IS NOT NULL;

-- Reports on jobs that failed and were deleted; each has its job as JSON.
CREATE TABLE report (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  endpoint_id TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  job TEXT NOT NULL,
  checksum INTEGER NOT NULL
);
-- Covers the question for reports that are no longer kept.
CREATE INDEX report_deleted ON report (deleted_at, seq, size_bytes);
`;

export const STORE_SCHEMA: Schema = { version: 10, sql: SQL };

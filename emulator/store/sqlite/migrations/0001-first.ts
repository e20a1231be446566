/**
 * The first schema. Jobs are narrow rows under ascending keys, so that changing a status rewrites little and a long
 * queue costs no more than a short one; payloads lie beside them. Statuses and kinds are numbers, see `job-columns.ts`.
 */
export const FIRST_SCHEMA = `
CREATE TABLE sequence (
  -- No key above this one has ever been given.
  reserved_seq INTEGER NOT NULL
);
INSERT INTO sequence VALUES (0);

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
  retried INTEGER NOT NULL
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
  due_at INTEGER NOT NULL
);
CREATE INDEX job_by_queue ON job (queue);
CREATE INDEX job_waiting ON job (queue, queue_key) WHERE status = 0;
CREATE INDEX job_scaling ON job (queue, queued_at) WHERE status = 0 AND low_priority = 0;
CREATE INDEX job_running ON job (worker_id) WHERE status = 1;
CREATE INDEX job_due ON job (due_at);

-- A body that is TEXT is the name of a payload file, one that is BLOB the payload itself.
CREATE TABLE payload (
  -- seq * 4 + slot
  place INTEGER PRIMARY KEY,
  body ANY NOT NULL
);
CREATE INDEX payload_file ON payload (place) WHERE typeof(body) = 'text';

-- With a rowid: the chunks of jobs that run beside each other are then simply appended.
CREATE TABLE chunk (
  seq INTEGER NOT NULL,
  position INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  body ANY NOT NULL,
  PRIMARY KEY (seq, position)
);
CREATE INDEX chunk_file ON chunk (seq) WHERE typeof(body) = 'text';

-- Records kept whole, as JSON.
CREATE TABLE record (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
`;

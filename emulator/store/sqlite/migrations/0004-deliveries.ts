/** Webhook deliveries. States are numbers, see `delivery-table.ts`; payloads lie in `payload`, where files may now be shared. */
export const DELIVERIES = `
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
  -- The texts of the body before and behind the output.
  head TEXT NOT NULL,
  tail TEXT NOT NULL
);
CREATE INDEX delivery_of_job ON delivery (job_id, seq) WHERE state = 0;
-- With all that is asked of it, for a receiver that does not answer may have a long queue.
CREATE INDEX delivery_due ON delivery (next_try_at, seq, origin) WHERE next_try_at IS NOT NULL;
CREATE INDEX delivery_settled ON delivery (settled_at, seq, size_bytes) WHERE settled_at IS NOT NULL;

-- Finds out whether another row has the same file.
CREATE INDEX payload_shared_file ON payload (body) WHERE typeof(body) = 'text';
`;

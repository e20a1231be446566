/**
 * Every row has a checksum over its values, every payload its length and a checksum over its bytes; and the number of the
 * last commit is kept. What was stored before gets the checksums of what it is now.
 *
 * `row_checksum`, `content_checksum`, `file_bytes` and `file_checksum` are functions of `integrity/checksum-functions.ts`. The checksum of a file
 * that is not there is -1, which none has.
 */
export const CHECKSUMS = `
ALTER TABLE sequence ADD COLUMN commit_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sequence ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE sequence SET checksum = row_checksum(reserved_seq, commit_number);

ALTER TABLE queue ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE queue SET checksum = row_checksum(queue, endpoint_id, in_queue, in_progress, in_queue_low_priority,
  in_progress_low_priority, completed, failed, retried);

ALTER TABLE job ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE job SET checksum = row_checksum(seq, id, queue, kind, status, queue_key, submitted_at, queued_at, started_at, ended_at,
  delay_time_ms, execution_time_ms, execution_timeout_ms, ttl_at, ttl_pinned, retention_ms, low_priority, webhook, attempt,
  lost_count, error_count, retries, lease_token, lease_worker_id, lease_expires_at, worker_id, failure, chunk_count,
  chunks_read, due_at, lease_overrun_at, traceparent);

ALTER TABLE record ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE record SET checksum = row_checksum(kind, id, json);

-- The texts around the payloads never change, and have a checksum of their own.
ALTER TABLE delivery ADD COLUMN frame_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE delivery SET frame_checksum = row_checksum(seq, head, tail), checksum = row_checksum(seq, id, job_id, endpoint_id,
  job_status, url, origin, state, created_at, next_try_at, settled_at, tries_left, size_bytes, tries, sent_headers,
  traceparent);

ALTER TABLE payload ADD COLUMN size_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payload ADD COLUMN content_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payload ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE payload SET
  size_bytes = iif(typeof(body) = 'text', file_bytes(body), length(body)),
  content_checksum = iif(typeof(body) = 'text', file_checksum(body, 0, file_bytes(body)), content_checksum(body));
UPDATE payload SET checksum =
  row_checksum(place, iif(typeof(body) = 'text', body, NULL), size_bytes, content_checksum);

ALTER TABLE chunk_batch ADD COLUMN content_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunk_batch ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE chunk_batch SET content_checksum =
  iif(typeof(body) = 'text', file_checksum(body, file_offset, size_bytes), content_checksum(body));
UPDATE chunk_batch SET checksum =
  row_checksum(seq, first_index, count, size_bytes, iif(typeof(body) = 'text', body, NULL), file_offset, content_checksum);
`;

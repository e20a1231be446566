/** The attempts at a job before the last one, the version its worker served, and how that became ready. */
export const ATTEMPTS_SCHEMA = `
ALTER TABLE job ADD COLUMN earlier_attempts TEXT;
ALTER TABLE job ADD COLUMN version INTEGER;
ALTER TABLE job ADD COLUMN worker_start TEXT;
UPDATE job SET checksum = row_checksum(seq, id, queue, kind, status, queue_key, submitted_at, queued_at, started_at, ended_at,
  delay_time_ms, execution_time_ms, execution_timeout_ms, ttl_at, ttl_pinned, retention_ms, low_priority, webhook, attempt,
  lost_count, error_count, retries, lease_token, lease_worker_id, lease_expires_at, worker_id, failure, chunk_count,
  chunks_read, due_at, lease_overrun_at, traceparent, earlier_attempts, version, worker_start);
`;

/** Reports on jobs that failed and were deleted, each with the job as JSON. */
export const REPORTS_SCHEMA = `
CREATE TABLE report (
  seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  endpoint_id TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  job TEXT NOT NULL,
  checksum INTEGER NOT NULL
);
-- With all that is looked at to find those that are kept no longer.
CREATE INDEX report_deleted ON report (deleted_at, seq, size_bytes);
`;

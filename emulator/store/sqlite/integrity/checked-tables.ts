/** Which values the checksums in the rows of each table cover, for code that goes through all tables. */
import { COLUMNS } from "../../rows/job-columns.ts";

export interface CheckedTable {
  readonly name: string;
  /** What the checksum is over, in order, and then the checksum. */
  readonly checked: readonly string[];
}

/** Instead of the bytes, which have a checksum of their own. */
const FILE = "iif(typeof(body) = 'text', body, NULL)";

export const CHECKED_TABLES: readonly CheckedTable[] = [
  { name: "sequence", checked: ["reserved_seq", "commit_number", "checksum"] },
  {
    name: "queue",
    checked: [
      ...["queue", "endpoint_id", "in_queue", "in_progress", "in_queue_low_priority"],
      ...["in_progress_low_priority", "completed", "failed", "retried", "checksum"],
    ],
  },
  { name: "job", checked: [...COLUMNS, "checksum"] },
  { name: "payload", checked: ["place", FILE, "size_bytes", "content_checksum", "checksum"] },
  {
    name: "chunk_batch",
    checked: [
      ...["seq", "first_index", "count", "size_bytes", FILE],
      ...["file_offset", "content_checksum", "checksum"],
    ],
  },
  { name: "record", checked: ["kind", "id", "json", "checksum"] },
  {
    name: "delivery",
    checked: [
      ...["seq", "id", "job_id", "endpoint_id", "job_status", "url", "origin", "state"],
      ...["created_at", "next_try_at", "settled_at", "tries_left", "size_bytes", "tries"],
      ...["sent_headers", "traceparent", "checksum"],
    ],
  },
  { name: "delivery", checked: ["seq", "head", "tail", "frame_checksum"] },
  {
    name: "report",
    checked: ["seq", "job_id", "endpoint_id", "deleted_at", "size_bytes", "job", "checksum"],
  },
];

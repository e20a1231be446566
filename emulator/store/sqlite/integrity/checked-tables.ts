/** Lists the values that the checksums of each table cover, for code that reads all tables. */
import { DELIVERY, FRAME } from "../../rows/delivery-columns.ts";
import { COLUMNS } from "../../rows/job-columns.ts";
import { QUEUE } from "../../rows/queue-columns.ts";
import { REPORT } from "../../rows/report-columns.ts";

export interface CheckedTable {
  readonly name: string;
  /** The values that the checksum covers, in order. The checksum follows them. */
  readonly checked: readonly string[];
}

/** The file's name, in place of the bytes, which have their own checksum. */
const FILE = "iif(typeof(body) = 'text', body, NULL)";

export const CHECKED_TABLES: readonly CheckedTable[] = [
  { name: "sequence", checked: ["reserved_seq", "commit_number", "checksum"] },
  { name: "queue", checked: [...Object.keys(QUEUE), "checksum"] },
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
  { name: "delivery", checked: [...Object.keys(DELIVERY), "checksum"] },
  { name: "delivery", checked: [...Object.keys(FRAME), "frame_checksum"] },
  { name: "report", checked: [...Object.keys(REPORT), "checksum"] },
];

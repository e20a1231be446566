/** How the counters of an endpoint become a row and a row counters. */
import type { SQLOutputValue } from "node:sqlite";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import { integerAt, type Row, textAt } from "../../sqlite/row.ts";
import { checkedRow } from "./checked-row.ts";
import { rowChecksum } from "./checksum.ts";

/** A short key for the jobs of an endpoint, and its counters. */
export interface Queue {
  readonly key: number;
  readonly endpointId: string;
  counts: JobCounts;
}

/** The columns of a whole row, in their order. */
export const SELECTED = `queue, endpoint_id, in_queue, in_progress, in_queue_low_priority, in_progress_low_priority,
  completed, failed, retried, checksum`;

/** The values of `SELECTED`. */
export function queueRow(key: number, endpointId: string, counts: JobCounts): SQLOutputValue[] {
  const { inQueue, inProgress, inQueueLowPriority, inProgressLowPriority } = counts;
  const waiting = [inQueue, inProgress, inQueueLowPriority, inProgressLowPriority];
  const values = [key, endpointId, ...waiting, counts.completed, counts.failed, counts.retried];
  return [...values, rowChecksum(values)];
}

export function readQueue(stored: Row): Queue {
  const row = checkedRow(stored, "queue");
  return {
    key: integerAt(row, 0),
    endpointId: textAt(row, 1),
    counts: {
      inQueue: integerAt(row, 2),
      inProgress: integerAt(row, 3),
      inQueueLowPriority: integerAt(row, 4),
      inProgressLowPriority: integerAt(row, 5),
      completed: integerAt(row, 6),
      failed: integerAt(row, 7),
      retried: integerAt(row, 8),
    },
  };
}

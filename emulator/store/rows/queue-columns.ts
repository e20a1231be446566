/** Converts the counters of endpoints to rows and back. */
import type { SQLOutputValue } from "node:sqlite";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import { integerAt, type Row, textAt } from "../../sqlite/row.ts";
import type { Columns } from "./columns.ts";

/** A short key for the jobs of an endpoint, and its counters. */
export interface Queue {
  readonly key: number;
  readonly endpointId: string;
  counts: JobCounts;
}

export const QUEUE = {
  queue: "integer",
  endpoint_id: "text",
  in_queue: "integer",
  in_progress: "integer",
  in_queue_low_priority: "integer",
  in_progress_low_priority: "integer",
  completed: "integer",
  failed: "integer",
  retried: "integer",
} as const satisfies Columns;

export function queueRow(key: number, endpointId: string, counts: JobCounts): SQLOutputValue[] {
  const { inQueue, inProgress, inQueueLowPriority, inProgressLowPriority } = counts;
  const waiting = [inQueue, inProgress, inQueueLowPriority, inProgressLowPriority];
  return [key, endpointId, ...waiting, counts.completed, counts.failed, counts.retried];
}

export function readQueue(row: Row): Queue {
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

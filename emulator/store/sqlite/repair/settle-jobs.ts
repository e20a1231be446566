/** Adjusts the jobs of a rebuilt database to their kept data, and counts them. */
import type { DatabaseSync } from "node:sqlite";
import { countChange, type JobCounts, NO_COUNTS } from "../../../core/jobs/job-counts.ts";
import { transition } from "../../../core/jobs/job-transition.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { COLUMNS, jobOf, valuesOf, withEndpoint } from "../../rows/job-columns.ts";
import { checkedRow, withChecksum } from "../row-checksum.ts";
import { PLACES_PER_JOB } from "../../rows/payload-columns.ts";
import { queueRow } from "../../rows/queue-columns.ts";
import { integerAt, rowsOf, textAt } from "../../../sqlite/row.ts";
import type { Rebuilt } from "./rebuild.ts";

const SELECTED = `${COLUMNS.join(", ")}, checksum`;

/**
 * Ends the jobs that have lost their output or part of their stream, and returns their ids. Writes the counters of all queues.
 * Inputs are checked when a job is handed over.
 *
 * @param now service time of their end
 */
export function settleJobs(db: DatabaseSync, rebuilt: Rebuilt, now: number): string[] {
  const queues = new Map<number, string>();
  for (const row of rowsOf(db, "SELECT queue, endpoint_id FROM queue"))
    queues.set(integerAt(row, 0), textAt(row, 1));
  const counts = new Map<string, JobCounts>();
  const ended: string[] = [];
  const rows = [...rowsOf(db, `SELECT ${SELECTED} FROM job`)];
  for (const row of rows) {
    const job = jobOf(withEndpoint(checkedRow(row, "job"), (queue) => queues.get(queue) ?? ""));
    const settled = settledJob(db, job, rebuilt, now);
    if (settled !== job) {
      rewrite(db, settled, integerAt(row, 2));
      if (settled.status === "FAILED") ended.push(job.id);
    }
    const before = counts.get(job.endpointId) ?? NO_COUNTS;
    counts.set(job.endpointId, countChange(before, undefined, settled));
  }
  for (const [key, endpointId] of queues) writeCounts(db, key, endpointId, counts.get(endpointId));
  return ended;
}

function settledJob(
  db: DatabaseSync,
  job: Job,
  { outputsLost, outputsInDoubt }: Rebuilt,
  now: number,
): Job {
  // An unfinished job runs again from its beginning.
  if (job.status === "IN_QUEUE" || job.status === "IN_PROGRESS") return job;
  const chunkCount = job.chunkCount === 0 ? 0 : wholeChunks(db, job.seq);
  const hasLostOutput =
    outputsLost.has(job.seq) ||
    (outputsInDoubt && job.status === "COMPLETED" && !hasOutput(db, job.seq));
  if (chunkCount === job.chunkCount && !hasLostOutput) return job;
  const message = hasLostOutput
    ? "the output could not be kept when the data directory was repaired"
    : "part of the stream could not be kept when the data directory was repaired";
  const failure = { type: "data_damaged", message } as const;
  const moved = transition(job, { type: "damage", failure }, now);
  db.prepare("DELETE FROM chunk_batch WHERE seq = ? AND first_index >= ?").run(job.seq, chunkCount);
  return {
    ...(moved.result === "changed" ? moved.job : job),
    chunkCount,
    chunksRead: Math.min(job.chunksRead, chunkCount),
  };
}

/** Returns the number of chunks before the first missing one. */
function wholeChunks(db: DatabaseSync, seq: number): number {
  let count = 0;
  const rows = rowsOf(
    db,
    `SELECT first_index, count FROM chunk_batch WHERE seq = ${seq} ORDER BY first_index`,
  );
  for (const row of rows) {
    if (integerAt(row, 0) !== count) break;
    count += integerAt(row, 1);
  }
  return count;
}

function hasOutput(db: DatabaseSync, seq: number): boolean {
  const place = seq * PLACES_PER_JOB + 1;
  return db.prepare("SELECT 1 FROM payload WHERE place = ?").get(place) !== undefined;
}

function rewrite(db: DatabaseSync, job: Job, queue: number): void {
  const values = withChecksum(valuesOf(job, queue));
  const places = values.map(() => "?").join(", ");
  db.prepare(`INSERT OR REPLACE INTO job (${SELECTED}) VALUES (${places})`).run(...values);
}

/** Writes the counters. Keeps stored totals that are higher, because they also count deleted jobs. */
function writeCounts(
  db: DatabaseSync,
  key: number,
  endpointId: string,
  counted: JobCounts = NO_COUNTS,
): void {
  const [stored = []] = rowsOf(
    db,
    `SELECT completed, failed, retried FROM queue WHERE queue = ${key}`,
  );
  const totals = {
    completed: Math.max(integerAt(stored, 0), counted.completed),
    failed: Math.max(integerAt(stored, 1), counted.failed),
    retried: Math.max(integerAt(stored, 2), counted.retried),
  };
  const row = withChecksum(queueRow(key, endpointId, { ...counted, ...totals }));
  const places = row.map(() => "?").join(", ");
  db.prepare(`INSERT OR REPLACE INTO queue VALUES (${places})`).run(...row);
}

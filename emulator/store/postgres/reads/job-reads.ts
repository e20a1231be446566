/** Queries for jobs. Each uses its index, without sorting. */
import type { Job } from "../../../core/jobs/job.ts";
import { COLUMNS, jobOf, withEndpoint } from "../../rows/job-columns.ts";
import type { Session, Statement } from "../connect/session.ts";
import { listOf, rowReader } from "../values/columns.ts";
import { JOB } from "../writes/job-writes.ts";
import type { Queues } from "../writes/queues.ts";

const read = rowReader(JOB);
const FIRST = Number.MIN_SAFE_INTEGER;
const LAST = Number.MAX_SAFE_INTEGER;
const selected = (rest: string) => `SELECT ${COLUMNS.join(", ")} FROM job ${rest}`;

/**
 * Texts of the statements by name. A test checks that each uses its index. Bounds are whole keys of the index: with
 * `queue = ANY (…)` the planner would instead scan the jobs of all these queues by their primary key.
 */
export const JOB_QUESTIONS = {
  "job-by-id": selected("WHERE id = $1"),
  "jobs-by-seq": selected("WHERE seq = ANY($1::bigint[])"),
  "waiting-jobs": selected(
    "WHERE queue = $1 AND status = 0 AND queue_key > $2 ORDER BY queue_key, seq LIMIT $3",
  ),
  "jobs-of-endpoint": selected(
    `WHERE (queue, seq) > ($1, $2) AND (queue, seq) <= ($1, ${LAST}) ORDER BY queue, seq LIMIT $3`,
  ),
  "newest-jobs": selected(
    `WHERE (queue, seq) < ($1, $2) AND (queue, seq) >= ($1, ${FIRST}) ORDER BY queue DESC, seq DESC LIMIT $3`,
  ),
  "newest-jobs-of-status": selected(
    `WHERE (queue, status, seq) < ($1, $2, $3) AND (queue, status, seq) >= ($1, $2, ${FIRST})
     ORDER BY queue DESC, status DESC, seq DESC LIMIT $4`,
  ),
  "due-jobs": `SELECT found.* FROM unnest($3::bigint[]) AS own (partition) CROSS JOIN LATERAL (
      ${selected("WHERE (queue & 63) = own.partition AND due_at_rest <= $1 ORDER BY due_at_rest, seq LIMIT $2")}) AS found
    ORDER BY found.due_at, found.seq LIMIT $2`,
  "next-due": `SELECT found.due_at_rest FROM unnest($1::bigint[]) AS own (partition) CROSS JOIN LATERAL (
      SELECT due_at_rest FROM job WHERE (queue & 63) = own.partition AND due_at_rest IS NOT NULL ORDER BY due_at_rest LIMIT 1)
      AS found
    ORDER BY found.due_at_rest LIMIT 1`,
  "oldest-scaling":
    "SELECT queued_at FROM job WHERE queue = $1 AND status = 0 AND low_priority = 0 ORDER BY queued_at LIMIT 1",
} as const;

/** Reads a few jobs for each queue, because there are fewer queues than jobs. */
const RUNNING = `SELECT ${COLUMNS.map((name) => `j.${name}`).join(", ")}
  FROM queue q JOIN job j ON j.queue = q.queue AND j.status = 1 WHERE q.queue & 63 = ANY($1::bigint[])`;

const QUEUE_AT = COLUMNS.indexOf("queue");

/** @param statement answers rows of `JOB` */
export async function readJobs(
  session: Session,
  queues: Queues,
  statement: Statement,
): Promise<readonly Job[]> {
  const { rows } = await session.ask(statement);
  const keys = rows.map((row) => Number(row[QUEUE_AT]));
  const endpointIdOf = await queues.endpointsOf(session, keys);
  return rows.map((row) => jobOf(withEndpoint(read(row), endpointIdOf)));
}

/** Reads the running jobs of the partitions, in order of their keys. */
export async function readRunning(
  session: Session,
  queues: Queues,
  partitions: readonly number[],
): Promise<readonly Job[]> {
  const values = [listOf("integer", partitions)];
  const jobs = await readJobs(session, queues, { name: "running-jobs", text: RUNNING, values });
  return jobs.toSorted((a, b) => a.seq - b.seq);
}

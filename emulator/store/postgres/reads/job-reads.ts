/** Queries for jobs. Each uses its index, without sorting. */
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { optionalIntegerAt } from "../../../sqlite/row.ts";
import { COLUMNS, jobOf, STATUS_NUMBERS, withEndpoint } from "../../rows/job-columns.ts";
import type { Session, Statement } from "../connect/session.ts";
import { bound, listOf, rowReader } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";
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

type Name = keyof typeof JOB_QUESTIONS;

const QUEUE_AT = COLUMNS.indexOf("queue");

export class JobReads {
  readonly #queues: Queues;
  readonly #ownPartitions: () => readonly number[];

  /** @param ownPartitions partitions that this process owns now */
  constructor(queues: Queues, ownPartitions: () => readonly number[]) {
    this.#queues = queues;
    this.#ownPartitions = ownPartitions;
  }

  async byId(session: Session, id: string): Promise<Job | undefined> {
    const [job] = await this.#jobs(session, "job-by-id", [textToBytes(id)]);
    return job;
  }

  /** Stored jobs in the order of the keys. */
  async bySeqs(session: Session, seqs: readonly number[]): Promise<readonly Job[]> {
    if (seqs.length === 0) return [];
    const jobs = await this.#jobs(session, "jobs-by-seq", [listOf("integer", seqs)]);
    const bySeq = new Map(jobs.map((job) => [job.seq, job]));
    return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
  }

  async waiting(session: Session, endpointId: string, after: number, limit: number) {
    return this.#ofQueue(session, "waiting-jobs", endpointId, [bound(after), bound(limit)]);
  }

  async ofEndpoint(session: Session, endpointId: string, after: number, limit: number) {
    return this.#ofQueue(session, "jobs-of-endpoint", endpointId, [bound(after), bound(limit)]);
  }

  async listed(session: Session, endpointId: string, { status, beforeSeq, limit }: JobListing) {
    const rest = [bound(beforeSeq ?? Number.MAX_SAFE_INTEGER), bound(limit)];
    if (status === undefined) return this.#ofQueue(session, "newest-jobs", endpointId, rest);
    const values = [STATUS_NUMBERS[status], ...rest];
    return this.#ofQueue(session, "newest-jobs-of-status", endpointId, values);
  }

  /** Due jobs that do not run, in the own partitions. */
  async due(session: Session, now: number, limit: number): Promise<readonly Job[]> {
    return this.#jobs(session, "due-jobs", [bound(now), bound(limit), this.#partitions()]);
  }

  async nextDueAt(session: Session): Promise<number | undefined> {
    return this.#number(session, "next-due", [this.#partitions()]);
  }

  async oldestScalingQueuedAt(session: Session, endpointId: string): Promise<number | undefined> {
    const queue = await this.#queues.keyOf(session, endpointId);
    return queue === undefined ? undefined : this.#number(session, "oldest-scaling", [queue]);
  }

  /** Running jobs of the partitions, in order of their keys. */
  async running(session: Session, partitions: readonly number[]): Promise<readonly Job[]> {
    const values = [listOf("integer", partitions)];
    const jobs = await this.#read(session, { name: "running-jobs", text: RUNNING, values });
    return jobs.toSorted((a, b) => a.seq - b.seq);
  }

  async #ofQueue(
    session: Session,
    name: Name,
    endpointId: string,
    values: readonly unknown[],
  ): Promise<readonly Job[]> {
    const queue = await this.#queues.keyOf(session, endpointId);
    return queue === undefined ? [] : this.#jobs(session, name, [queue, ...values]);
  }

  #jobs(session: Session, name: Name, values: readonly unknown[]): Promise<readonly Job[]> {
    return this.#read(session, { name, text: JOB_QUESTIONS[name], values });
  }

  async #number(session: Session, name: Name, values: readonly unknown[]) {
    const { rows } = await session.ask({ name, text: JOB_QUESTIONS[name], values });
    const [row] = rows;
    return row && optionalIntegerAt(read(row), 0);
  }

  async #read(session: Session, statement: Statement): Promise<readonly Job[]> {
    const { rows } = await session.ask(statement);
    const keys = rows.map((row) => Number(row[QUEUE_AT]));
    const endpointIdOf = await this.#queues.endpointsOf(session, keys);
    return rows.map((row) => jobOf(withEndpoint(read(row), endpointIdOf)));
  }

  #partitions() {
    return listOf("integer", this.#queues.among(this.#ownPartitions()));
  }
}

/**
 * The rows of jobs. A change writes as few columns as possible. Jobs are found by id, and in each order that the service needs.
 */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { jobAlreadyStored, jobNotStored } from "../../batch-refusals.ts";
import type { Connection } from "../connection.ts";
import { COLUMNS, STATUS_NUMBERS, withEndpoint } from "../../rows/job-columns.ts";
import { checkedRow } from "../row-checksum.ts";
import { optionalIntegerAt, type Row } from "../../../sqlite/row.ts";
import { narrowUpdates } from "./narrow-updates.ts";
import type { QueueTable } from "./queue-table.ts";
import { isConstraint } from "../../../sqlite/sqlite-error.ts";

/** With a bare parameter SQLite would plan the query again for each value, which costs ten times as much as the query. */
const LIMIT = "LIMIT ? + 0";

/** The queries of `/requests`. Each uses its index, without sorting. */
export const NEWEST = `INDEXED BY job_by_queue WHERE queue = ? AND seq < ? ORDER BY seq DESC ${LIMIT}`;
export const NEWEST_OF_STATUS = `INDEXED BY job_by_status WHERE queue = ? AND status = ? AND seq < ? ORDER BY seq DESC ${LIMIT}`;

type StoredJob = Pick<Job, "id" | "seq" | "status">;

/** Returns rows as stored, but with the endpoint in place of the key of its queue. */
export class JobTable {
  readonly #connection: Connection;
  readonly #queues: QueueTable;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #updateOf: ReturnType<typeof narrowUpdates>;

  constructor(connection: Connection, queues: QueueTable) {
    this.#connection = connection;
    this.#queues = queues;
    this.#statements = prepareStatements(connection);
    this.#updateOf = narrowUpdates(COLUMNS, (assignments) =>
      connection.prepare(`UPDATE job SET ${assignments} WHERE seq = ? AND status = ?`),
    );
  }

  /** @param values all columns, and their checksum */
  insert(job: Pick<Job, "id" | "seq">, values: readonly SQLInputValue[]): void {
    try {
      this.#connection.write(this.#statements.insert, ...values);
    } catch (error) {
      throw isConstraint(error) ? jobAlreadyStored(job) : error;
    }
  }

  /**
   * @param before the job as it must be stored now
   * @param changed numbers of the changed columns, ascending
   * @param values values of these columns, and the checksum of the row
   */
  update(before: StoredJob, changed: readonly number[], values: readonly SQLInputValue[]): void {
    const status = STATUS_NUMBERS[before.status];
    const update = this.#updateOf(changed);
    const rows = this.#connection.write(update, ...values, before.seq, status);
    if (rows === 0) throw jobNotStored(before);
  }

  delete(job: StoredJob): void {
    const status = STATUS_NUMBERS[job.status];
    const rows = this.#connection.write(this.#statements.delete, job.seq, status);
    if (rows === 0) throw jobNotStored(job);
  }

  byId(id: string): Row | undefined {
    const row = this.#connection.first(this.#statements.byId, id);
    return row && this.#read(row);
  }

  /** Jobs with a queueKey above `after`. */
  waiting(endpointId: string, limit: number, after = -1): readonly Row[] {
    const queue = this.#queues.keyOf(endpointId);
    return queue === undefined ? [] : this.#list(this.#statements.waiting, queue, after, limit);
  }

  running(): readonly Row[] {
    return this.#list(this.#statements.running);
  }

  ofEndpoint(endpointId: string, after: number, limit: number): readonly Row[] {
    const queue = this.#queues.keyOf(endpointId);
    return queue === undefined ? [] : this.#list(this.#statements.ofQueue, queue, after, limit);
  }

  listed(endpointId: string, { status, beforeSeq, limit }: JobListing): readonly Row[] {
    const queue = this.#queues.keyOf(endpointId);
    if (queue === undefined) return [];
    const { newest, newestOfStatus } = this.#statements;
    const before = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    if (status === undefined) return this.#list(newest, queue, before, limit);
    return this.#list(newestOfStatus, queue, STATUS_NUMBERS[status], before, limit);
  }

  dueAtRest(now: number, limit: number): readonly Row[] {
    return this.#list(this.#statements.dueAtRest, now, limit);
  }

  nextDueAtRest(): number | undefined {
    const row = this.#connection.first(this.#statements.nextDueAtRest);
    return row && optionalIntegerAt(row, 0);
  }

  oldestScalingQueuedAt(endpointId: string): number | undefined {
    const queue = this.#queues.keyOf(endpointId);
    if (queue === undefined) return undefined;
    const row = this.#connection.first(this.#statements.oldestScaling, queue);
    return row && optionalIntegerAt(row, 0);
  }

  #list(statement: StatementSync, ...values: SQLInputValue[]): readonly Row[] {
    return this.#connection.all(statement, ...values).map((row) => this.#read(row));
  }

  #read(row: Row): Row {
    return withEndpoint(checkedRow(row, "job"), this.#queues.endpointIdOf);
  }
}

function prepareStatements(connection: Connection) {
  // Queries name their index, so that a query that cannot use it fails when it is prepared.
  const columns = `${COLUMNS.join(", ")}, checksum`;
  const select = (rest: string) => connection.prepare(`SELECT ${columns} FROM job ${rest}`);
  const places = COLUMNS.map(() => "?").join(", ");
  return {
    insert: connection.prepare(`INSERT INTO job (${columns}) VALUES (${places}, ?)`),
    delete: connection.prepare("DELETE FROM job WHERE seq = ? AND status = ?"),
    byId: select("WHERE id = ?"),
    waiting: select(
      `INDEXED BY job_waiting WHERE queue = ? AND status = 0 AND queue_key > ? ORDER BY queue_key, seq ${LIMIT}`,
    ),
    running: select("INDEXED BY job_running WHERE status = 1 ORDER BY seq"),
    ofQueue: select(`INDEXED BY job_by_queue WHERE queue = ? AND seq > ? ORDER BY seq ${LIMIT}`),
    newest: select(NEWEST),
    newestOfStatus: select(NEWEST_OF_STATUS),
    dueAtRest: select(
      `INDEXED BY job_due WHERE due_at <= ? AND status <> 1 ORDER BY due_at, seq ${LIMIT}`,
    ),
    nextDueAtRest: connection.prepare(
      "SELECT due_at FROM job INDEXED BY job_due WHERE status <> 1 ORDER BY due_at LIMIT 1",
    ),
    oldestScaling: connection.prepare(
      "SELECT min(queued_at) FROM job INDEXED BY job_scaling WHERE queue = ? AND status = 0 AND low_priority = 0",
    ),
  };
}

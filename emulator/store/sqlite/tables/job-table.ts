/** The rows of jobs: written as narrowly as the change allows, found by id and in each order the service asks for. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { JobListing } from "../../../core/jobs/job-listing.ts";
import type { Job } from "../../../core/jobs/job.ts";
import { jobAlreadyStored, jobNotStored } from "../../caller-defects.ts";
import { rowChecksum } from "../integrity/checksum.ts";
import type { Connection } from "../connection.ts";
import { COLUMNS, readJob, SELECTED, statusNumber, valuesOf } from "./job-columns.ts";
import { optionalIntegerAt, type Row } from "../../../sqlite/row.ts";
import { narrowUpdates } from "./narrow-updates.ts";
import type { QueueTable } from "./queue-table.ts";
import { isConstraint } from "../../../sqlite/sqlite-error.ts";

/** Not a bare parameter: SQLite would plan the query anew for each value bound to it, which costs ten times the query. */
const LIMIT = "LIMIT ? + 0";

/** How `/requests` asks; each is served by its index alone, without sorting. */
export const NEWEST = `INDEXED BY job_by_queue WHERE queue = ? AND seq < ? ORDER BY seq DESC ${LIMIT}`;
export const NEWEST_OF_STATUS = `INDEXED BY job_by_status WHERE queue = ? AND status = ? AND seq < ? ORDER BY seq DESC ${LIMIT}`;

export class JobTable {
  readonly #connection: Connection;
  readonly #queues: QueueTable;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #updateFrom: ReturnType<typeof narrowUpdates>;

  constructor(connection: Connection, queues: QueueTable) {
    this.#connection = connection;
    this.#queues = queues;
    this.#statements = prepareStatements(connection);
    this.#updateFrom = narrowUpdates(COLUMNS, (assignments) =>
      connection.prepare(`UPDATE job SET ${assignments} WHERE seq = ? AND status = ?`),
    );
  }

  insert(job: Job): void {
    const queue = this.#queues.ensureKey(job.endpointId);
    const values = valuesOf(job, queue);
    try {
      this.#connection.write(this.#statements.insert, ...values, rowChecksum(values));
    } catch (error) {
      throw isConstraint(error) ? jobAlreadyStored(job) : error;
    }
    this.#queues.count(job.endpointId, undefined, job);
  }

  replace(before: Job, after: Job): void {
    const queue = this.#queues.keyOf(before.endpointId) ?? null;
    const update = this.#updateFrom(valuesOf(before, queue), valuesOf(after, queue));
    const place = [before.seq, statusNumber(before.status)];
    const rows = this.#connection.write(update.statement, ...update.values, ...place);
    if (rows === 0) throw jobNotStored(before);
    this.#queues.count(before.endpointId, before, after);
  }

  delete(job: Job): void {
    const status = statusNumber(job.status);
    const rows = this.#connection.write(this.#statements.delete, job.seq, status);
    if (rows === 0) throw jobNotStored(job);
    this.#queues.count(job.endpointId, job, undefined);
  }

  byId(id: string): Job | undefined {
    const row = this.#connection.first(this.#statements.byId, id);
    return row && this.#read(row);
  }

  waiting(endpointId: string, limit: number): readonly Job[] {
    const queue = this.#queues.keyOf(endpointId);
    return queue === undefined ? [] : this.#list(this.#statements.waiting, queue, limit);
  }

  running(workerId: string | undefined): readonly Job[] {
    if (workerId === undefined) return this.#list(this.#statements.running);
    return this.#list(this.#statements.runningOfWorker, workerId);
  }

  ofEndpoint(endpointId: string, limit: number): readonly Job[] {
    const queue = this.#queues.keyOf(endpointId);
    return queue === undefined ? [] : this.#list(this.#statements.ofQueue, queue, limit);
  }

  listed(endpointId: string, { status, beforeSeq, limit }: JobListing): readonly Job[] {
    const queue = this.#queues.keyOf(endpointId);
    if (queue === undefined) return [];
    const { newest, newestOfStatus } = this.#statements;
    const before = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    if (status === undefined) return this.#list(newest, queue, before, limit);
    return this.#list(newestOfStatus, queue, statusNumber(status), before, limit);
  }

  due(now: number, limit: number): readonly Job[] {
    return this.#list(this.#statements.due, now, limit);
  }

  nextDueAt(): number | undefined {
    const row = this.#connection.first(this.#statements.nextDue);
    return row && optionalIntegerAt(row, 0);
  }

  oldestScalingQueuedAt(endpointId: string): number | undefined {
    const queue = this.#queues.keyOf(endpointId);
    if (queue === undefined) return undefined;
    const row = this.#connection.first(this.#statements.oldestScaling, queue);
    return row && optionalIntegerAt(row, 0);
  }

  #list(statement: StatementSync, ...values: SQLInputValue[]): readonly Job[] {
    return this.#connection.all(statement, ...values).map((row) => this.#read(row));
  }

  #read(row: Row): Job {
    return readJob(row, this.#queues.endpointIdOf);
  }
}

function prepareStatements(connection: Connection) {
  // The indexes are named, so that a query that could not use its own would not even prepare.
  const select = (rest: string) => connection.prepare(`SELECT ${SELECTED} FROM job ${rest}`);
  const places = COLUMNS.map(() => "?").join(", ");
  return {
    insert: connection.prepare(`INSERT INTO job (${SELECTED}) VALUES (${places}, ?)`),
    delete: connection.prepare("DELETE FROM job WHERE seq = ? AND status = ?"),
    byId: select("WHERE id = ?"),
    waiting: select(
      `INDEXED BY job_waiting WHERE queue = ? AND status = 0 ORDER BY queue_key, seq ${LIMIT}`,
    ),
    running: select("INDEXED BY job_running WHERE status = 1 ORDER BY seq"),
    runningOfWorker: select(
      "INDEXED BY job_running WHERE status = 1 AND worker_id = ? ORDER BY seq",
    ),
    ofQueue: select(`INDEXED BY job_by_queue WHERE queue = ? ORDER BY seq ${LIMIT}`),
    newest: select(NEWEST),
    newestOfStatus: select(NEWEST_OF_STATUS),
    due: select(`INDEXED BY job_due WHERE due_at <= ? ORDER BY due_at, seq ${LIMIT}`),
    nextDue: connection.prepare("SELECT min(due_at) FROM job INDEXED BY job_due"),
    oldestScaling: connection.prepare(
      "SELECT min(queued_at) FROM job INDEXED BY job_scaling WHERE queue = ? AND status = 0 AND low_priority = 0",
    ),
  };
}

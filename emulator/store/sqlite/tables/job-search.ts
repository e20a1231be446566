/** Finds the rows of jobs that fit a filter. An index serves endpoint and status; a scan serves the rest of the filter. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import { integerAt, optionalTextAt } from "../../../sqlite/row.ts";
import { JobScan, rangeOf, type SeqRange } from "../../job-scan.ts";
import type { Connection } from "../connection.ts";
import {
  COLUMNS,
  filteredJob,
  FILTERED,
  STATUS_NUMBERS,
  withEndpoint,
} from "../../rows/job-columns.ts";
import { checkedRow } from "../row-checksum.ts";
import type { QueueTable } from "./queue-table.ts";

/** Columns of a scan. The parameter ?1 is true if the failure is needed, which may be long. */
const LOOKED_AT = `SELECT ${FILTERED}, iif(?1, failure, NULL) FROM job`;
const IN_RANGE = "seq >= ?2 AND seq < ?3";
const NEWEST_FIRST = "ORDER BY 1 DESC";

/** Scans, the newest job first, without sorting. */
export const OF_ALL = `${LOOKED_AT} WHERE ${IN_RANGE} ${NEWEST_FIRST}`;
export const OF_QUEUE = `${LOOKED_AT} INDEXED BY job_by_queue WHERE queue = ?4 AND ${IN_RANGE} ${NEWEST_FIRST}`;

/** Makes a scan that merges the jobs of several pairs of a queue and a status. */
export function ofPairs(pairs: number): string {
  const each = Array.from({ length: pairs }, (_, pair) => {
    const [queue, status] = [4 + 2 * pair, 5 + 2 * pair];
    return `${LOOKED_AT} INDEXED BY job_by_status WHERE queue = ?${queue} AND status = ?${status} AND ${IN_RANGE}`;
  });
  return `${each.join(" UNION ALL ")} ${NEWEST_FIRST}`;
}

/** Maximum number of pairs. With more pairs, a scan of all statuses costs less. */
const MAX_PAIRS = 24;

export class JobSearch {
  readonly #connection: Connection;
  readonly #queues: QueueTable;
  readonly #newestBelow: StatementSync;
  readonly #bySeq: StatementSync;
  /** Prepared scans, by text. */
  readonly #scans = new Map<string, StatementSync>();

  constructor(connection: Connection, queues: QueueTable) {
    this.#connection = connection;
    this.#queues = queues;
    this.#bySeq = connection.prepare(
      `SELECT ${COLUMNS.join(", ")}, checksum FROM job WHERE seq = ?`,
    );
    this.#newestBelow = connection.prepare(
      "SELECT seq, submitted_at FROM job WHERE seq < ? ORDER BY seq DESC LIMIT 1",
    );
  }

  /** @param lastSeq highest key of a job */
  find(window: JobWindow, lastSeq: number) {
    const { seqs, nextSeq } = this.#scan(window, lastSeq);
    const rows = seqs.flatMap((seq) => this.#connection.all(this.#bySeq, seq));
    const { endpointIdOf } = this.#queues;
    return { rows: rows.map((row) => withEndpoint(checkedRow(row, "job"), endpointIdOf)), nextSeq };
  }

  count(window: JobWindow, lastSeq: number) {
    const { seqs, nextSeq } = this.#scan(window, lastSeq);
    return { count: seqs.length, nextSeq };
  }

  #scan(window: JobWindow, lastSeq: number): JobScan {
    const scan = new JobScan(window);
    const range = rangeOf(window, lastSeq, (end) => this.#newest(end));
    const { statement, values } = this.#way(window, range) ?? {};
    if (statement === undefined || values === undefined) return scan;
    this.#connection.each(statement, values, (row) =>
      scan.look(integerAt(row, 0), filteredJob(row), optionalTextAt(row, 7)?.length),
    );
    return scan;
  }

  /** Chooses the scan for a filter. Returns undefined if no job can fit. */
  #way({ filter }: JobWindow, { first, end }: SeqRange) {
    const { endpointId, statuses, search } = filter;
    const common: readonly SQLInputValue[] = [search === undefined ? 0 : 1, first, end];
    const key = endpointId === undefined ? undefined : this.#queues.keyOf(endpointId);
    if (endpointId !== undefined && key === undefined) return undefined;
    const queues = key === undefined ? this.#queues.keys() : [key];
    const pairs = [...new Set(statuses)].flatMap((status) =>
      queues.map((queue) => [queue, STATUS_NUMBERS[status]]),
    );
    if (pairs.length > 0 && pairs.length <= MAX_PAIRS)
      return this.#prepared(ofPairs(pairs.length), [...common, ...pairs.flat()]);
    return key === undefined
      ? this.#prepared(OF_ALL, common)
      : this.#prepared(OF_QUEUE, [...common, key]);
  }

  #prepared(text: string, values: readonly SQLInputValue[]) {
    const statement = this.#scans.get(text) ?? this.#connection.prepare(text);
    this.#scans.set(text, statement);
    return { statement, values };
  }

  #newest(end: number) {
    const row = this.#connection.first(this.#newestBelow, end);
    return row && { seq: integerAt(row, 0), submittedAt: integerAt(row, 1) };
  }
}

/** Finds jobs that fit a filter. An index serves endpoint and status; a scan serves the rest of the filter. */
import type { JobWindow } from "../../../core/jobs/job-filter.ts";
import { integerAt, optionalTextAt } from "../../../sqlite/row.ts";
import { JobScan, type SeqRange } from "../../job-scan.ts";
import type { Columns } from "../../rows/columns.ts";
import { filteredJob, FILTERED, STATUS_NUMBERS } from "../../rows/job-columns.ts";
import type { Session } from "../connect/session.ts";
import { arraysOf, bound, rowReader } from "../values/columns.ts";
import type { Queues } from "../writes/queues.ts";

const LOOKED_AT = {
  seq: "integer",
  id: "text",
  status: "integer",
  kind: "integer",
  submitted_at: "integer",
  delay_time_ms: "integer",
  execution_time_ms: "integer",
  failure: "json",
} as const satisfies Columns;

const read = rowReader(LOOKED_AT);
const SELECT = `SELECT ${FILTERED}, CASE WHEN $1 THEN failure END FROM job`;
/** Bounds are whole keys of the index, as in `job-reads.ts`. */
const OF_PAIR = `(queue, status, seq) >= (pair.queue, pair.status, $2) AND (queue, status, seq) < (pair.queue, pair.status, $3)
  ORDER BY queue DESC, status DESC, seq DESC LIMIT $4`;

/** Texts of the statements by their names; $2 and $3 bound the keys, $4 the number of jobs. */
export const SEARCHES = {
  "search-all": `${SELECT} WHERE seq >= $2 AND seq < $3 ORDER BY seq DESC LIMIT $4`,
  "search-queue": `${SELECT} WHERE (queue, seq) >= ($5, $2) AND (queue, seq) < ($5, $3) ORDER BY queue DESC, seq DESC LIMIT $4`,
  /** Jobs of several pairs of a queue and a status, the newest first. */
  "search-pairs": `SELECT found.* FROM unnest($5::bigint[], $6::bigint[]) AS pair (queue, status)
    CROSS JOIN LATERAL (${SELECT} WHERE ${OF_PAIR}) AS found ORDER BY found.seq DESC LIMIT $4`,
  "since-moment": "SELECT seq FROM job WHERE submitted_at >= $1 ORDER BY submitted_at, seq LIMIT 1",
} as const;

/** Maximum number of pairs. With more pairs, a scan of all statuses costs less. */
const MAX_PAIRS = 24;

export class JobSearch {
  readonly #queues: Queues;
  readonly #skewMs: number;
  readonly #page: number;

  /**
   * @param skewMs maximum difference between the service times of replicas
   * @param page maximum number of jobs of one question that reads failures
   */
  constructor(queues: Queues, skewMs: number, page: number) {
    this.#queues = queues;
    this.#skewMs = skewMs;
    this.#page = page;
  }

  /** Finds the keys of the jobs that fit. */
  async scan(session: Session, window: JobWindow): Promise<JobScan> {
    const scan = new JobScan(window);
    const { search } = window.filter;
    const { first, end } = await this.#rangeOf(session, window);
    const atOnce = search === undefined ? window.maxLooked : this.#page;
    for (let below = end; ;) {
      const values = [search !== undefined, bound(first), bound(below), bound(atOnce)];
      const rows = await this.#looked(session, window, values);
      for (const row of rows) {
        below = integerAt(row, 0);
        if (!scan.look(below, filteredJob(row), optionalTextAt(row, 7)?.length)) return scan;
      }
      if (rows.length < atOnce) return scan;
    }
  }

  async #looked(session: Session, { filter }: JobWindow, values: readonly unknown[]) {
    const { endpointId, statuses } = filter;
    const key =
      endpointId === undefined ? undefined : await this.#queues.keyOf(session, endpointId);
    if (endpointId !== undefined && key === undefined) return [];
    const wanted = [...new Set(statuses)];
    const queues =
      key !== undefined ? [key] : wanted.length > 0 ? await this.#queues.keys(session) : [];
    const pairs = wanted.flatMap((status) =>
      queues.map((queue) => [queue, STATUS_NUMBERS[status]]),
    );
    if (pairs.length > 0 && pairs.length <= MAX_PAIRS) {
      const lists = arraysOf({ queue: "integer", status: "integer" }, pairs);
      return ask(session, "search-pairs", [...values, ...lists]);
    }
    if (key === undefined) return ask(session, "search-all", values);
    return ask(session, "search-queue", [...values, key]);
  }

  /** Returns the range of keys in the window. `submittedAt` ascends with `seq`, except for the skew. */
  async #rangeOf(session: Session, { filter, beforeSeq }: JobWindow): Promise<SeqRange> {
    const last = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    const { since, until } = filter;
    return {
      first: since === undefined ? 0 : await this.#firstSince(session, since - this.#skewMs, last),
      end: until === undefined ? last : await this.#firstSince(session, until + this.#skewMs, last),
    };
  }

  /** Returns the lowest key of a job submitted at `at` or later, at most `end`. */
  async #firstSince(session: Session, at: number, end: number): Promise<number> {
    const [row] = await ask(session, "since-moment", [bound(at)]);
    return row === undefined ? end : Math.min(end, integerAt(row, 0));
  }
}

async function ask(session: Session, name: keyof typeof SEARCHES, values: readonly unknown[]) {
  const { rows } = await session.ask({ name, text: SEARCHES[name], values });
  return rows.map(read);
}

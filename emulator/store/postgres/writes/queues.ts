/** The keys of the endpoints' queues, which are held in memory, and the statement that stores counters. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import { damaged } from "../../../sqlite/row.ts";
import { queueRow } from "../../rows/queue-columns.ts";
import { partOf, PARTS } from "../claim/parts.ts";
import type { Statement } from "../connect/session.ts";
import { arraysOf, type Columns, namesOf, unnested } from "../values/columns.ts";

const COUNTERS = {
  in_queue: "integer",
  in_progress: "integer",
  in_queue_low_priority: "integer",
  in_progress_low_priority: "integer",
  completed: "integer",
  failed: "integer",
  retried: "integer",
  checksum: "integer",
} as const satisfies Columns;

/** In the order of `rows/queue-columns.ts`. */
export const QUEUE = {
  queue: "integer",
  endpoint_id: "text",
  ...COUNTERS,
} as const satisfies Columns;

export class Queues {
  readonly #byEndpoint = new Map<string, number>();
  readonly #byKey = new Map<number, string>();
  /** How many keys were given in each part. */
  readonly #given = new Map<number, number>();

  constructor(stored: Iterable<readonly [key: number, endpointId: string]>) {
    for (const [key, endpointId] of stored) this.#add(key, endpointId);
  }

  /** Undefined if the endpoint never had a job. */
  keyOf(endpointId: string): number | undefined {
    return this.#byEndpoint.get(endpointId);
  }

  /** Those of all endpoints that ever had a job. */
  keys(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  /** For a key found in a row. */
  readonly endpointIdOf = (key: number): string => {
    const endpointId = this.#byKey.get(key);
    if (endpointId === undefined) throw damaged("the queue of a job", undefined);
    return endpointId;
  };

  /** Gives the endpoint a key if it has none yet. It keeps it, also when the batch it was given for is refused. */
  ensureKey(endpointId: string): number {
    const known = this.#byEndpoint.get(endpointId);
    if (known !== undefined) return known;
    const part = partOf(endpointId);
    const key = ((this.#given.get(part) ?? 0) + 1) * PARTS + part;
    this.#add(key, endpointId);
    return key;
  }

  #add(key: number, endpointId: string): void {
    this.#byEndpoint.set(endpointId, key);
    this.#byKey.set(key, endpointId);
    const part = key % PARTS;
    this.#given.set(part, Math.max(this.#given.get(part) ?? 0, Math.floor(key / PARTS)));
  }
}

export function writeCounts(
  counts: ReadonlyMap<string, JobCounts>,
  queues: Queues,
): readonly Statement[] {
  if (counts.size === 0) return [];
  const rows = [...counts].map(([endpointId, ofEndpoint]) =>
    queueRow(queues.ensureKey(endpointId), endpointId, ofEndpoint),
  );
  const assigned = Object.keys(COUNTERS).map((name) => `${name} = excluded.${name}`);
  const text = `INSERT INTO queue (${namesOf(QUEUE)}) SELECT * FROM ${unnested(QUEUE)}
    ON CONFLICT (queue) DO UPDATE SET ${assigned.join(", ")}`;
  return [{ name: "counts", text, values: arraysOf(QUEUE, rows) }];
}

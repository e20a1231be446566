/** The keys of the endpoints' queues, which are held in memory, and the statement that stores counters. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import { damaged } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { type Queue, QUEUE, queueRow, readQueue } from "../../rows/queue-columns.ts";
import { partOf, PARTS } from "../claim/parts.ts";
import type { Session, Statement } from "../connect/session.ts";
import { arraysOf, listOf, rowReader, unnested } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";

const read = rowReader(QUEUE);
const QUEUES = `SELECT ${namesOf(QUEUE)} FROM queue`;
const { queue: _key, endpoint_id: _endpointId, ...COUNTERS } = QUEUE;

/** Those of the endpoints in some parts, by default of all. */
export async function readQueues(
  session: Session,
  parts?: readonly number[],
): Promise<readonly Queue[]> {
  const { rows } = await session.ask(
    parts === undefined
      ? { text: QUEUES }
      : {
          text: `${QUEUES} WHERE queue & 63 = ANY($1::bigint[])`,
          values: [listOf("integer", parts)],
        },
  );
  return rows.map((row) => readQueue(read(row)));
}

export class Queues {
  readonly #isShared: boolean;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byKey = new Map<number, string>();
  /** How many keys were given in each part. */
  readonly #given = new Map<number, number>();

  /** @param isShared others give keys as well, in other parts: what is not known here is looked up */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /** Undefined if the endpoint never had a job. */
  async keyOf(session: Session, endpointId: string): Promise<number | undefined> {
    const known = this.#byEndpoint.get(endpointId);
    if (known !== undefined || !this.#isShared) return known;
    const { rows } = await session.ask({
      name: "queue-of-endpoint",
      text: `${QUEUES} WHERE endpoint_id = $1`,
      values: [textToBytes(endpointId)],
    });
    for (const row of rows) this.add([readQueue(read(row))]);
    return this.#byEndpoint.get(endpointId);
  }

  /** Those of all endpoints that ever had a job. */
  async keys(session: Session): Promise<readonly number[]> {
    if (this.#isShared) this.add(await readQueues(session));
    return [...this.#byKey.keys()];
  }

  /** For keys found in rows: answers what gives the endpoint of each. */
  async endpointsOf(session: Session, keys: readonly number[]): Promise<(key: number) => string> {
    if (this.#isShared && keys.some((key) => !this.#byKey.has(key)))
      this.add(await readQueues(session));
    return (key) => {
      const endpointId = this.#byKey.get(key);
      if (endpointId === undefined) throw damaged("the queue of a job", undefined);
      return endpointId;
    };
  }

  /** Of the parts those in which an endpoint has a key. */
  among(parts: readonly number[]): readonly number[] {
    return parts.filter((part) => this.#given.has(part));
  }

  /**
   * Gives the endpoint a key if it has none yet; its part must be this process's. It keeps it, also when the batch it was given
   * for is refused.
   */
  ensureKey(endpointId: string): number {
    const known = this.#byEndpoint.get(endpointId);
    if (known !== undefined) return known;
    const part = partOf(endpointId);
    const key = ((this.#given.get(part) ?? 0) + 1) * PARTS + part;
    this.add([{ key, endpointId }]);
    return key;
  }

  /** What is stored. */
  add(queues: readonly Pick<Queue, "key" | "endpointId">[]): void {
    for (const { key, endpointId } of queues) {
      this.#byEndpoint.set(endpointId, key);
      this.#byKey.set(key, endpointId);
      const part = key % PARTS;
      this.#given.set(part, Math.max(this.#given.get(part) ?? 0, Math.floor(key / PARTS)));
    }
  }

  /** Of parts that are this process's no longer some of the keys may never have been stored. */
  forget(parts: ReadonlySet<number>): void {
    for (const [key, endpointId] of this.#byKey) {
      if (!parts.has(key % PARTS)) continue;
      this.#byKey.delete(key);
      this.#byEndpoint.delete(endpointId);
    }
    for (const part of parts) this.#given.delete(part);
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

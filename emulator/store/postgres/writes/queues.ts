/** Keeps the keys of queues in memory, and makes the statement that stores their counters. */
import type { JobCounts } from "../../../core/jobs/job-counts.ts";
import { damaged } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { type Queue, QUEUE, queueRow, readQueue } from "../../rows/queue-columns.ts";
import { ALL_PARTITIONS, partitionOf, PARTITIONS } from "../claim/partitions.ts";
import type { Session, Statement } from "../connect/session.ts";
import { listOf, rowReader } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";
import { insertInto, rowStatement } from "./row-statement.ts";

const read = rowReader(QUEUE);
const QUEUES = `SELECT ${namesOf(QUEUE)} FROM queue`;
const { queue: _key, endpoint_id: _endpointId, ...COUNTERS } = QUEUE;
const ASSIGNED = Object.keys(COUNTERS).map((name) => `${name} = excluded.${name}`);
const WRITE = `${insertInto("queue", QUEUE)} ON CONFLICT (queue) DO UPDATE SET ${ASSIGNED.join(", ")}`;

/** Reads the queues of the endpoints in some partitions. */
export async function readQueues(
  session: Session,
  partitions = ALL_PARTITIONS,
): Promise<readonly Queue[]> {
  const { rows } = await session.ask({
    text: `${QUEUES} WHERE queue & 63 = ANY($1::bigint[])`,
    values: [listOf("integer", partitions)],
  });
  return rows.map((row) => readQueue(read(row)));
}

export class Queues {
  readonly #isShared: boolean;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byKey = new Map<number, string>();
  /** Number of keys assigned in each partition. */
  readonly #given = new Map<number, number>();

  /** @param isShared true if other replicas assign keys in other partitions; unknown keys are then looked up */
  constructor(isShared: boolean) {
    this.#isShared = isShared;
  }

  /** Returns undefined if the endpoint never had a job. */
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

  /** Keys of all endpoints that ever had a job. */
  async keys(session: Session): Promise<readonly number[]> {
    if (this.#isShared) this.add(await readQueues(session));
    return [...this.#byKey.keys()];
  }

  /** Returns a function that maps these keys, found in rows, to their endpoints. */
  async endpointsOf(session: Session, keys: readonly number[]): Promise<(key: number) => string> {
    if (this.#isShared && keys.some((key) => !this.#byKey.has(key)))
      this.add(await readQueues(session));
    return (key) => {
      const endpointId = this.#byKey.get(key);
      if (endpointId === undefined) throw damaged("the queue of a job", undefined);
      return endpointId;
    };
  }

  /** Returns those of the partitions in which an endpoint has a key. */
  among(partitions: readonly number[]): readonly number[] {
    return partitions.filter((partition) => this.#given.has(partition));
  }

  /**
   * Returns the key of the endpoint, or assigns one. This process must own the partition. The endpoint keeps the key even if the
   * batch is refused.
   */
  ensureKey(endpointId: string): number {
    const known = this.#byEndpoint.get(endpointId);
    if (known !== undefined) return known;
    const partition = partitionOf(endpointId);
    const key = ((this.#given.get(partition) ?? 0) + 1) * PARTITIONS + partition;
    this.add([{ key, endpointId }]);
    return key;
  }

  add(queues: readonly Pick<Queue, "key" | "endpointId">[]): void {
    for (const { key, endpointId } of queues) {
      this.#byEndpoint.set(endpointId, key);
      this.#byKey.set(key, endpointId);
      const partition = key % PARTITIONS;
      this.#given.set(
        partition,
        Math.max(this.#given.get(partition) ?? 0, Math.floor(key / PARTITIONS)),
      );
    }
  }

  /** Forgets the keys of lost partitions, because some may never have been stored. */
  forget(partitions: ReadonlySet<number>): void {
    for (const [key, endpointId] of this.#byKey) {
      if (!partitions.has(key % PARTITIONS)) continue;
      this.#byKey.delete(key);
      this.#byEndpoint.delete(endpointId);
    }
    for (const partition of partitions) this.#given.delete(partition);
  }
}

export function writeCounts(
  counts: ReadonlyMap<string, JobCounts>,
  queues: Queues,
): readonly Statement[] {
  const rows = [...counts].map(([endpointId, ofEndpoint]) =>
    queueRow(queues.ensureKey(endpointId), endpointId, ofEndpoint),
  );
  return rowStatement("counts", WRITE, QUEUE, rows);
}

/**
 * The queues of endpoints. A queue has a short key for the endpoint, and its counters. All queues are in memory. Changed queues
 * are written once per commit.
 */
import type { StatementSync } from "node:sqlite";
import { NO_COUNTS, type JobCounts } from "../../../core/jobs/job-counts.ts";
import type { Connection } from "../connection.ts";
import { damaged } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { type Queue, QUEUE, queueRow, readQueue } from "../../rows/queue-columns.ts";
import { checkedRow, withChecksum } from "../row-checksum.ts";

export class QueueTable {
  readonly #connection: Connection;
  readonly #upsert: StatementSync;
  readonly #byEndpoint = new Map<string, Queue>();
  readonly #byKey = new Map<number, Queue>();
  /** Queues changed since the last commit, with their stored counters, or undefined for a queue without a row. */
  readonly #changed = new Map<Queue, JobCounts | undefined>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#upsert = connection.prepare(
      "INSERT OR REPLACE INTO queue VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const all = connection.prepare(`SELECT ${namesOf(QUEUE)}, checksum FROM queue`);
    for (const row of connection.all(all)) this.#add(readQueue(checkedRow(row, "queue")));
  }

  /** Returns the key of the endpoint's queue, or undefined if the endpoint never had a job. */
  keyOf(endpointId: string): number | undefined {
    return this.#byEndpoint.get(endpointId)?.key;
  }

  /** Keys of all endpoints that ever had a job. */
  keys(): readonly number[] {
    return [...this.#byKey.keys()];
  }

  readonly endpointIdOf = (key: number): string => {
    const queue = this.#byKey.get(key);
    if (queue === undefined) throw damaged("the queue of a job", undefined);
    return queue.endpointId;
  };

  /** Counters of all endpoints that ever had a job. */
  allCounts(): ReadonlyMap<string, JobCounts> {
    return new Map([...this.#byEndpoint.values()].map((queue) => [queue.endpointId, queue.counts]));
  }

  /** Returns the key of the endpoint's queue. Makes the queue if necessary. */
  ensureKey(endpointId: string): number {
    return (this.#byEndpoint.get(endpointId) ?? this.#create(endpointId)).key;
  }

  setCounts(endpointId: string, counts: JobCounts): void {
    const queue = this.#byEndpoint.get(endpointId);
    if (queue === undefined) return;
    if (!this.#changed.has(queue)) this.#changed.set(queue, queue.counts);
    queue.counts = counts;
  }

  /** Call this before every commit. */
  flush(): void {
    for (const { key, endpointId, counts } of this.#changed.keys()) {
      const row = withChecksum(queueRow(key, endpointId, counts));
      this.#connection.write(this.#upsert, ...row);
    }
  }

  committed(): void {
    this.#changed.clear();
  }

  /** Undoes the changes since the last commit. */
  abort(): void {
    for (const [queue, stored] of this.#changed) {
      if (stored !== undefined) {
        queue.counts = stored;
        continue;
      }
      this.#byEndpoint.delete(queue.endpointId);
      this.#byKey.delete(queue.key);
    }
    this.#changed.clear();
  }

  #create(endpointId: string): Queue {
    const queue = { key: this.#byKey.size + 1, endpointId, counts: NO_COUNTS };
    this.#add(queue);
    this.#changed.set(queue, undefined);
    return queue;
  }

  #add(queue: Queue): void {
    this.#byEndpoint.set(queue.endpointId, queue);
    this.#byKey.set(queue.key, queue);
  }
}

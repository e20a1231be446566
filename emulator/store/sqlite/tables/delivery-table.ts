/** The rows of webhook deliveries. */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Delivery, DeliveryFilter, KeptDeliveries } from "../../../core/webhooks/delivery.ts";
import type { JobFrame } from "../../../core/jobs/job-body.ts";
import { deliveryAlreadyStored, deliveryNotStored } from "../../batch-refusals.ts";
import type { Connection } from "../connection.ts";
import { integerAt, optionalIntegerAt, textAt } from "../../../sqlite/row.ts";
import { isConstraint } from "../../../sqlite/sqlite-error.ts";
import { namesOf } from "../../rows/columns.ts";
import { checkedRow, rowChecksum, withChecksum } from "../row-checksum.ts";
import {
  CHANGEABLE,
  changeable,
  DELIVERY,
  FRAME,
  readDelivery,
  STATE_NUMBERS,
  valuesOf,
} from "../../rows/delivery-columns.ts";

export class DeliveryTable {
  readonly #connection: Connection;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#statements = prepareStatements(connection);
  }

  byId(id: string): Delivery | undefined {
    return this.#list(this.#statements.byId, id)[0];
  }

  frame(seq: number): JobFrame | undefined {
    const row = this.#connection.first(this.#statements.frame, seq);
    if (row === undefined) return undefined;
    checkedRow(row, "delivery");
    return { head: textAt(row, 1), tail: textAt(row, 2) };
  }

  list({ jobId, endpointId, state }: DeliveryFilter, limit: number, before?: number): Delivery[] {
    return this.#list(
      this.#statements.list,
      before ?? Number.MAX_SAFE_INTEGER,
      jobId ?? null,
      endpointId ?? null,
      state === undefined ? null : STATE_NUMBERS[state],
      limit,
    );
  }

  due(now: number, limit: number, exceptOrigins: readonly string[]): Delivery[] {
    return this.#list(this.#statements.due, now, JSON.stringify(exceptOrigins), limit);
  }

  nextTryAt(after: number): number | undefined {
    return this.#instant(this.#statements.nextTry, after);
  }

  oldestSettledAt(): number | undefined {
    return this.#instant(this.#statements.oldestSettled);
  }

  firstPending(jobId: string): Delivery | undefined {
    return this.#list(this.#statements.firstPending, jobId)[0];
  }

  insert(delivery: Delivery, { head, tail }: JobFrame): void {
    const [, ...frame] = withChecksum([delivery.seq, head, tail]);
    try {
      const values = withChecksum(valuesOf(delivery));
      this.#connection.write(this.#statements.insert, ...values, ...frame);
    } catch (error) {
      throw isConstraint(error) ? deliveryAlreadyStored(delivery) : error;
    }
  }

  replace(delivery: Delivery): void {
    const { update } = this.#statements;
    const checksum = rowChecksum(valuesOf(delivery));
    const rows = this.#connection.write(update, ...changeable(delivery), checksum, delivery.seq);
    if (rows === 0) throw deliveryNotStored(delivery.id);
  }

  /** Returns the keys of the deleted deliveries. */
  prune({ settledFrom, maxCount, maxBytes }: KeptDeliveries): number[] {
    const doomed = new Set([
      ...this.#keys(this.#statements.settledBefore, settledFrom),
      ...this.#keys(this.#statements.beyondCount, maxCount),
      ...(this.#settledBytes() > maxBytes
        ? this.#keys(this.#statements.beyondBytes, maxBytes)
        : []),
    ]);
    for (const seq of doomed) this.#connection.write(this.#statements.delete, seq);
    return [...doomed];
  }

  #settledBytes(): number {
    const row = this.#connection.first(this.#statements.settledBytes);
    return row === undefined ? 0 : integerAt(row, 0);
  }

  #keys(statement: StatementSync, bound: number): number[] {
    return this.#connection.all(statement, bound).map((row) => integerAt(row, 0));
  }

  #instant(statement: StatementSync, ...values: SQLInputValue[]): number | undefined {
    const row = this.#connection.first(statement, ...values);
    return row && optionalIntegerAt(row, 0);
  }

  #list(statement: StatementSync, ...values: SQLInputValue[]): Delivery[] {
    return this.#connection
      .all(statement, ...values)
      .map((row) => readDelivery(checkedRow(row, "delivery")));
  }
}

function prepareStatements(connection: Connection) {
  // Queries name their index, so that a query that cannot use it fails when it is prepared.
  const columns = `${namesOf(DELIVERY)}, checksum`;
  const frame = `${namesOf(FRAME)}, frame_checksum`;
  const select = (rest: string) => connection.prepare(`SELECT ${columns} FROM delivery ${rest}`);
  const settled = "FROM delivery INDEXED BY delivery_settled WHERE settled_at";
  const newestFirst = "ORDER BY settled_at DESC, seq DESC";
  return {
    byId: select("WHERE id = ?"),
    frame: connection.prepare(`SELECT ${frame} FROM delivery WHERE seq = ?`),
    list: select(
      `WHERE seq < ?1 AND (?2 IS NULL OR job_id = ?2) AND (?3 IS NULL OR endpoint_id = ?3) AND (?4 IS NULL OR state = ?4)
       ORDER BY seq DESC LIMIT ?5 + 0`,
    ),
    due: select(
      `INDEXED BY delivery_due WHERE next_try_at <= ? AND origin NOT IN (SELECT value FROM json_each(?))
       ORDER BY next_try_at, seq LIMIT ? + 0`,
    ),
    nextTry: connection.prepare(
      "SELECT min(next_try_at) FROM delivery INDEXED BY delivery_due WHERE next_try_at > ?",
    ),
    oldestSettled: connection.prepare(`SELECT min(settled_at) ${settled} IS NOT NULL`),
    firstPending: select(
      "INDEXED BY delivery_of_job WHERE job_id = ? AND state = 0 ORDER BY seq LIMIT 1",
    ),
    insert: connection.prepare(
      `INSERT INTO delivery (${columns}, head, tail, frame_checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    update: connection.prepare(
      `UPDATE delivery SET (${namesOf(CHANGEABLE)}, checksum) = (?, ?, ?, ?, ?, ?, ?) WHERE seq = ?`,
    ),
    delete: connection.prepare("DELETE FROM delivery WHERE seq = ?"),
    settledBefore: connection.prepare(`SELECT seq ${settled} < ?`),
    beyondCount: connection.prepare(
      `SELECT seq ${settled} IS NOT NULL ${newestFirst} LIMIT -1 OFFSET ? + 0`,
    ),
    settledBytes: connection.prepare(`SELECT coalesce(sum(size_bytes), 0) ${settled} IS NOT NULL`),
    beyondBytes: connection.prepare(
      `SELECT seq FROM (SELECT seq, sum(size_bytes) OVER (${newestFirst}) AS together ${settled} IS NOT NULL)
       WHERE together > ?`,
    ),
  };
}

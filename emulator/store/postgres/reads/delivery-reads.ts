/** The questions of the port about webhook deliveries. */
import type { Delivery } from "../../../core/webhooks/delivery.ts";
import { optionalIntegerAt, textAt } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { DELIVERY, FRAME, readDelivery, STATE_NUMBERS } from "../../rows/delivery-columns.ts";
import type { DeliveryReads } from "../../store.ts";
import { SERVICE_PARTITION } from "../claim/partitions.ts";
import type { Ask } from "../connect/session.ts";
import { bound, listOf, rowReader } from "../values/columns.ts";
import { textToBytes } from "../values/stored-text.ts";

const read = rowReader(DELIVERY);
const readFrame = rowReader(FRAME);
const selected = (rest: string) => `SELECT ${namesOf(DELIVERY)} FROM delivery ${rest}`;

/** Texts of the statements by their names. */
export const DELIVERY_QUESTIONS = {
  "delivery-by-id": selected("WHERE id = $1"),
  "delivery-frame": `SELECT ${namesOf(FRAME)} FROM delivery WHERE seq = $1`,
  "newest-deliveries": selected(
    `WHERE seq < $1 AND ($2::bytea IS NULL OR job_id = $2) AND ($3::bytea IS NULL OR endpoint_id = $3)
       AND ($4::bigint IS NULL OR state = $4) ORDER BY seq DESC LIMIT $5`,
  ),
  "due-deliveries": `SELECT found.* FROM unnest($4::bigint[]) AS own (partition) CROSS JOIN LATERAL (
      ${selected("WHERE partition = own.partition AND next_try_at <= $1 AND origin <> ALL ($2::bytea[]) ORDER BY next_try_at, seq LIMIT $3")}) AS found
    ORDER BY found.next_try_at, found.seq LIMIT $3`,
  "next-try": `SELECT found.next_try_at FROM unnest($2::bigint[]) AS own (partition) CROSS JOIN LATERAL (
      SELECT next_try_at FROM delivery WHERE partition = own.partition AND next_try_at > $1 ORDER BY next_try_at, seq LIMIT 1) AS found
    ORDER BY found.next_try_at LIMIT 1`,
  "oldest-settled":
    "SELECT settled_at FROM delivery WHERE settled_at IS NOT NULL ORDER BY settled_at, seq LIMIT 1",
  "first-pending": selected(
    "WHERE job_id = $1 AND state = 0 AND partition = ANY($2::bigint[]) ORDER BY seq LIMIT 1",
  ),
} as const;

type Name = keyof typeof DELIVERY_QUESTIONS;

/** @param partitions partitions that this process owns */
export function deliveryReads(ask: Ask, partitions: () => readonly number[]): DeliveryReads {
  const rowsOf = async (name: Name, values: readonly unknown[]) =>
    (await ask((session) => session.ask({ name, text: DELIVERY_QUESTIONS[name], values }))).rows;
  const deliveries = async (name: Name, ...values: unknown[]): Promise<readonly Delivery[]> =>
    (await rowsOf(name, values)).map((row) => readDelivery(read(row)));
  const instant = async (name: Name, ...values: unknown[]) => {
    const [row] = await rowsOf(name, values);
    return row && optionalIntegerAt(read(row), 0);
  };
  const own = () => listOf("integer", partitions());
  return {
    byId: async (id) => (await deliveries("delivery-by-id", textToBytes(id)))[0],
    async frame(seq) {
      const [answered] = await rowsOf("delivery-frame", [bound(seq)]);
      const row = answered && readFrame(answered);
      return row && { head: textAt(row, 1), tail: textAt(row, 2) };
    },
    list: ({ jobId, endpointId, state }, limit, before = Number.MAX_SAFE_INTEGER) =>
      deliveries(
        "newest-deliveries",
        bound(before),
        jobId === undefined ? null : textToBytes(jobId),
        endpointId === undefined ? null : textToBytes(endpointId),
        state === undefined ? null : STATE_NUMBERS[state],
        bound(limit),
      ),
    due: (now, limit, exceptOrigins) =>
      deliveries("due-deliveries", bound(now), listOf("text", exceptOrigins), bound(limit), own()),
    nextTryAt: (after) => instant("next-try", bound(after), own()),
    oldestSettledAt: async () =>
      partitions().includes(SERVICE_PARTITION) ? instant("oldest-settled") : undefined,
    firstPending: async (jobId) =>
      (await deliveries("first-pending", textToBytes(jobId), own()))[0],
  };
}

/** Questions about webhook deliveries. */
import type { JobFrame } from "../../../core/jobs/job-body.ts";
import type { Delivery, DeliveryFilter } from "../../../core/webhooks/delivery.ts";
import { optionalIntegerAt, textAt } from "../../../sqlite/row.ts";
import { namesOf } from "../../rows/columns.ts";
import { DELIVERY, FRAME, readDelivery, STATE_NUMBERS } from "../../rows/delivery-columns.ts";
import type { Session } from "../connect/session.ts";
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
  "due-deliveries": `SELECT found.* FROM unnest($4::bigint[]) AS own (part) CROSS JOIN LATERAL (
      ${selected("WHERE part = own.part AND next_try_at <= $1 AND origin <> ALL ($2::bytea[]) ORDER BY next_try_at, seq LIMIT $3")}) AS found
    ORDER BY found.next_try_at, found.seq LIMIT $3`,
  "next-try": `SELECT found.next_try_at FROM unnest($2::bigint[]) AS own (part) CROSS JOIN LATERAL (
      SELECT next_try_at FROM delivery WHERE part = own.part AND next_try_at > $1 ORDER BY next_try_at, seq LIMIT 1) AS found
    ORDER BY found.next_try_at LIMIT 1`,
  "oldest-settled":
    "SELECT settled_at FROM delivery WHERE settled_at IS NOT NULL ORDER BY settled_at, seq LIMIT 1",
  "first-pending": selected(
    "WHERE job_id = $1 AND state = 0 AND part = ANY($2::bigint[]) ORDER BY seq LIMIT 1",
  ),
} as const;

type Name = keyof typeof DELIVERY_QUESTIONS;

export async function deliveryById(session: Session, id: string): Promise<Delivery | undefined> {
  const [delivery] = await deliveries(session, "delivery-by-id", [textToBytes(id)]);
  return delivery;
}

export async function frameOf(session: Session, seq: number): Promise<JobFrame | undefined> {
  const { rows } = await ask(session, "delivery-frame", [bound(seq)]);
  if (rows[0] === undefined) return undefined;
  const row = readFrame(rows[0]);
  return { head: textAt(row, 1), tail: textAt(row, 2) };
}

export function listDeliveries(
  session: Session,
  { jobId, endpointId, state }: DeliveryFilter,
  limit: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<readonly Delivery[]> {
  return deliveries(session, "newest-deliveries", [
    bound(before),
    jobId === undefined ? null : textToBytes(jobId),
    endpointId === undefined ? null : textToBytes(endpointId),
    state === undefined ? null : STATE_NUMBERS[state],
    bound(limit),
  ]);
}

export function dueDeliveries(
  session: Session,
  now: number,
  limit: number,
  exceptOrigins: readonly string[],
  parts: readonly number[],
): Promise<readonly Delivery[]> {
  const own = listOf("integer", parts);
  const values = [bound(now), listOf("text", exceptOrigins), bound(limit), own];
  return deliveries(session, "due-deliveries", values);
}

export function nextTryAt(
  session: Session,
  after: number,
  parts: readonly number[],
): Promise<number | undefined> {
  return instant(session, "next-try", [bound(after), listOf("integer", parts)]);
}

export function oldestSettledAt(session: Session): Promise<number | undefined> {
  return instant(session, "oldest-settled", []);
}

export async function firstPending(
  session: Session,
  jobId: string,
  parts: readonly number[],
): Promise<Delivery | undefined> {
  const values = [textToBytes(jobId), listOf("integer", parts)];
  const [delivery] = await deliveries(session, "first-pending", values);
  return delivery;
}

async function deliveries(session: Session, name: Name, values: readonly unknown[]) {
  const { rows } = await ask(session, name, values);
  return rows.map((row) => readDelivery(read(row)));
}

async function instant(session: Session, name: Name, values: readonly unknown[]) {
  const { rows } = await ask(session, name, values);
  return rows[0] && optionalIntegerAt(read(rows[0]), 0);
}

function ask(session: Session, name: Name, values: readonly unknown[]) {
  return session.ask({ name, text: DELIVERY_QUESTIONS[name], values });
}

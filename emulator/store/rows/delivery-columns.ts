/** Converts webhook deliveries to rows and back. */
import type { SQLOutputValue } from "node:sqlite";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import {
  type Delivery,
  DELIVERY_STATES,
  type DeliveryState,
  type DeliveryTry,
} from "../../core/webhooks/delivery.ts";
import {
  damaged,
  integerAt,
  optionalIntegerAt,
  optionalTextAt,
  type Row,
  textAt,
} from "../../sqlite/row.ts";
import type { Columns } from "./columns.ts";

/** These numbers are stored: never change one. */
export const STATE_NUMBERS: Readonly<Record<DeliveryState, number>> = {
  pending: 0,
  delivered: 1,
  failed: 2,
};

export const DELIVERY = {
  seq: "integer",
  id: "text",
  job_id: "text",
  endpoint_id: "text",
  job_status: "json",
  url: "text",
  origin: "text",
  state: "integer",
  created_at: "integer",
  next_try_at: "integer",
  settled_at: "integer",
  tries_left: "integer",
  size_bytes: "integer",
  tries: "json",
  sent_headers: "json",
  traceparent: "text",
} as const satisfies Columns;

/** The columns with the text around the output. */
export const FRAME = { seq: "integer", head: "text", tail: "text" } as const satisfies Columns;

/** The columns that a try may change. */
export const CHANGEABLE = {
  state: "integer",
  next_try_at: "integer",
  settled_at: "integer",
  tries_left: "integer",
  tries: "json",
  sent_headers: "json",
} as const satisfies Columns;

export function changeable(delivery: Delivery): SQLOutputValue[] {
  const { state, nextTryAt, settledAt, triesLeft, tries, sentHeaders } = delivery;
  return [
    STATE_NUMBERS[state],
    nextTryAt ?? null,
    settledAt ?? null,
    triesLeft,
    JSON.stringify(tries),
    sentHeaders === undefined ? null : JSON.stringify(sentHeaders),
  ];
}

export function valuesOf(delivery: Delivery): SQLOutputValue[] {
  const [state = null, nextTryAt = null, settledAt = null, triesLeft = null, ...rest] =
    changeable(delivery);
  const { seq, id, jobId, endpointId, jobStatus, url, origin, createdAt, sizeBytes } = delivery;
  return [
    ...[seq, id, jobId, endpointId, jobStatus, url, origin, state, createdAt, nextTryAt],
    ...[settledAt, triesLeft, sizeBytes, ...rest, delivery.traceparent ?? null],
  ];
}

export function readDelivery(row: Row): Delivery {
  const headers = optionalTextAt(row, 14);
  return {
    seq: integerAt(row, 0),
    id: textAt(row, 1),
    jobId: textAt(row, 2),
    endpointId: textAt(row, 3),
    jobStatus: oneOf(JOB_STATUSES, textAt(row, 4)),
    url: textAt(row, 5),
    origin: textAt(row, 6),
    state: stateOf(integerAt(row, 7)),
    createdAt: integerAt(row, 8),
    nextTryAt: optionalIntegerAt(row, 9),
    settledAt: optionalIntegerAt(row, 10),
    triesLeft: integerAt(row, 11),
    sizeBytes: integerAt(row, 12),
    tries: readTries(textAt(row, 13)),
    sentHeaders: headers === undefined ? undefined : readHeaders(headers),
    traceparent: optionalTextAt(row, 15),
  };
}

function readTries(json: string): readonly DeliveryTry[] {
  const tries: unknown = JSON.parse(json);
  if (!Array.isArray(tries)) throw damaged("a list of tries", tries);
  return tries as DeliveryTry[];
}

function readHeaders(json: string): Readonly<Record<string, string>> {
  const headers: unknown = JSON.parse(json);
  if (typeof headers !== "object" || headers === null) throw damaged("headers", headers);
  return headers as Record<string, string>;
}

function stateOf(number: number): DeliveryState {
  return oneOf(
    DELIVERY_STATES,
    DELIVERY_STATES.find((state) => STATE_NUMBERS[state] === number),
  );
}

function oneOf<T extends string>(known: readonly T[], found: string | undefined): T {
  const value = known.find((candidate) => candidate === found);
  if (value === undefined) throw damaged("a known status or state", found);
  return value;
}

/** Reads the query of the billing operations (source: spec; unknown parameters are ignored, as the live service does). */
import { z } from "zod";
import { type fields, oneOf, text } from "../input/input-fields.ts";
import { type QueryParameters, readQuery, repeatable } from "../input/query-parameters.ts";
import { type Grouping, GROUPINGS } from "./bill.ts";
import { BUCKET_SIZES } from "./buckets.ts";
import type { Period } from "./slices.ts";
import type { MachineUsage } from "./usage.ts";

const DAY_MS = 86_400_000;
/** Default length of a bill's window (ours). */
const DEFAULT_PERIOD_DAYS = 30;

const instant = z.iso
  .datetime({ offset: true, error: "must be an instant like 2026-01-31T00:00:00Z" })
  .optional();

const period = {
  bucketSize: oneOf(BUCKET_SIZES).default("day"),
  startTime: instant,
  endTime: instant,
};

export const POD_BILLING_QUERY = {
  ...period,
  gpuTypeId: repeatable(),
  grouping: oneOf(["podId", "gpuTypeId"]).default("gpuTypeId"),
  podId: text().optional(),
};

export const ENDPOINT_BILLING_QUERY = {
  ...period,
  dataCenterId: repeatable(),
  gpuTypeId: repeatable(),
  grouping: oneOf(GROUPINGS).default("endpointId"),
  endpointId: text().optional(),
  imageName: text().optional(),
  templateId: text().optional(),
};

export const VOLUME_BILLING_QUERY = period;

export interface MachineBillingQuery {
  readonly period: Period;
  readonly grouping: Grouping;
  readonly wants: (usage: MachineUsage) => boolean;
}

/** @throws ServiceError `invalid_request` */
export function readEndpointBillingQuery(query: QueryParameters, now: number): MachineBillingQuery {
  const asked = readQuery(ENDPOINT_BILLING_QUERY, query);
  const { grouping, dataCenterId, gpuTypeId, endpointId, imageName, templateId } = asked;
  return {
    period: periodOf(asked, now),
    grouping,
    wants: (usage) =>
      usage.kind === "worker" &&
      isAmong(usage.dataCenterId, dataCenterId) &&
      isAmong(usage.gpuTypeId, gpuTypeId) &&
      isAmong(usage.endpointId, endpointId && [endpointId]) &&
      isAmong(usage.imageName, imageName && [imageName]) &&
      isAmong(usage.templateId, templateId && [templateId]),
  };
}

/** @throws ServiceError `invalid_request` */
export function readPodBillingQuery(query: QueryParameters, now: number): MachineBillingQuery {
  const asked = readQuery(POD_BILLING_QUERY, query);
  const { grouping, gpuTypeId, podId } = asked;
  return {
    period: periodOf(asked, now),
    grouping,
    wants: (usage) =>
      usage.kind === "pod" &&
      isAmong(usage.gpuTypeId, gpuTypeId) &&
      isAmong(usage.podId, podId && [podId]),
  };
}

/** @throws ServiceError `invalid_request` */
export function readVolumeBillingQuery(query: QueryParameters, now: number): Period {
  return periodOf(readQuery(VOLUME_BILLING_QUERY, query), now);
}

function periodOf(
  { bucketSize, startTime, endTime }: z.infer<ReturnType<typeof fields<typeof period>>>,
  now: number,
): Period {
  const endAt = endTime === undefined ? now : Date.parse(endTime);
  const startAt =
    startTime === undefined ? endAt - DEFAULT_PERIOD_DAYS * DAY_MS : Date.parse(startTime);
  return { bucketSize, startAt, endAt };
}

function isAmong(value: string | undefined, wanted: readonly string[] | "" | undefined): boolean {
  return wanted === undefined || wanted === "" || (value !== undefined && wanted.includes(value));
}

/** Computes bills from what ran: dollars and time per period and group. Pure. */
import { type BucketSize, bucketOf } from "./buckets.ts";
import type { MachineUsage, Usage, VolumeUsage } from "./usage.ts";

const HOUR_MS = 3_600_000;
/** Parts of a dollar that sums are rounded to, so that they show no noise of binary fractions. */
const ROUNDING = 1e9;

export const GROUPINGS = ["endpointId", "podId", "gpuTypeId"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Which part of the usage is billed. Instants are ms since the epoch. */
export interface Period {
  readonly bucketSize: BucketSize;
  readonly startAt: number;
  readonly endAt: number;
}

/** One line of a bill for workers or pods (live: its fields). */
export interface BillingRecord {
  /** US dollars. */
  readonly amount: number;
  /** Start of the period, ISO 8601. */
  readonly time: string;
  readonly timeBilledMs: number;
  /** GB of container disk of everything billed in the period, added up. */
  readonly diskSpaceBilledGb: number;
  readonly endpointId?: string;
  readonly podId?: string;
  readonly gpuTypeId?: string;
}

/** One line of a bill for network volumes (live: its fields). */
export interface VolumeBillingRecord {
  readonly amount: number;
  readonly time: string;
  readonly diskSpaceBilledGb: number;
  /** There is no storage of that kind here: always 0. */
  readonly highPerformanceStorageAmount: number;
  readonly highPerformanceStorageDiskSpaceBilledGb: number;
}

/** In order of time, then of group; what has no value of the grouping is a line without that key. */
export function billMachines(
  usages: readonly MachineUsage[],
  grouping: Grouping,
  period: Period,
  now: number,
): readonly BillingRecord[] {
  return summed(usages, (usage) => usage[grouping] ?? "", period, now).map(
    ({ group, startAt, dollars, ms, diskGb }) => ({
      amount: rounded(dollars),
      time: new Date(startAt).toISOString(),
      timeBilledMs: ms,
      diskSpaceBilledGb: diskGb,
      ...(group === "" ? {} : { [grouping]: group }),
    }),
  );
}

/** All volumes together, in order of time. */
export function billVolumes(
  usages: readonly VolumeUsage[],
  period: Period,
  now: number,
): readonly VolumeBillingRecord[] {
  return summed(usages, () => "", period, now).map(({ startAt, dollars, diskGb }) => ({
    amount: rounded(dollars),
    time: new Date(startAt).toISOString(),
    diskSpaceBilledGb: diskGb,
    highPerformanceStorageAmount: 0,
    highPerformanceStorageDiskSpaceBilledGb: 0,
  }));
}

interface Sum {
  readonly group: string;
  readonly startAt: number;
  dollars: number;
  ms: number;
  diskGb: number;
}

function summed<U extends Usage>(
  usages: readonly U[],
  groupOf: (usage: U) => string,
  { bucketSize, startAt, endAt }: Period,
  now: number,
): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const usage of usages) {
    const until = Math.min(usage.endedAt ?? now, endAt);
    let from = Math.max(usage.startedAt, startAt);
    while (from < until) {
      const bucket = bucketOf(from, bucketSize);
      const ms = Math.min(until, bucket.endAt) - from;
      const group = groupOf(usage);
      const key = `${bucket.startAt} ${group}`;
      const sum = sums.get(key) ?? { group, startAt: bucket.startAt, dollars: 0, ms: 0, diskGb: 0 };
      sum.dollars += (usage.perHour * ms) / HOUR_MS;
      sum.ms += ms;
      sum.diskGb += usage.diskInGb;
      sums.set(key, sum);
      from = bucket.endAt;
    }
  }
  return [...sums.values()].toSorted(
    (a, b) => a.startAt - b.startAt || (a.group < b.group ? -1 : Number(a.group > b.group)),
  );
}

function rounded(dollars: number): number {
  return Math.round(dollars * ROUNDING) / ROUNDING;
}

/** Computes bills from usage: dollars and time per period and group. Pure. */
import { type Period, rounded, slices } from "./slices.ts";
import type { MachineUsage, Usage, VolumeUsage } from "./usage.ts";

export const GROUPINGS = ["endpointId", "podId", "gpuTypeId"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** One line of a bill for workers or pods (live: its fields). */
export interface BillingRecord {
  /** US dollars. */
  readonly amount: number;
  /** Start of the period, ISO 8601. */
  readonly time: string;
  readonly timeBilledMs: number;
  /** Container disk of all billed usage in the period, GB. */
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
  /** The amount for volumes of that type. */
  readonly highPerformanceStorageAmount: number;
  readonly highPerformanceStorageDiskSpaceBilledGb: number;
}

/** The lines, by time, then by group. A line lacks the key of the grouping if its usage has no value there. */
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

/** One line per period for all volumes, by time. */
export function billVolumes(
  usages: readonly VolumeUsage[],
  period: Period,
  now: number,
): readonly VolumeBillingRecord[] {
  const fast = usages.filter(({ volumeType }) => volumeType === "HIGH_PERFORMANCE");
  const ofFast = new Map(
    summed(fast, () => "", period, now).map((sum) => [sum.startAt, sum] as const),
  );
  return summed(usages, () => "", period, now).map(({ startAt, dollars, diskGb }) => ({
    amount: rounded(dollars),
    time: new Date(startAt).toISOString(),
    diskSpaceBilledGb: diskGb,
    highPerformanceStorageAmount: rounded(ofFast.get(startAt)?.dollars ?? 0),
    highPerformanceStorageDiskSpaceBilledGb: ofFast.get(startAt)?.diskGb ?? 0,
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
  period: Period,
  now: number,
): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const { usage, bucket, ms, dollars } of slices(usages, period, now)) {
    const group = groupOf(usage);
    const key = `${bucket.startAt} ${group}`;
    const sum = sums.get(key) ?? { group, startAt: bucket.startAt, dollars: 0, ms: 0, diskGb: 0 };
    sum.dollars += dollars;
    sum.ms += ms;
    sum.diskGb += usage.diskInGb;
    sums.set(key, sum);
  }
  return [...sums.values()].toSorted(
    (a, b) => a.startAt - b.startAt || (a.group < b.group ? -1 : Number(a.group > b.group)),
  );
}

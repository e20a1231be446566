/** Bills by period and resource, itemised like those of the live service's newer interface. Pure. */
import { rounded, type Period, slices } from "./slices.ts";
import type { Usage } from "./usage.ts";

/** Items of a bill. Container disks, fees, public endpoints and clusters cost nothing here. */
export const BILL_PARTS = [
  "podGpu",
  "podCpu",
  "serverlessGpu",
  "serverlessCpu",
  "storageStandard",
  "storageHighPerformance",
] as const;

export type BillPart = (typeof BILL_PARTS)[number];

/** Amounts in US dollars; an absent item is 0. */
export type BillAmounts = Readonly<Partial<Record<BillPart, number>>>;

/** Cost of one resource in one period, or of all resources together. */
export interface BillItem {
  /** Empty if the bill is not grouped by resource. */
  readonly resourceId: string;
  /** Ms since the epoch; the end is the end of the whole period. */
  readonly startAt: number;
  readonly endAt: number;
  readonly amounts: BillAmounts;
}

/**
 * The items, by time, then by resource. Periods without usage are left out.
 * @param resourceOf the resource that a usage entry belongs to
 * @param now end of usage that still goes on
 */
export function itemise<U extends Usage>(
  usages: Iterable<U>,
  resourceOf: (usage: U) => string,
  period: Period,
  now: number,
): readonly BillItem[] {
  const items = new Map<string, Omit<BillItem, "amounts"> & { amounts: Map<BillPart, number> }>();
  for (const { usage, bucket, dollars } of slices(usages, period, now)) {
    const resourceId = resourceOf(usage);
    const key = `${bucket.startAt} ${resourceId}`;
    const item = items.get(key) ?? { resourceId, ...bucket, amounts: new Map<BillPart, number>() };
    const part = billPartOf(usage);
    item.amounts.set(part, (item.amounts.get(part) ?? 0) + dollars);
    items.set(key, item);
  }
  return [...items.values()]
    .map(({ amounts, ...item }) => ({ ...item, amounts: roundedAmounts(amounts) }))
    .toSorted((a, b) => a.startAt - b.startAt || (a.resourceId < b.resourceId ? -1 : 1));
}

export function totalOf(items: readonly BillItem[]): BillAmounts {
  const sums = new Map<BillPart, number>();
  for (const { amounts } of items)
    for (const part of BILL_PARTS) {
      const amount = amounts[part];
      if (amount !== undefined) sums.set(part, (sums.get(part) ?? 0) + amount);
    }
  return roundedAmounts(sums);
}

export function sumOf(amounts: BillAmounts): number {
  return rounded(BILL_PARTS.reduce((sum, part) => sum + (amounts[part] ?? 0), 0));
}

function billPartOf(usage: Usage): BillPart {
  if (usage.kind === "volume") {
    return usage.volumeType === "HIGH_PERFORMANCE" ? "storageHighPerformance" : "storageStandard";
  }
  const product = usage.kind === "pod" ? "pod" : "serverless";
  return usage.gpuTypeId === undefined ? `${product}Cpu` : `${product}Gpu`;
}

function roundedAmounts(sums: ReadonlyMap<BillPart, number>): BillAmounts {
  return Object.fromEntries([...sums].map(([part, dollars]) => [part, rounded(dollars)]));
}

/** Bills by period and resource, in the parts that an amount is made of, as the newer interface of the live service has them. Pure. */
import { rounded, type Period, slices } from "./slices.ts";
import type { Usage } from "./usage.ts";

/** What is paid for. Container disks, fees, public endpoints and clusters cost nothing here. */
export const BILL_PARTS = [
  "podGpu",
  "podCpu",
  "serverlessGpu",
  "serverlessCpu",
  "storageStandard",
  "storageHighPerformance",
] as const;

export type BillPart = (typeof BILL_PARTS)[number];

/** US dollars; parts that are absent are nothing. */
export type BillAmounts = Readonly<Partial<Record<BillPart, number>>>;

/** What one resource, or all together, cost in one period. */
export interface BillItem {
  /** Empty where nobody asked which. */
  readonly resourceId: string;
  /** Ms since the epoch; the end is that of the whole period. */
  readonly startAt: number;
  readonly endAt: number;
  readonly amounts: BillAmounts;
}

/**
 * In order of time, then of resource; what ran in no period is none.
 *
 * @param resourceOf whose entry it is @param now until when what still runs is billed
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

/** All items together. */
export function totalOf(items: readonly BillItem[]): BillAmounts {
  const sums = new Map<BillPart, number>();
  for (const { amounts } of items)
    for (const part of BILL_PARTS) {
      const amount = amounts[part];
      if (amount !== undefined) sums.set(part, (sums.get(part) ?? 0) + amount);
    }
  return roundedAmounts(sums);
}

/** All parts together. */
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

/** Computes the bills of machines and volumes, in periods and groups. */
import {
  billMachines,
  billVolumes,
  type BillingRecord,
  type Period,
  type VolumeBillingRecord,
} from "../../core/billing/bill.ts";
import type { MachineBillingQuery } from "../../core/billing/billing-query.ts";
import type { MachineUsage } from "../../core/billing/usage.ts";
import type { Uses } from "../context.ts";

export async function machineBill(
  { usage, clock }: Uses<"clock" | "usage">,
  { period, grouping, wants }: MachineBillingQuery,
): Promise<readonly BillingRecord[]> {
  const usages = await usage.usages(period.startAt);
  const machines = usages.filter(
    (entry): entry is MachineUsage => entry.kind !== "volume" && wants(entry),
  );
  return billMachines(machines, grouping, period, clock.now());
}

export async function volumeBill(
  { usage, clock }: Uses<"clock" | "usage">,
  period: Period,
): Promise<readonly VolumeBillingRecord[]> {
  const usages = await usage.usages(period.startAt);
  const volumes = usages.filter((entry) => entry.kind === "volume");
  return billVolumes(volumes, period, clock.now());
}

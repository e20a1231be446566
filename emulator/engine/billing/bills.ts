/** Computes the bills of machines and volumes, in periods and groups. */
import {
  billMachines,
  billVolumes,
  type BillingRecord,
  type VolumeBillingRecord,
} from "../../core/billing/bill.ts";
import type { MachineBillingQuery } from "../../core/billing/billing-query.ts";
import { type BillItem, itemise } from "../../core/billing/itemised-bill.ts";
import type { Period } from "../../core/billing/slices.ts";
import type { MachineUsage, Usage } from "../../core/billing/usage.ts";
import type { TimePort } from "../time/time-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";

export async function machineBill(
  { usage, clock }: TimePort & CatalogPort,
  { period, grouping, wants }: MachineBillingQuery,
): Promise<readonly BillingRecord[]> {
  const usages = await usage.usages(period.startAt);
  const machines = usages.filter(
    (entry): entry is MachineUsage => entry.kind !== "volume" && wants(entry),
  );
  return billMachines(machines, grouping, period, clock.now());
}

export async function volumeBill(
  { usage, clock }: TimePort & CatalogPort,
  period: Period,
): Promise<readonly VolumeBillingRecord[]> {
  const usages = await usage.usages(period.startAt);
  const volumes = usages.filter((entry) => entry.kind === "volume");
  return billVolumes(volumes, period, clock.now());
}

export interface ItemisedQuery {
  readonly period: Period;
  readonly wants: (usage: Usage) => boolean;
  /** Resource that a usage entry belongs to; default: one bill for all together. */
  readonly resourceOf?: (usage: Usage) => string;
}

export async function itemisedBill(
  { usage, clock }: TimePort & CatalogPort,
  { period, wants, resourceOf = () => "" }: ItemisedQuery,
): Promise<readonly BillItem[]> {
  const usages = await usage.usages(period.startAt);
  return itemise(usages.filter(wants), resourceOf, period, clock.now());
}

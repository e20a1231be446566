/** Merges orders that come at once, and splits them where a message would become too large. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import type { ServiceOrders } from "../../runtime/protocol/session.ts";

/** A message takes more jobs until their inputs reach this size. */
const BUNDLE_BYTES = 4_000_000;

export class OrderBundle {
  #orders: ServiceOrders | undefined;
  #jobs: HandedJob[] = [];

  add(orders: ServiceOrders): void {
    if (orders.jobs) this.#jobs.push(...orders.jobs);
    const before = this.#orders;
    this.#orders = before ? merge(before, orders) : { ...orders, jobs: [] };
  }

  get isEmpty(): boolean {
    return !this.#orders && this.#jobs.length === 0;
  }

  /** The next message; undefined when no orders are left. */
  take(): ServiceOrders | undefined {
    if (this.isEmpty) return undefined;
    let bytes = 0;
    let count = 0;
    for (const job of this.#jobs) {
      bytes += job.input.byteLength;
      if (count > 0 && bytes > BUNDLE_BYTES) break;
      count += 1;
    }
    const jobs = this.#jobs.splice(0, count);
    const orders = { ...this.#orders, jobs };
    this.#orders = undefined;
    return orders;
  }
}

function merge(a: ServiceOrders, b: ServiceOrders): ServiceOrders {
  const welcome = b.welcome ?? a.welcome;
  const reload = b.reload ?? a.reload;
  return {
    ...(welcome ? { welcome } : {}),
    jobs: [],
    revocations: [...(a.revocations ?? []), ...(b.revocations ?? [])],
    outcomeReceipts: [...(a.outcomeReceipts ?? []), ...(b.outcomeReceipts ?? [])],
    chunkReceipts: [...(a.chunkReceipts ?? []), ...(b.chunkReceipts ?? [])],
    drain: Boolean(a.drain || b.drain),
    ...(reload ? { reload } : {}),
  };
}

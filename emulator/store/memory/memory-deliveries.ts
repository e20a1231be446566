/** Webhook deliveries in memory, with their sort orders. */
import type { Delivery, DeliveryFilter, KeptDeliveries } from "../../core/webhooks/delivery.ts";
import type { JobFrame } from "../../core/jobs/job-body.ts";
import { deliveryAlreadyStored, deliveryNotStored } from "../batch-refusals.ts";
import type { Journal } from "../../core/undo-journal.ts";
import { OrderedSet } from "./ordered-set.ts";

interface Row {
  readonly delivery: Delivery;
  readonly frame: JobFrame;
}

export class MemoryDeliveries {
  readonly #rows = new Map<number, Row>();
  readonly #seqById = new Map<string, number>();
  readonly #pendingOfJob = new Map<string, Set<number>>();
  readonly #due = new OrderedSet();
  readonly #settled = new OrderedSet();
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  byId(id: string): Delivery | undefined {
    return this.#rows.get(this.#seqById.get(id) ?? -1)?.delivery;
  }

  frame(seq: number): JobFrame | undefined {
    return this.#rows.get(seq)?.frame;
  }

  list(filter: DeliveryFilter, limit: number, before = Number.POSITIVE_INFINITY): Delivery[] {
    return [...this.#rows.values()]
      .map(({ delivery }) => delivery)
      .filter((delivery) => delivery.seq < before && fits(delivery, filter))
      .toSorted((a, b) => b.seq - a.seq)
      .slice(0, limit);
  }

  due(now: number, limit: number, exceptOrigins: readonly string[]): Delivery[] {
    const found: Delivery[] = [];
    for (const seq of this.#due.keys(now)) {
      if (found.length >= limit) break;
      const delivery = this.#rows.get(seq)?.delivery;
      if (delivery && !exceptOrigins.includes(delivery.origin)) found.push(delivery);
    }
    return found;
  }

  nextTryAt(after: number): number | undefined {
    return this.#due.firstAbove(after);
  }

  oldestSettledAt(): number | undefined {
    return this.#settled.firstAt();
  }

  insert(delivery: Delivery, frame: JobFrame): void {
    if (this.#rows.has(delivery.seq) || this.#seqById.has(delivery.id))
      throw deliveryAlreadyStored(delivery);
    this.#change(undefined, { delivery, frame });
  }

  replace(delivery: Delivery): void {
    const before = this.#rows.get(delivery.seq);
    if (before === undefined) throw deliveryNotStored(delivery.id);
    this.#change(before, { ...before, delivery });
  }

  firstPending(jobId: string): Delivery | undefined {
    const pending = this.#pendingOfJob.get(jobId);
    return pending && this.#rows.get(Math.min(...pending))?.delivery;
  }

  /** Returns the keys of the deleted deliveries. */
  prune({ settledFrom, maxCount, maxBytes }: KeptDeliveries): number[] {
    const newestFirst = this.#settled.first(Number.POSITIVE_INFINITY).toReversed();
    let bytes = 0;
    const doomed = newestFirst.filter((seq, position) => {
      const delivery = this.#rows.get(seq)?.delivery;
      bytes += delivery?.sizeBytes ?? 0;
      return position >= maxCount || bytes > maxBytes || (delivery?.settledAt ?? 0) < settledFrom;
    });
    for (const seq of doomed) this.#change(this.#rows.get(seq), undefined);
    return doomed;
  }

  #change(before: Row | undefined, after: Row | undefined): void {
    this.#set(before, after);
    this.#journal.undos.push(() => this.#set(after, before));
  }

  #set(before: Row | undefined, after: Row | undefined): void {
    if (before) this.#remove(before.delivery);
    if (after) this.#add(after);
  }

  #remove({ seq, id, jobId, nextTryAt, settledAt }: Delivery): void {
    this.#rows.delete(seq);
    this.#seqById.delete(id);
    const pending = this.#pendingOfJob.get(jobId);
    if (pending?.delete(seq) === true && pending.size === 0) this.#pendingOfJob.delete(jobId);
    if (nextTryAt !== undefined) this.#due.delete(nextTryAt, seq);
    if (settledAt !== undefined) this.#settled.delete(settledAt, seq);
  }

  #add(row: Row): void {
    const { seq, id, jobId, state, nextTryAt, settledAt } = row.delivery;
    this.#rows.set(seq, row);
    this.#seqById.set(id, seq);
    if (state === "pending") {
      this.#pendingOfJob.set(jobId, (this.#pendingOfJob.get(jobId) ?? new Set()).add(seq));
    }
    if (nextTryAt !== undefined) this.#due.add(nextTryAt, seq);
    if (settledAt !== undefined) this.#settled.add(settledAt, seq);
  }
}

function fits(delivery: Delivery, { jobId, endpointId, state }: DeliveryFilter): boolean {
  return (
    (jobId === undefined || delivery.jobId === jobId) &&
    (endpointId === undefined || delivery.endpointId === endpointId) &&
    (state === undefined || delivery.state === state)
  );
}

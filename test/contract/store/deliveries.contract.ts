/** Contract of the store: webhook deliveries, their orders, what is kept of them, and their shares of jobs' payloads. */
import { expect, it } from "vitest";
import {
  afterTry,
  type Delivery,
  type DeliveryFilter,
  deliveryFrame,
  dueAgain,
  newDelivery,
} from "../../../emulator/core/webhooks/delivery.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Store, StoreTransaction } from "../../../emulator/store/store.ts";
import {
  after,
  bytesAt,
  completed,
  handedOver,
  inline,
  insertNew,
  NOW,
  type OpenSubject,
  pattern,
  textOf,
} from "./subject.ts";

const HEADERS = { "webhook-id": "msg", "webhook-signature": "v1,ü" };
const KEPT = { settledFrom: 0, maxCount: 1_000, maxBytes: 1_000_000 };

interface Wishes {
  readonly url?: string;
  readonly at?: number;
  readonly isFirst?: boolean;
  readonly sizeBytes?: number;
}

/** Stores a delivery for the end of `job`. */
async function deliver(tx: StoreTransaction, job: Job, wishes: Wishes = {}): Promise<Delivery> {
  const ended = { ...job, webhook: wishes.url ?? "https://one.test/hook?a=ü" };
  const { sizeBytes = 10, isFirst = true } = wishes;
  const seq = await tx.nextSeq();
  const delivery = newDelivery(ended, { seq, sizeBytes, isFirst }, wishes.at ?? NOW);
  await tx.deliveries.insert(delivery, deliveryFrame(ended));
  return delivery;
}

function deliverNew(tx: StoreTransaction, wishes: Wishes = {}): Promise<Delivery> {
  return insertNew(tx).then((job) => deliver(tx, job, wishes));
}

async function settle(store: Store, delivery: Delivery, at = NOW): Promise<Delivery> {
  const settled = afterTry(delivery, { at, durationMs: 1, status: 204 }, HEADERS, at);
  await store.transact((tx) => tx.deliveries.replace(settled));
  return settled;
}

const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

export function deliveriesContract(open: OpenSubject): void {
  it("a delivery comes back equal in every field, before and after tries, with its frame", async () => {
    await using subject = await open();
    const { store } = subject;
    const fresh = await store.transact((tx) => deliverNew(tx));
    const read = () => store.read((view) => view.deliveries.byId(fresh.id));
    expect(await read()).toStrictEqual(fresh);
    const failure = { at: NOW, durationMs: 12, error: "no answer" };
    const failed = afterTry(fresh, failure, HEADERS, NOW + 12);
    await store.transact((tx) => tx.deliveries.replace(failed));
    expect(await read()).toStrictEqual(failed);
    const settled = await settle(store, failed, NOW + 10_012);
    expect(await read()).toStrictEqual(settled);
    expect(settled.tries).toHaveLength(2);
    const frame = await store.read((view) => view.deliveries.frame(fresh.seq));
    expect(frame?.tail).toBe(',"webhook":"https://one.test/hook?a=ü","input":');
    expect(await store.read((view) => view.deliveries.byId("never"))).toBeUndefined();
    expect(await store.read((view) => view.deliveries.frame(-1))).toBeUndefined();
  });

  it("a delivery that is not stored cannot be replaced", async () => {
    await using subject = await open();
    const { store } = subject;
    const refused = store.transact(async (tx) => {
      const delivery = await deliverNew(tx);
      await tx.deliveries.replace({ ...delivery, seq: delivery.seq + 1 });
    });
    await expect(refused).rejects.toThrow("not stored");
    expect(await store.read((view) => view.deliveries.list({}, 9))).toEqual([]);
    expect(await store.read((view) => view.deliveries.nextTryAt(0))).toBeUndefined();
  });

  it("those that are due come in order of their moment, without those to the origins left out", async () => {
    await using subject = await open();
    const { store } = subject;
    const [late, early, other] = await store.transact(async (tx) => [
      await deliverNew(tx, { at: NOW + 2 }),
      await deliverNew(tx, { at: NOW }),
      await deliverNew(tx, { at: NOW + 1, url: "http://two.test:81/x" }),
    ]);
    const due = (now: number, limit: number, except: string[] = []) =>
      store.read(async (view) => ids(await view.deliveries.due(now, limit, except)));
    expect(await due(NOW - 1, 9)).toEqual([]);
    expect(await due(NOW + 1, 9)).toEqual([early?.id, other?.id]);
    expect(await due(NOW + 9, 2)).toEqual([early?.id, other?.id]);
    expect(await due(NOW + 9, 9, ["https://one.test"])).toEqual([other?.id]);
    expect(await due(NOW + 9, 9, ["http://two.test:81"])).toEqual([early?.id, late?.id]);
    const next = (now: number) => store.read((view) => view.deliveries.nextTryAt(now));
    expect(await next(NOW - 1)).toBe(NOW);
    expect(await next(NOW)).toBe(NOW + 1);
    expect(await next(NOW + 2)).toBeUndefined();
    if (early) await settle(store, early);
    expect(await due(NOW + 9, 9)).toEqual([other?.id, late?.id]);
  });

  it("the oldest pending one of a job is found, also while it waits for another", async () => {
    await using subject = await open();
    const { store } = subject;
    const { first, second } = await store.transact(async (tx) => {
      const job = await insertNew(tx);
      await deliverNew(tx);
      const one = await deliver(tx, job);
      return { first: one, second: await deliver(tx, { ...job, retries: 1 }, { isFirst: false }) };
    });
    const pending = () => store.transact((tx) => tx.deliveries.firstPending(first.jobId));
    expect(await pending()).toEqual(first);
    expect(await store.read((view) => view.deliveries.due(NOW, 9, []))).not.toContainEqual(second);
    await settle(store, first);
    expect(await pending()).toEqual(second);
    await store.transact((tx) => tx.deliveries.replace(dueAgain(second, NOW + 1)));
    expect(await store.read((view) => view.deliveries.due(NOW + 1, 9, []))).toHaveLength(2);
    await settle(store, second);
    expect(await pending()).toBeUndefined();
  });

  it("lists the newest first, page by page, by job, endpoint and state", async () => {
    await using subject = await open();
    const { store } = subject;
    const made = await store.transact(async (tx) => {
      const job = await insertNew(tx);
      const elsewhere = await insertNew(tx, { endpointId: "another" });
      return [
        await deliver(tx, job),
        await deliver(tx, elsewhere),
        await deliver(tx, { ...job, retries: 1 }),
        await deliverNew(tx),
      ];
    });
    const [a, b, c, d] = made;
    if (a) await settle(store, a);
    const list = (filter: DeliveryFilter, limit = 9, before?: number) =>
      store.read(async (view) => ids(await view.deliveries.list(filter, limit, before)));
    expect(await list({})).toEqual([d?.id, c?.id, b?.id, a?.id]);
    expect(await list({}, 2)).toEqual([d?.id, c?.id]);
    expect(await list({}, 2, c?.seq)).toEqual([b?.id, a?.id]);
    expect(await list({ jobId: a?.jobId })).toEqual([c?.id, a?.id]);
    expect(await list({ endpointId: "another" })).toEqual([b?.id]);
    expect(await list({ state: "delivered" })).toEqual([a?.id]);
    expect(await list({ state: "pending", jobId: a?.jobId })).toEqual([c?.id]);
    expect(await list({ state: "failed" })).toEqual([]);
  });

  it("of settled ones the newest are kept, as many, as large and as young as asked; pending ones always", async () => {
    await using subject = await open();
    const { store } = subject;
    const made = await store.transact(async (tx) => {
      const list: Delivery[] = [];
      for (let count = 0; count < 6; count += 1)
        list.push(await deliverNew(tx, { sizeBytes: 100 }));
      return list;
    });
    const pending = made[0]?.id;
    for (const [index, delivery] of made.entries())
      if (index > 0) await settle(store, delivery, NOW + index);
    const left = async (kept: Partial<typeof KEPT>) => {
      await store.transact((tx) => tx.deliveries.prune({ ...KEPT, ...kept }));
      return store.read(async (view) => ids(await view.deliveries.list({}, 9)));
    };
    const newest = (count: number) => [...ids(made).slice(-count).toReversed(), pending];
    expect(await left({})).toEqual(newest(5));
    expect(await left({ maxCount: 4 })).toEqual(newest(4));
    expect(await left({ maxBytes: 399 })).toEqual(newest(3));
    expect(await store.read((view) => view.deliveries.oldestSettledAt())).toBe(NOW + 3);
    expect(await left({ settledFrom: NOW + 4 })).toEqual(newest(2));
    expect(await left({ maxCount: 0 })).toEqual([pending]);
    expect(await store.read((view) => view.deliveries.oldestSettledAt())).toBeUndefined();
  });

  it.each(["small", "large"])(
    "a %s payload that is shared stays as it was when the job gets another, or goes",
    async (size) => {
      await using subject = await open();
      const { store } = subject;
      const bytes = size === "large" ? pattern(400_000) : pattern(1_000);
      const staged = await store.stage(bytes);
      const { job, delivery } = await store.transact(async (tx) => {
        const submitted = await insertNew(tx);
        await tx.putPayload(submitted.seq, "output", staged);
        const made = await deliver(tx, submitted);
        expect(await tx.sharePayload(submitted.seq, "output", made.seq)).toBe(bytes.length);
        expect(await tx.sharePayload(submitted.seq, "input", made.seq)).toBe(0);
        return { job: submitted, delivery: made };
      });
      const shared = () => store.read((view) => bytesAt(view, delivery.seq, "output"));
      await store.transact((tx) => tx.putPayload(job.seq, "output", inline("another")));
      expect(bytes.equals((await shared()) ?? Buffer.alloc(0))).toBe(true);
      await store.transact((tx) => tx.deleteJob(job));
      expect(bytes.equals((await shared()) ?? Buffer.alloc(0))).toBe(true);
      await settle(store, delivery);
      await store.transact((tx) => tx.deliveries.prune({ ...KEPT, maxCount: 0 }));
      expect(await shared()).toBeUndefined();
    },
  );

  it("the job's payload stays when the one who shared it goes first", async () => {
    await using subject = await open();
    const { store } = subject;
    const bytes = pattern(400_000);
    const staged = await store.stage(bytes);
    const { job, delivery } = await store.transact(async (tx) => {
      const submitted = await insertNew(tx);
      await tx.putPayload(submitted.seq, "input", staged);
      const made = await deliver(tx, submitted);
      await tx.sharePayload(submitted.seq, "input", made.seq);
      return { job: submitted, delivery: made };
    });
    await settle(store, delivery);
    await store.transact((tx) => tx.deliveries.prune({ ...KEPT, maxCount: 0 }));
    const kept = await store.read((view) => bytesAt(view, job.seq, "input"));
    expect(bytes.equals(kept ?? Buffer.alloc(0))).toBe(true);
  });

  it("a step that is refused leaves no delivery and no share behind", async () => {
    await using subject = await open();
    const { store } = subject;
    const job = await store.transact(insertNew);
    await store.transact((tx) => tx.putPayload(job.seq, "input", inline("{}")));
    let seq = 0;
    const refused = store.transact(async (tx) => {
      const running = handedOver(job);
      await tx.replaceJob(job, running);
      await tx.replaceJob(running, completed(running));
      ({ seq } = await deliver(tx, completed(running)));
      await tx.sharePayload(job.seq, "input", seq);
      throw new Error("refused");
    });
    await expect(refused).rejects.toThrow("refused");
    await store.read(async (view) => {
      expect(await view.deliveries.list({}, 9)).toEqual([]);
      expect(await view.deliveries.due(NOW, 9, [])).toEqual([]);
      expect(await bytesAt(view, seq, "input")).toBeUndefined();
      expect(textOf(await bytesAt(view, job.seq, "input"))).toBe("{}");
    });
    await store.transact((tx) => tx.replaceJob(job, after(job, { type: "cancel" })));
  });
}
